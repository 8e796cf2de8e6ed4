/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Failure: a sentence of limited length for the exec status.
 */
#include "config.h"

#include "sandbox/failure.h"

#include <stdarg.h>
#include <stdio.h>

int failure_set(struct Failure *failure, int error, const char *format, ...)
{
	va_list args;

	if (failure->what[0])
		return error;
	va_start(args, format);
	/* cut off if it is too long */
	(void)vsnprintf(failure->what, sizeof(failure->what), format, args);
	va_end(args);
	return error;
}
