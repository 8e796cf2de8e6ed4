/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Call error: see call-error.h.
 */
#include "config.h"

#include "svc-systemd1/call-error.h"

#include <stdarg.h>
#include <stdio.h>

bool call_fail(CallError *error, const char *name, const char *format, ...)
{
	va_list args;

	error->name = name;
	va_start(args, format);
	(void)vsnprintf(error->text, sizeof error->text, format, args);
	va_end(args);
	return false;
}
