/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Outcome: human-readable text for how a process ended, or why it could not be executed.
 */
#ifndef SVCD_PROCESS_OUTCOME_H
#define SVCD_PROCESS_OUTCOME_H

#include <stdbool.h>

#include "process/plan.h"
#include "protocol/protocol.h"

/*
 * "exit status 3", "killed by signal SEGV (core dumped)"; a new string. @errnum: from ERRNO=, 0:
 * not set.
 */
char *outcome_describe(int code, int status, int errnum);

/*
 * Like outcome_describe(), for a command of a script. LSB gives its exit statuses meanings: "exit
 * status 5 (not installed)".
 */
char *outcome_describe_script(int code, int status);

/**
 * outcome_is_success() - did the main process end with success?
 *
 * Success is status 0, the statuses of SuccessStatus=, and for a daemon the usual signals to stop
 * one (HUP, INT, TERM, PIPE). For a script, the main process is the one that the start command left
 * running. SuccessStatus= is then not used, because it is about the command.
 */
bool outcome_is_success(const Plan *plan, int code, int status);
/*
 * Did the start or restart command of a script succeed? @command: NULL if a changed file no longer
 * has it.
 */
bool outcome_script_is_success(const Plan *plan, const Command *command, int code, int status);

/* "cannot execute /usr/sbin/x: No such file or directory"; a new string. */
char *outcome_describe_exec(const Plan *plan, const Command *command,
			    const struct ExecStatus *status);

#endif
