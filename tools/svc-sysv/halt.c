/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * halt(8), poweroff(8), reboot(8): request a halt, a power-off or a reboot and return at once, as
 * elogind and desktops expect. With -f no service is stopped.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/reboot.h>
#include <unistd.h>

#include "svc-sysv/init-request.h"
#include "svc-sysv/svc-sysv.h"

#define RECORDER SVCD_LIBDIR "/svc-utmp"

struct HaltOptions {
	enum End end;
	bool without_sync;
	bool without_record;
	bool record_only;
	bool at_once;
};

static int record_shutdown(void)
{
	static const char *const command[] = { RECORDER, "shutdown", NULL };

	return run_and_wait(command);
}

static int end_at_once(const struct HaltOptions *o)
{
	static const int ends[] = {
		[END_HALT] = RB_HALT_SYSTEM,
		[END_POWEROFF] = RB_POWER_OFF,
		[END_REBOOT] = RB_AUTOBOOT,
	};

	if (!o->without_record)
		/* it has printed its error; the halt goes on without the record */
		(void)record_shutdown();
	if (!o->without_sync)
		sync();
	(void)reboot(ends[o->end]); /* returns only on failure */
	return sysv_complain(1, "the kernel refused: %s", strerror(errno));
}

static bool read_options(int argc, char **argv, struct HaltOptions *o)
{
	int option;

	/*
	 * -i and -h (interfaces and disks down first) are always done by the keeper and the kernel.
	 */
	while ((option = getopt(argc, argv, "nwdfihp")) != -1) {
		switch (option) {
		case 'n':
			o->without_sync = true;
			break;
		case 'w':
			o->record_only = true;
			break;
		case 'd':
			o->without_record = true;
			break;
		case 'f':
			o->at_once = true;
			break;
		case 'p':
			if (o->end == END_HALT)
				o->end = END_POWEROFF;
			break;
		case 'i':
		case 'h':
			break;
		default:
			return false;
		}
	}
	return optind == argc;
}

int halt_main(int argc, char **argv)
{
	const char *name = program_invocation_short_name;
	struct HaltOptions options = { .end = strcmp(name, "reboot") == 0   ? END_REBOOT :
					      strcmp(name, "poweroff") == 0 ? END_POWEROFF :
									      END_HALT };

	if (!read_options(argc, argv, &options))
		return sysv_complain(2, "usage: %s [-n] [-w] [-d] [-f] [-i] [-h] [-p]", name);
	if (!require_root())
		return 1;
	if (options.record_only)
		return options.without_record ? 0 : record_shutdown();
	return options.at_once ? end_at_once(&options) : request_end(options.end);
}
