/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Ready descriptor: a non-blocking read, and what the bytes mean.
 */
#include "config.h"

#include "process/ready-fd.h"

#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/fd.h"
#include "loop/loop.h"

struct ReadyFd {
	ReadyFdKind kind;
	int fd; /* -1: over */
	FdSource *source;
	const ReadyFdListener *listener;
	void *data;
};

static void end(ReadyFd *ready)
{
	fd_source_free(ready->source);
	ready->source = NULL;
	fd_close(&ready->fd);
}

static void take_newline(ReadyFd *ready, const char *bytes, ssize_t n)
{
	if (n <= 0) {
		end(ready); /* closed without a word: the time limit or the exit will tell */
		return;
	}
	if (!memchr(bytes, '\n', (size_t)n))
		return;
	end(ready);
	ready->listener->newline(ready->data);
}

static void take_exec_status(ReadyFd *ready, const char *bytes, ssize_t n)
{
	struct ExecStatus status = { 0 };

	end(ready);
	/* A keeper that has not been upgraded yet says nothing in words. */
	if (n < (ssize_t)offsetof(struct ExecStatus, what)) {
		ready->listener->executed(ready->data);
		return;
	}
	memcpy(&status, bytes, MIN((size_t)n, sizeof status));
	status.what[sizeof status.what - 1] = '\0';
	ready->listener->exec_failed(ready->data, &status);
}

/* What is in the pipe stays there; -1 if that cannot be had. */
static ssize_t peek(int fd, char *bytes, size_t size)
{
	auto_fd int out = -1;
	auto_fd int in = -1;
	int ends[2];
	ssize_t n;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -1;
	out = ends[0];
	in = ends[1];
	n = tee(fd, in, size, SPLICE_F_NONBLOCK);
	return n > 0 ? read(out, bytes, (size_t)n) : n;
}

/* What it says counts once, so it stays for the next manager until the keeper is told to forget the pipe. */
static ssize_t look(const ReadyFd *ready, char *bytes, size_t size)
{
	ssize_t n = -1;
	int waiting = 0;

	if (ioctl(ready->fd, FIONREAD, &waiting) == 0 && waiting > 0)
		n = peek(ready->fd, bytes, size);
	if (n > 0 && (ready->kind == READY_FD_EXEC_STATUS || memchr(bytes, '\n', (size_t)n)))
		return n;
	return read(ready->fd, bytes, size);
}

void ready_fd_drain(ReadyFd *ready)
{
	char bytes[256];
	ssize_t n;

	if (ready->fd < 0)
		return;
	n = look(ready, bytes, sizeof bytes);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (ready->kind == READY_FD_NEWLINE)
		take_newline(ready, bytes, n);
	else
		take_exec_status(ready, bytes, n);
}

static void on_readable(GIOCondition condition, void *data)
{
	(void)condition;
	ready_fd_drain(data);
}

ReadyFd *ready_fd_new(ReadyFdKind kind, int fd, const ReadyFdListener *listener, void *data)
{
	ReadyFd *ready = g_new0(ReadyFd, 1);

	ready->kind = kind;
	ready->fd = fd;
	ready->listener = listener;
	ready->data = data;
	(void)fd_set_nonblocking(fd, true); /* cannot fail on a pipe of ours */
	return ready;
}

void ready_fd_arm(ReadyFd *ready)
{
	if (ready->fd >= 0 && !ready->source)
		ready->source = fd_source_new(ready->fd, G_IO_IN, LOOP_PRIORITY_READY, on_readable, ready);
}

bool ready_fd_is_over(const ReadyFd *ready)
{
	return ready->fd < 0;
}

void ready_fd_free(ReadyFd *ready)
{
	if (!ready)
		return;
	end(ready);
	g_free(ready);
}
