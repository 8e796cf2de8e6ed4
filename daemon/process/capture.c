/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Capture: one read per turn of the main loop. Only the beginning of a long line is kept, because
 * the rest is never shown.
 */
#include "config.h"

#include "process/capture.h"

#include <string.h>
#include <sys/socket.h>

#include "base/channel.h"
#include "base/fd.h"
#include "base/text.h"
#include "loop/loop.h"

/* Bytes of one line: CAPTURE_CHARACTERS characters of UTF-8, each of at most 4 bytes. */
#define LINE_BYTES (CAPTURE_CHARACTERS * 4)

/*
 * The maximum number of reads from a dead command's channel: enough to empty it. The limit is
 * needed because a process that the command left behind may go on writing.
 */
#define DRAIN_READS 64

struct Capture {
	KeeperLink *link;
	LogRouter *logs;
	char *service;
	int fd; /* -1: the end was reached */
	int log_fd; /* our writer's end of a log channel; opened with the first byte */
	FdSource *source;
	GString *line;
	char *last; /* the last complete line that is not blank */
};

static void end_line(Capture *capture)
{
	g_autofree char *valid = g_utf8_make_valid(capture->line->str, (gssize)capture->line->len);

	g_string_truncate(capture->line, 0);
	for (char *p = valid; *p; p++) {
		if (g_ascii_iscntrl(*p))
			*p = ' ';
	}
	g_strstrip(valid);
	if (!*valid)
		return;
	g_free(capture->last);
	capture->last =
		g_utf8_substring(valid, 0, MIN(g_utf8_strlen(valid, -1), CAPTURE_CHARACTERS));
}

/*
 * The log channel is opened with the first output, because most commands write nothing. Lines are
 * lost while the log is full.
 */
static void pass_on(Capture *capture, const char *bytes, size_t n)
{
	if (capture->log_fd < 0 && capture->logs)
		capture->log_fd = log_router_open(capture->logs, capture->service, NULL);
	if (capture->log_fd >= 0)
		(void)send(capture->log_fd, bytes, n, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static void take(Capture *capture, const char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (bytes[i] == '\n')
			end_line(capture);
		else if (capture->line->len < LINE_BYTES)
			g_string_append_c(capture->line, bytes[i]);
	}
	if (n > 0)
		pass_on(capture, bytes, n);
}

/*
 * @state: the result of the last peek. At CHANNEL_END the channel is empty, so closing it does not
 * wait.
 */
static void stop_reading(Capture *capture, ChannelState state)
{
	fd_source_free(capture->source);
	capture->source = NULL;
	if (state == CHANNEL_END)
		fd_close(&capture->fd);
	else if (capture->fd >= 0)
		keeper_link_dispose(capture->link, fd_steal(&capture->fd));
}

/* Returns: true if more bytes may be available. */
static bool read_once(Capture *capture)
{
	char bytes[4096];
	ChannelState state;
	size_t n;

	if (capture->fd < 0)
		return false;
	state = channel_peek(capture->fd, bytes, sizeof bytes, &n);
	take(capture, bytes, n);
	if (state == CHANNEL_BYTES)
		channel_take(capture->fd, bytes, n);
	else if (state != CHANNEL_NOTHING)
		stop_reading(capture, state);
	return state == CHANNEL_BYTES;
}

static void on_readable(GIOCondition condition, void *data)
{
	(void)condition;
	(void)read_once(data);
}

Capture *capture_new(KeeperLink *link, LogRouter *logs, const char *service, int fd)
{
	Capture *capture = g_new0(Capture, 1);

	capture->link = link;
	capture->logs = logs;
	capture->service = g_strdup(service);
	capture->fd = fd;
	capture->log_fd = -1;
	capture->line = g_string_new(NULL);
	capture->source = fd_source_new(fd, G_IO_IN, LOOP_PRIORITY_READY, on_readable, capture);
	return capture;
}

void capture_drain(Capture *capture)
{
	for (int i = 0; i < DRAIN_READS && read_once(capture); i++)
		;
}

const char *capture_last_line(Capture *capture)
{
	end_line(capture); /* the last line may have no newline */
	return capture->last ? capture->last : "";
}

void capture_free(Capture *capture)
{
	if (!capture)
		return;
	stop_reading(capture, CHANNEL_NOTHING);
	fd_close(&capture->log_fd);
	g_free(capture->service);
	g_string_free(capture->line, TRUE);
	g_free(capture->last);
	g_free(capture);
}
