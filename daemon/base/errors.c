/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Errors: composes the text of a GError.
 */
#include "config.h"

#include "base/errors.h"

#include <errno.h>
#include <stdarg.h>

G_DEFINE_QUARK(svcd - error, svcd_error)

bool fail(GError **error, ErrorCode code, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (error)
		*error = g_error_new_valist(SVCD_ERROR_DOMAIN, (int)code, format, args);
	va_end(args);
	return false;
}

bool errnum_is_passing(int errnum)
{
	return errnum == EAGAIN || errnum == ENOMEM || errnum == EMFILE || errnum == ENFILE ||
	       errnum == ETXTBSY;
}

bool fail_errno(GError **error, int errnum, const char *format, ...)
{
	va_list args;
	g_autofree char *what = NULL;

	va_start(args, format);
	what = g_strdup_vprintf(format, args);
	va_end(args);
	return fail(error, errnum_is_passing(errnum) ? SVCD_ERROR_EXHAUSTED : SVCD_ERROR_SYSTEM,
		    "%s: %s", what, g_strerror(errnum));
}
