/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Activation error: see activation-error.h.
 */
#include "config.h"

#include "svc-activate/activation-error.h"

#include <stdarg.h>
#include <stdio.h>

void activation_error_set(ActivationError *refusal, const char *name, const char *format, ...)
{
	va_list args;

	(void)snprintf(refusal->name, sizeof refusal->name, "%s", name);
	va_start(args, format);
	(void)vsnprintf(refusal->text, sizeof refusal->text, format, args);
	va_end(args);
}
