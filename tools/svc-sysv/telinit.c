/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * telinit(8): requests a runlevel.
 */
#include "config.h"

#include <string.h>
#include <unistd.h>

#include "protocol/initctl-protocol.h"
#include "svc-sysv/init-request.h"
#include "svc-sysv/svc-sysv.h"

int telinit_main(int argc, char **argv)
{
	int option;

	/* -t and -e are ignored: services have their own stop limits and environments. */
	while ((option = getopt(argc, argv, "t:e:")) != -1)
		if (option == '?')
			return sysv_complain(
				2, "usage: telinit [-t SECONDS] [-e VARIABLE] 0|1|2|3|4|5|6|s|q|u");
	if (argc - optind != 1 || strlen(argv[optind]) != 1 ||
	    !strchr(INITCTL_RUNLEVELS, argv[optind][0]))
		return sysv_complain(2, "usage: telinit [-t SECONDS] [-e VARIABLE] 0|1|2|3|4|5|6|s|q|u");
	if (!require_root())
		return 1;
	return request_runlevel(argv[optind][0]);
}
