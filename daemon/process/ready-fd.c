/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Ready descriptor: peeks at the channel and interprets the bytes.
 */
#include "config.h"

#include "process/ready-fd.h"

#include <string.h>

#include "base/channel.h"
#include "base/fd.h"
#include "loop/loop.h"

struct ReadyFd {
	ReadyFdKind kind;
	int fd; /* -1: no longer read */
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

/*
 * A newline stays in the channel, because the next manager must find it there until PID 1 has
 * forgotten the descriptor.
 */
static void take_newline(ReadyFd *ready, ChannelState state, char *bytes, size_t n)
{
	const bool is_newline = n > 0 && memchr(bytes, '\n', n);

	/*
	 * Attached descriptors make the channel unreadable from here on. It is then handled as if
	 * the service had closed it: the start limit or the exit follows.
	 */
	if (is_newline || state != CHANNEL_BYTES)
		end(ready);
	else
		channel_take(ready->fd, bytes, n);
	if (is_newline)
		ready->listener->newline(ready->data);
}

static void take_exec_status(ReadyFd *ready, ChannelState state, const char *bytes, size_t n)
{
	struct ExecStatus status = { 0 };

	end(ready);
	/* A PID 1 that has not been upgraded yet sends no text. */
	if (n < offsetof(struct ExecStatus, what)) {
		ready->listener->executed(ready->data, state == CHANNEL_END);
		return;
	}
	memcpy(&status, bytes, MIN(n, sizeof status));
	status.what[sizeof status.what - 1] = '\0';
	ready->listener->exec_failed(ready->data, &status);
}

void ready_fd_drain(ReadyFd *ready)
{
	char bytes[256];
	ChannelState state;
	size_t n;

	if (ready->fd < 0)
		return;
	state = channel_peek(ready->fd, bytes, sizeof bytes, &n);
	if (state == CHANNEL_NOTHING)
		return;
	if (ready->kind == READY_FD_NEWLINE)
		take_newline(ready, state, bytes, n);
	else
		take_exec_status(ready, state, bytes, n);
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
	return ready;
}

void ready_fd_arm(ReadyFd *ready)
{
	if (ready->fd >= 0 && !ready->source)
		ready->source =
			fd_source_new(ready->fd, G_IO_IN, LOOP_PRIORITY_READY, on_readable, ready);
}

void ready_fd_free(ReadyFd *ready)
{
	if (!ready)
		return;
	end(ready);
	g_free(ready);
}
