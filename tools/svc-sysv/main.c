/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * svc-sysv: telinit, runlevel, shutdown, halt, poweroff, reboot. It needs libc only; requests to
 * svcd go through svcctl.
 *
 * If svcd is not PID 1, for example just after its installation, the same commands ask the running
 * init through /run/initctl.
 */
#include "config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "svc-sysv/svc-sysv.h"

static const struct {
	const char *name;
	int (*main)(int argc, char **argv);
	/* clang-format off */
} programs[] = {
	{ "telinit", telinit_main },   { "init", telinit_main },  { "runlevel", runlevel_main },
	{ "shutdown", shutdown_main }, { "halt", halt_main },     { "poweroff", halt_main },
	{ "reboot", halt_main },
};
/* clang-format on */

int sysv_complain(int status, const char *format, ...)
{
	va_list args;

	fprintf(stderr, "%s: ", program_invocation_short_name);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	return status;
}

bool require_root(void)
{
	if (geteuid() == 0)
		return true;
	(void)sysv_complain(
		1, "only root may run this command; other users can use svcctl, which asks polkit");
	return false;
}

int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++)
		if (strcmp(program_invocation_short_name, programs[i].name) == 0)
			return programs[i].main(argc, argv);
	return sysv_complain(2,
			"call this program by one of its names: telinit, runlevel, shutdown, halt, "
			"poweroff, reboot");
}
