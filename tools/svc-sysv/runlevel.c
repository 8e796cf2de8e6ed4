/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * runlevel(8): "N 2", the previous runlevel and the present one.
 *
 * It reads the record in utmp, or else the letter that svc-utmp writes to /run/runlevel, as
 * sysvinit does.
 */
#include "config.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <utmpx.h>

#include "svc-sysv/svc-sysv.h"

#define RUNLEVEL_FILE "/run/runlevel"

static int print(int previous, int current)
{
	return printf("%c %c\n", previous ? previous : 'N', current) < 0 ? 1 : 0;
}

static int from_file(void)
{
	FILE *file = fopen(RUNLEVEL_FILE, "re");
	int letter = file ? fgetc(file) : EOF;

	if (file)
		(void)fclose(file); /* it was read only */
	if (letter == EOF || !isgraph(letter)) {
		puts("unknown");
		return 1;
	}
	return print(0, letter);
}

int runlevel_main(int argc, char **argv)
{
	const struct utmpx wanted = { .ut_type = RUN_LVL };
	const struct utmpx *found;

	if (argc > 1 && argv[1][0] == '-')
		return sysv_complain(2, "usage: runlevel [UTMP-FILE]");
	if (argc > 1 && utmpxname(argv[1]) != 0)
		return sysv_complain(1, "cannot read %s", argv[1]);
	setutxent();
	found = getutxid(&wanted);
	/* ut_pid: 256 times the previous runlevel plus the present one (utmp(5) of sysvinit). */
	if (found)
		return print((found->ut_pid / 256) & 0x7f, (found->ut_pid % 256) & 0x7f);
	return from_file();
}
