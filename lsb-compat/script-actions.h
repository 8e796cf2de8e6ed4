/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Script actions: facts about a script from its text, without running it.
 */
#ifndef SVCD_LSB_COMPAT_SCRIPT_ACTIONS_H
#define SVCD_LSB_COMPAT_SCRIPT_ACTIONS_H

#include <glib.h>
#include <stdbool.h>

/**
 * lsb_action_exists() - does the script know @action, such as "reload"?
 * @text: any bytes
 *
 * Yes if a branch of a "case" names the action, "reload)" or "reload|force-reload)", or if the
 * script defines a function do_ACTION, as scripts of init-d-script(5) do.
 */
bool lsb_action_exists(const char *text, gsize length, const char *action);

/*
 * Does the branch for @action exit with 3? Scripts of initscripts report with 3 that an action is
 * not supported.
 */
bool lsb_action_is_refused(const char *text, gsize length, const char *action);

/**
 * lsb_pid_file_guess() - the path in a plain assignment: PIDFILE=/run/x.pid
 *
 * $NAME and ${NAME} in it are replaced if plain assignments precede it.
 * Returns: a new string; NULL if there is none, or if only a shell could compute it.
 */
char *lsb_pid_file_guess(const char *text, gsize length);

/*
 * Does the script start a daemon: by start-stop-daemon, by start_daemon of the LSB, or as a script
 * of init-d-script(5)?
 */
bool lsb_text_has_daemon(const char *text, gsize length);

/* Is the file a program or data? Yes if it has NULs near its beginning and no "#!". */
bool lsb_text_is_binary(const char *text, gsize length);

#endif
