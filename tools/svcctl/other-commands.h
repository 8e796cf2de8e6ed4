/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Other commands: verbs and options of other service managers, each with the svcctl command that
 * does the same. The command is suggested and not executed, so a script that works was written for
 * svcctl.
 */
#ifndef SVCD_SVCCTL_OTHER_COMMANDS_H
#define SVCD_SVCCTL_OTHER_COMMANDS_H

#include <glib.h>

/**
 * other_command_answer() - find svcctl's command for one of another service manager
 * @token: a verb, or an option with its dashes
 * @names: the arguments after it; they replace NAME in the answer if there are any
 * Returns: a new string; NULL: the table does not contain it.
 */
char *other_command_answer(const char *token, const char *const *names, unsigned n_names);

#endif
