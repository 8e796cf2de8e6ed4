/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Outcome: how a process ended, or why it never began, in words that people read.
 */
#ifndef SVCD_PROCESS_OUTCOME_H
#define SVCD_PROCESS_OUTCOME_H

#include <stdbool.h>

#include "process/plan.h"
#include "protocol/protocol.h"

/* "exit status 3", "killed by signal SEGV (core dumped)"; a new string. @errnum: what it said by ERRNO=, 0: nothing. */
char *outcome_describe(int code, int status, int errnum);

/* The same of a command of a script, whose exit statuses have meanings: "exit status 5 (not installed)". */
char *outcome_describe_script(int code, int status);

/**
 * outcome_is_success() - did the main process end well?
 *
 * Status 0, what SuccessStatus= adds, and for a daemon the signals by which people end daemons (HUP, INT, TERM, PIPE). Of a
 * script it is what the start command left running; SuccessStatus= is about the command.
 */
bool outcome_is_success(const Plan *plan, int code, int status);
/* Did the start or restart command of a script end well? @command: NULL if a new file does not have it any more. */
bool outcome_script_is_success(const Plan *plan, const Command *command, int code, int status);

/* "cannot execute /usr/sbin/x: No such file or directory"; a new string. */
char *outcome_describe_exec(const Plan *plan, const Command *command, const struct ExecStatus *status);

#endif
