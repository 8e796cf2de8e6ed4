/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Errors: failed system and bus calls. The text of the GError names the operation, its object and
 * the cause.
 */
#ifndef SVCD_BASE_ERRORS_H
#define SVCD_BASE_ERRORS_H

#include <glib.h>
#include <stdbool.h>

#include "base/enum-names.h"

/* Each name is also the name of a D-Bus error, org.svcd1.Error.NAME. */
/* clang-format off */
#define ERROR_CODES(X, P)                                                                          \
	X(P, FAILED, "Failed")                                                                     \
	X(P, SYSTEM, "System")                                                                     \
	X(P, NO_SUCH_SERVICE, "NoSuchService")                                                     \
	X(P, INVALID_ARGUMENT, "InvalidArgument")                                                  \
	X(P, INVALID_CONFIGURATION, "InvalidConfiguration")                                        \
	X(P, POLICY_DENIED, "PolicyDenied")                                                        \
	X(P, NOT_AUTHORIZED, "NotAuthorized")                                                      \
	X(P, BUSY, "Busy")                                                                         \
	X(P, TIMEOUT, "Timeout")                                                                   \
	X(P, SHUTTING_DOWN, "ShuttingDown")                                                        \
	X(P, NOT_SUPPORTED, "NotSupported")                                                        \
	X(P, LIMIT_REACHED, "LimitReached")                                                        \
	X(P, CHECK_FAILED, "CheckFailed")                                                          \
	X(P, EXHAUSTED, "Exhausted")
/* clang-format on */
ENUM_WITH_NAMES(ErrorCode, SVCD_ERROR, error_code, ERROR_CODES)

GQuark svcd_error_quark(void);
#define SVCD_ERROR_DOMAIN svcd_error_quark()

/* The unit test library has an obsolete macro of this name. */
#undef fail

/**
 * fail() - set @error
 * Returns: always false, so that a function can end with "return fail(...)".
 */
bool fail(GError **error, ErrorCode code, const char *format, ...) G_GNUC_PRINTF(3, 4);

/**
 * fail_errno() - like fail(), with ": " and the text of @errnum appended
 *
 * The code is EXHAUSTED if errnum_is_passing(), otherwise SYSTEM.
 */
bool fail_errno(GError **error, int errnum, const char *format, ...) G_GNUC_PRINTF(3, 4);

/* Is the error temporary, such as a lack of memory, or a program file that is being written? */
bool errnum_is_passing(int errnum);

#endif
