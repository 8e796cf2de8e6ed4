/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * User manager: runs systemd --user for a user, as systemd's user@.service does.
 */
#ifndef SVCD_SESSION_USER_MANAGER_H
#define SVCD_SESSION_USER_MANAGER_H

#include <sys/types.h>

/**
 * user_manager_run() - run it to its end
 * @on_ready: called when it has sent READY=1
 *
 * This process stays root as the parent, because the PAM session must be closed by a process that
 * may close it. It passes SIGTERM on.
 *
 * Returns: the exit status for this process.
 */
int user_manager_run(uid_t uid, void (*on_ready)(void));

#endif
