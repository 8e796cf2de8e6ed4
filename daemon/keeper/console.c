/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Console: lines for whoever stands in front of the machine.
 *
 * On a machine that is /dev/console; in a container and in user mode whatever our standard error is, since /dev/console
 * may belong to the machine outside. A console can stop reading (a serial line with flow control), so nothing is
 * written that could wait. That poll(2) says a terminal or a pipe is writable does not promise that: there may be room for less
 * than a line, and others write there. So it is opened a second time, for whether to wait belongs to what was opened, and standard
 * error is others' as well.
 */
#include "config.h"

#include "keeper/console.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "keeper/keeper.h"

/* Below PIPE_BUF, so that a writable pipe takes a line whole. */
#define LINE_BYTES 512

static int opened_fd = -1;

/* Not files, in which a second one would write from the beginning, and not sockets, which cannot be opened. */
static bool may_make_wait(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && (S_ISCHR(st.st_mode) || S_ISFIFO(st.st_mode));
}

void console_open(void)
{
	const bool is_ours = !keeper.user_mode && !keeper.container;

	if (opened_fd >= 0)
		(void)close(opened_fd);
	opened_fd = -1;
	if (is_ours)
		opened_fd = open("/dev/console", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	else if (may_make_wait(STDERR_FILENO))
		opened_fd = open("/proc/self/fd/2", O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
}

int console_fd(void)
{
	return opened_fd >= 0 ? opened_fd : STDERR_FILENO;
}

static bool write_line(int fd, const char *line, size_t length)
{
	struct pollfd ready = { .fd = fd, .events = POLLOUT };

	if (poll(&ready, 1, 0) != 1 || !(ready.revents & POLLOUT))
		return !(ready.revents & (POLLHUP | POLLERR));
	if (fd == STDERR_FILENO && (send(fd, line, length, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0 || errno != ENOTSOCK))
		return true; /* or a socket that is full */
	return write(fd, line, length) >= 0 || errno != EIO;
}

/* So that dmesg and the system log have it too; level 7 keeps it from appearing on the console twice. */
static void write_kernel_log(const char *line, size_t length)
{
	char record[LINE_BYTES + 4];
	int fd;

	if (!keeper.is_pid1 || keeper.container)
		return;
	fd = open("/dev/kmsg", O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return;
	memcpy(record, "<7>", 3);
	memcpy(record + 3, line, length);
	(void)!write(fd, record, length + 3); /* nobody left to tell */
	(void)close(fd);
}

/* Names of processes and mount points are anybody's, and beyond ASCII there are control characters, too (ECMA-48, C1). */
static void replace_unprintable(char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || (unsigned char)*text >= 0x7f)
			*text = '?';
}

void say(const char *format, ...)
{
	char line[LINE_BYTES] = "svcd: ";
	size_t length;
	va_list args;

	va_start(args, format);
	(void)vsnprintf(line + 6, sizeof(line) - 8, format, args);
	va_end(args);
	replace_unprintable(line);
	length = strlen(line);
	line[length++] = '\r'; /* a getty or editor may have left the terminal raw */
	line[length++] = '\n';

	write_kernel_log(line, length - 2);
	if (!write_line(console_fd(), line, length)) {
		console_open(); /* hung up: a getty's vhangup(2) does that */
		(void)write_line(console_fd(), line, length);
	}
}
