/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Exit codes: from an error to the number, by table.
 */
#include "config.h"

#include "svcctl/exit-code.h"

#include <stdarg.h>

#include "base/errors.h"

static G_DEFINE_QUARK(svcctl - error, ctl_error)

	bool fail_ctl(GError **error, CtlError code, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (error)
		*error = g_error_new_valist(ctl_error_quark(), (int)code, format, args);
	va_end(args);
	return false;
}

bool error_is_ctl(const GError *error, CtlError code)
{
	return g_error_matches(error, ctl_error_quark(), (int)code);
}

static const ExitCode of_manager[] = {
	[SVCD_ERROR_FAILED] = EXIT_CODE_FAILED,
	[SVCD_ERROR_SYSTEM] = EXIT_CODE_FAILED,
	[SVCD_ERROR_NO_SUCH_SERVICE] = EXIT_CODE_NOT_FOUND,
	[SVCD_ERROR_INVALID_ARGUMENT] = EXIT_CODE_USAGE,
	[SVCD_ERROR_INVALID_CONFIGURATION] = EXIT_CODE_BAD_CONFIGURATION,
	[SVCD_ERROR_POLICY_DENIED] = EXIT_CODE_REFUSED,
	[SVCD_ERROR_NOT_AUTHORIZED] = EXIT_CODE_NOT_ALLOWED,
	[SVCD_ERROR_BUSY] = EXIT_CODE_REFUSED,
	[SVCD_ERROR_TIMEOUT] = EXIT_CODE_TIMED_OUT,
	[SVCD_ERROR_SHUTTING_DOWN] = EXIT_CODE_REFUSED,
	[SVCD_ERROR_NOT_SUPPORTED] = EXIT_CODE_NO_EFFECT,
	[SVCD_ERROR_LIMIT_REACHED] = EXIT_CODE_FAILED,
	[SVCD_ERROR_CHECK_FAILED] = EXIT_CODE_REFUSED,
	[SVCD_ERROR_EXHAUSTED] = EXIT_CODE_FAILED,
};
G_STATIC_ASSERT(G_N_ELEMENTS(of_manager) == SVCD_ERROR_COUNT);

static const ExitCode of_ctl[] = {
	[CTL_ERROR_USAGE] = EXIT_CODE_USAGE,
	[CTL_ERROR_ELSEWHERE] = EXIT_CODE_USAGE,
	[CTL_ERROR_FAILED] = EXIT_CODE_FAILED,
	[CTL_ERROR_START_FAILED] = EXIT_CODE_FAILED,
	[CTL_ERROR_STOP_FAILED] = EXIT_CODE_FAILED,
	[CTL_ERROR_FILE] = EXIT_CODE_NOT_FOUND,
	[CTL_ERROR_TIMED_OUT] = EXIT_CODE_TIMED_OUT,
	[CTL_ERROR_UNREACHABLE] = EXIT_CODE_UNREACHABLE,
	[CTL_ERROR_OUTCOME_UNKNOWN] = EXIT_CODE_UNREACHABLE,
	[CTL_ERROR_NOT_UP] = EXIT_CODE_NO,
	[CTL_ERROR_NOT_TRUE] = EXIT_CODE_NO,
	[CTL_ERROR_BAD_CONFIGURATION] = EXIT_CODE_BAD_CONFIGURATION,
};
G_STATIC_ASSERT(G_N_ELEMENTS(of_ctl) == CTL_ERROR_COUNT);

ExitCode exit_code_of(const GError *error)
{
	if (!error)
		return EXIT_CODE_DONE;
	if (error->domain == SVCD_ERROR_DOMAIN)
		return of_manager[error->code];
	if (error->domain == ctl_error_quark())
		return of_ctl[error->code];
	if (error->domain == G_FILE_ERROR)
		return EXIT_CODE_NOT_FOUND;
	return EXIT_CODE_FAILED;
}

const char *error_code_text(const GError *error)
{
	if (error->domain == SVCD_ERROR_DOMAIN)
		return error_code_name((ErrorCode)error->code);
	if (error->domain == ctl_error_quark())
		return ctl_error_name((CtlError)error->code);
	if (error->domain == G_FILE_ERROR)
		return ctl_error_name(CTL_ERROR_FILE);
	return "Failed";
}
