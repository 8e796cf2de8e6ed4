/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Exit codes: for scripts. The same table is in svcctl(1); 0, 3 and 4 mean the same as for LSB's
 * "status".
 */
#ifndef SVCD_SVCCTL_EXIT_CODE_H
#define SVCD_SVCCTL_EXIT_CODE_H

#include <glib.h>
#include <stdbool.h>

typedef enum ExitCode {
	EXIT_CODE_DONE = 0,
	EXIT_CODE_FAILED = 1,
	EXIT_CODE_USAGE = 2,
	EXIT_CODE_NO = 3, /* not running; the answer is no */
	EXIT_CODE_NOT_FOUND = 4, /* no such service, or a file cannot be read or written */
	EXIT_CODE_NO_EFFECT = 5,
	EXIT_CODE_TIMED_OUT = 6, /* and the request goes on */
	EXIT_CODE_NOT_ALLOWED = 7,
	EXIT_CODE_REFUSED = 8, /* service needed, policy never, or the machine shuts down */
	EXIT_CODE_UNREACHABLE = 9,
	EXIT_CODE_BAD_CONFIGURATION = 10,
} ExitCode;

/* Errors of svcctl itself; the manager's errors are in base/errors.h. */
/* clang-format off */
#define CTL_ERRORS(X, P)                                                                           \
	X(P, USAGE, "Usage")                                                                       \
	X(P, ELSEWHERE, "Elsewhere") /* a verb of another program; the answer is the command */    \
	X(P, FAILED, "Failed")                                                                     \
	X(P, START_FAILED, "StartFailed")                                                          \
	X(P, STOP_FAILED, "StopFailed")                                                            \
	X(P, FILE, "File")                                                                         \
	X(P, TIMED_OUT, "TimedOut")                                                                \
	X(P, UNREACHABLE, "Unreachable")                                                           \
	X(P, OUTCOME_UNKNOWN, "OutcomeUnknown")                                                    \
	X(P, NOT_UP, "NotRunning")                                                                 \
	X(P, NOT_TRUE, "NotTrue")                                                                 \
	X(P, BAD_CONFIGURATION, "InvalidConfiguration")
/* clang-format on */

#include "base/enum-names.h"
ENUM_WITH_NAMES(CtlError, CTL_ERROR, ctl_error, CTL_ERRORS)

/* As fail() of base/errors.h, with a CtlError. Returns: false. */
bool fail_ctl(GError **error, CtlError code, const char *format, ...) G_GNUC_PRINTF(3, 4);

/* Is @error an error of svcctl with this code? */
bool error_is_ctl(const GError *error, CtlError code);

/* The exit code for @error; DONE for NULL. */
ExitCode exit_code_of(const GError *error);

/* "NoSuchService": the name in --json. */
const char *error_code_text(const GError *error);

#endif
