/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Terminal: open without waiting for a modem's carrier, take, duplicate.
 */
#include "config.h"

#include "exec/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static int attach(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	if (!isatty(fd))
		return ENOTTY;
	if (flags < 0 || fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) < 0)
		return errno;
	/* 1: take it even if a session of before still has it, as a getty has to after a logout (ioctl_tty(2)). */
	if (ioctl(fd, TIOCSCTTY, 1) < 0)
		return errno;
	for (int target = 0; target <= 2; target++) {
		if (dup2(fd, target) < 0)
			return errno;
	}
	return 0;
}

int terminal_take(const char *path)
{
	int fd = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	int error;

	if (fd < 0)
		return errno;
	error = attach(fd);
	(void)close(fd); /* 0 to 2 keep it open */
	return error;
}

const char *terminal_type(const char *path)
{
	const char *name = strncmp(path, "/dev/", 5) == 0 ? path + 5 : path;

	if (strcmp(name, "console") == 0)
		return "linux";
	return strncmp(name, "tty", 3) == 0 && name[3] >= '0' && name[3] <= '9' ? "linux" : "vt220";
}
