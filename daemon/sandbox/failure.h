/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Failure: which key could not be carried out, and what was tried, for the exec status.
 */
#ifndef SVCD_SANDBOX_FAILURE_H
#define SVCD_SANDBOX_FAILURE_H

#include "protocol/protocol.h"

struct Failure {
	char what[EXEC_STATUS_TEXT];
};

/* Writes "KEY=: cannot ..." unless something was written before: the first words are the nearest. Returns: @error. */
int failure_set(struct Failure *failure, int error, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
