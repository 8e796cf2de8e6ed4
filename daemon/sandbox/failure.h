/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Failure: the key that could not be applied, and the failed operation, for the exec status.
 */
#ifndef SVCD_SANDBOX_FAILURE_H
#define SVCD_SANDBOX_FAILURE_H

#include "protocol/protocol.h"

struct Failure {
	char what[EXEC_STATUS_TEXT];
};

/*
 * Writes "KEY=: cannot ..." unless there is a text already, because the first text is the most
 * specific. Returns: @error.
 */
int failure_set(struct Failure *failure, int error, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
