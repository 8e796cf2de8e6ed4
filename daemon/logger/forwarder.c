/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Forwarder: receives a line, formats it as in RFC 3164, and sends it. Each of these steps may
 * block.
 */
#include "config.h"

#include "logger/forwarder.h"

#include <errno.h>
#include <glib.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/fd.h"
#include "logger/child.h"

/* A missing daemon is tried again after 1 s, 2 s, 4 s ... */
#define RETRY_MAX_S 60

static int connect_log(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	auto_fd int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	g_strlcpy(address.sun_path, path, sizeof address.sun_path);
	if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) < 0)
		return -1;
	return fd_steal(&fd);
}

/* Waits if the daemon is slow. */
static bool try_send(int *log_fd, const char *path, const char *text, size_t length)
{
	if (*log_fd < 0)
		*log_fd = connect_log(path);
	if (*log_fd >= 0 && (send(*log_fd, text, length, MSG_NOSIGNAL) >= 0 || errno == EMSGSIZE))
		return true;
	fd_close(log_fd);
	return false;
}

static void deliver(int *log_fd, const char *path, const char *text, size_t length)
{
	if (try_send(log_fd, path, text, length))
		return;
	/* The first retry is immediate: a restarted daemon may already have a new socket. */
	for (unsigned retry_s = 1; !try_send(log_fd, path, text, length);
	     retry_s = MIN(retry_s * 2, RETRY_MAX_S))
		(void)sleep(retry_s);
}

/* "Nov 21 10:31:07", in the machine's time zone. */
static void format_date(char *date, size_t size, time_t seconds)
{
	struct tm local;

	if (!localtime_r(&seconds, &local) || strftime(date, size, "%b %e %H:%M:%S", &local) == 0)
		g_strlcpy(date, "Jan  1 00:00:00", size); /* the year is out of range */
}

static void forward(int *log_fd, const char *path, const char *line)
{
	char text[FORWARDER_LINE_BYTES + 64];
	char date[32];
	long long seconds;
	int priority;
	int rest = 0;
	int length;

	if (sscanf(line, "%lld <%d>%n", &seconds, &priority, &rest) != 2 || rest == 0)
		return; /* svc-logger sends no such line */
	format_date(date, sizeof date, (time_t)seconds);
	length = snprintf(text, sizeof text, "<%d>%s%s", priority, date, line + rest);
	deliver(log_fd, path, text, MIN((size_t)length, sizeof text - 1));
}

static _Noreturn void run(const char *path)
{
	char line[FORWARDER_LINE_BYTES + 1];
	int log_fd = -1;
	ssize_t n;

	while ((n = recv(CHILD_FD, line, sizeof line - 1, 0)) > 0 || (n < 0 && errno == EINTR)) {
		line[MAX(n, 0)] = '\0';
		forward(&log_fd, path, line);
	}
	_exit(0);
}

int forwarder_start(const char *path, pid_t *ret_pid)
{
	const pid_t logger = getpid();
	auto_fd int ours = -1;
	auto_fd int its = -1;
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return -1;
	ours = ends[0];
	its = ends[1];
	*ret_pid = child_fork(its);
	if (*ret_pid < 0)
		return -1;
	if (*ret_pid == 0) {
		(void)prctl(PR_SET_NAME, "svc-syslog");
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != logger)
			_exit(0);
		run(path);
	}
	return fd_steal(&ours);
}
