/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Terminal: opens a terminal without waiting for a modem's carrier, takes it, resets its mode, and
 * duplicates its descriptor.
 */
#include "config.h"

#include "exec/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "paths/safe-path.h"

/*
 * The previous program may have left the terminal raw or without echo, for example because it was
 * killed. A user could then not answer a question. Speed and size are kept. A setting that the
 * terminal refuses is left as it is.
 */
static void set_right(int fd)
{
	struct termios t;

	if (tcgetattr(fd, &t) < 0)
		return;
	t.c_iflag &= ~(tcflag_t)(IGNBRK | PARMRK | INLCR | IGNCR | IXOFF);
	t.c_iflag |= BRKINT | ICRNL | IMAXBEL | IXON;
	t.c_oflag |= OPOST | ONLCR;
	t.c_cflag |= CREAD;
	t.c_lflag &= ~(tcflag_t)(ECHONL | NOFLSH | TOSTOP | EXTPROC);
	t.c_lflag |= ISIG | ICANON | IEXTEN | ECHO | ECHOE | ECHOK | ECHOCTL | ECHOKE;
	t.c_cc[VINTR] = 'C' & 037;
	t.c_cc[VQUIT] = '\\' & 037;
	t.c_cc[VSUSP] = 'Z' & 037;
	t.c_cc[VEOF] = 'D' & 037;
	t.c_cc[VKILL] = 'U' & 037;
	t.c_cc[VERASE] = 0177;
	t.c_cc[VMIN] = 1;
	t.c_cc[VTIME] = 0;
	/* does not wait for pending output, because a stopped line would block it */
	(void)tcsetattr(fd, TCSANOW, &t);
}

static int attach(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	if (!isatty(fd))
		return ENOTTY;
	if (flags < 0 || fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) < 0)
		return errno;
	/*
	 * 1: take the terminal even from an earlier session, as a getty must after a logout
	 * (ioctl_tty(2)).
	 */
	if (ioctl(fd, TIOCSCTTY, 1) < 0)
		return errno;
	set_right(fd);
	for (int target = 0; target <= 2; target++) {
		if (dup2(fd, target) < 0)
			return errno;
	}
	return 0;
}

int terminal_take(const char *path)
{
	int fd = safe_open(path, O_RDWR | O_NOCTTY | O_NONBLOCK, 0);
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
