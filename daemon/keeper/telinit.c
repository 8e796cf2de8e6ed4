/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Telinit: see telinit.h. The record: protocol/initctl-protocol.h.
 */
#include "config.h"

#include "keeper/telinit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "protocol/initctl-protocol.h"

int telinit_main(int argc, char **argv)
{
	struct InitctlRequest request = { .magic = INITCTL_MAGIC, .command = INITCTL_RUNLEVEL };
	int fd;

	if (argc != 2 || strlen(argv[1]) != 1 || !strchr(INITCTL_RUNLEVELS, argv[1][0])) {
		(void)fprintf(stderr, "usage: init 0|1|2|3|4|5|6|S|s|Q|q|U|u\n");
		return 2;
	}
	request.runlevel = argv[1][0];
	fd = open(INITCTL_PATH, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY); /* ENXIO if nobody reads it */
	if (fd < 0 || write(fd, &request, sizeof(request)) != (ssize_t)sizeof(request)) {
		(void)fprintf(stderr, "init: cannot ask through %s: %s\n", INITCTL_PATH,
			      errno == ENXIO ? "nobody listens there" : strerror(errno));
		return 1;
	}
	(void)close(fd); /* the record was taken whole */
	return 0;
}
