/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Console: a socket, and a child that writes its lines to a terminal.
 *
 * A terminal can make root wait for ever, even if it is opened with O_NONBLOCK, because a user who
 * has logged in there can hold the lock of its line discipline. So PID 1 touches no terminal. On a
 * machine the terminal is /dev/console. In a container and in user mode the terminal is our
 * standard error, because /dev/console may belong to the host.
 *
 * PID 1 has both ends of the socket. So lines wait in the socket while there is no writer, and
 * SIGPIPE is impossible.
 */
#include "config.h"

#include "keeper/console.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "keeper/keeper.h"
#include "keeper/spawn.h"

#define LINE_BYTES 512
#define READ_BYTES 65536 /* the manager sends many lines at a time */
#define END_LIMIT_MS 1000

static int pair[2] = { -1, -1 }; /* our end, which the manager shares; the writer's end */
static int kernel_log_fd = -1;
static pid_t writer_pid; /* 0: none */
static pid_t owner; /* the parent of the writer; 0: console_open() has not been called yet */
static unsigned int n_lost;

/* --- the writer --- */

/*
 * O_NONBLOCK is only for the open, which could wait for a modem. If fcntl(2) fails, write_all()
 * waits in poll(2).
 */
static int open_console(void)
{
	int fd = open("/dev/console", O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0)
		(void)fcntl(fd, F_SETFL, O_WRONLY);
	return fd;
}

/* Returns: false after a hang-up. */
static bool write_all(int fd, const char *bytes, size_t size)
{
	struct pollfd ready = { .fd = fd, .events = POLLOUT };

	while (size > 0) {
		ssize_t n = write(fd, bytes, size);

		if (n < 0 && errno != EAGAIN)
			return errno != EIO;
		if (n < 0)
			/* another process has made our standard error non-blocking */
			(void)poll(&ready, 1, -1);
		bytes += n > 0 ? n : 0;
		size -= n > 0 ? (size_t)n : 0;
	}
	return true;
}

static void show(const char *bytes, size_t size)
{
	static int fd = -1;

	if (keeper.user_mode || keeper.container) {
		/* after a hang-up the line is lost */
		(void)write_all(STDERR_FILENO, bytes, size);
		return;
	}
	if (fd < 0)
		fd = open_console();
	if (fd < 0 || write_all(fd, bytes, size))
		return;
	(void)close(fd); /* a getty has called vhangup(2) */
	fd = open_console();
	(void)write_all(fd, bytes, size);
}

/*
 * All signals are blocked, as in PID 1, so that the last lines of a machine are shown. An empty
 * message ends the writer, and so does the last close of the other end.
 */
static void __attribute__((noreturn)) run_writer(void)
{
	static char bytes[READ_BYTES];
	ssize_t n;

	(void)prctl(PR_SET_NAME, "svcd-console");
	keeper_close_others(STDERR_FILENO + 1, &pair[1], 1);
	(void)setsid(); /* when a terminal closes, the kernel ends the processes of its session */
	while ((n = recv(pair[1], bytes, sizeof(bytes), 0)) > 0)
		show(bytes, (size_t)n);
	_exit(0);
}

/* --- PID 1 --- */

/* Returns: whether the pair exists. Its numbers are above 2. */
static bool make_pair(void)
{
	int made[2];

	if (pair[0] >= 0)
		return true;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, made) < 0)
		return false;
	pair[0] = fcntl(made[0], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	pair[1] = fcntl(made[1], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	(void)close(made[0]); /* the sockets hold no data, so close(2) cannot wait */
	(void)close(made[1]);
	/* O_NONBLOCK, because the manager uses write(2) */
	(void)fcntl(pair[0], F_SETFL, O_RDWR | O_NONBLOCK);
	if (pair[0] >= 0 && pair[1] < 0) {
		(void)close(pair[0]); /* unused */
		pair[0] = -1;
	}
	return pair[0] >= 0;
}

void console_open(void)
{
	pid_t pid;

	if (!owner)
		owner = getpid();
	if (writer_pid > 0 || owner != getpid() || !make_pair())
		return;
	pid = spawn_fork();
	if (pid == 0)
		run_writer();
	writer_pid = pid > 0 ? pid : 0; /* if the fork is refused, the next line tries again */
}

int console_fd(void)
{
	return pair[0];
}

pid_t console_writer(void)
{
	return writer_pid;
}

void console_on_exit(pid_t pid)
{
	if (pid <= 0 || pid != writer_pid)
		return;
	writer_pid = 0;
	console_open();
}

/* A writer that hangs is left behind. No second writer is started before it has ended. */
void console_end(void)
{
	int wait_status;

	if (writer_pid > 0 && send(pair[0], "", 0, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0 &&
	    keeper_wait_for_child(writer_pid, END_LIMIT_MS, &wait_status))
		writer_pid = 0;
}

void console_close_others(void)
{
	const int kept[] = { pair[0], pair[1], kernel_log_fd };

	keeper_close_others(STDERR_FILENO + 1, kept, N_ELEMENTS(kept));
}

/*
 * For dmesg and the system log. Level 7 keeps the line off the console. No process can make this
 * write wait, because the kernel copies the line before it takes a lock of the log. The file is
 * opened before there are services.
 */
static void write_kernel_log(const char *line, size_t length)
{
	char record[LINE_BYTES + 4] = "<7>";

	if (!keeper.is_pid1 || keeper.container)
		return;
	if (kernel_log_fd < 0)
		kernel_log_fd = open("/dev/kmsg", O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	memcpy(record + 3, line, length);
	(void)!write(kernel_log_fd, record, length + 3); /* there is no other place for it */
}

static bool send_line(const char *line, size_t length)
{
	return make_pair() && send(pair[0], line, length, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0;
}

void console_log(const char *format, ...)
{
	char line[LINE_BYTES] = "svcd: ";
	char lost[LINE_BYTES];
	size_t length;
	va_list args;

	va_start(args, format);
	(void)vsnprintf(line + 6, sizeof(line) - 8, format, args);
	va_end(args);
	/*
	 * Users can choose the names of processes. Bytes beyond ASCII include controls (ECMA-48,
	 * C1).
	 */
	for (char *c = line; *c; c++)
		if ((unsigned char)*c < ' ' || (unsigned char)*c >= 0x7f)
			*c = '?';
	length = strlen(line);
	write_kernel_log(line, length);
	line[length++] = '\r'; /* a getty or an editor may have left the terminal raw */
	line[length++] = '\n';
	if (n_lost > 0 &&
	    send_line(lost,
		      (size_t)snprintf(
			      lost, sizeof(lost),
			      "svcd: %u lines are missing here, because the console did not take "
			      "them\r\n",
			      n_lost)))
		n_lost = 0;
	if (n_lost > 0 || !send_line(line, length))
		n_lost++;
	if (owner)
		console_open();
}
