/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Capture: a non-blocking read a turn. Of a line only its beginning is kept: what is longer than it may be is no reason.
 */
#include "config.h"

#include "process/capture.h"

#include <glib.h>
#include <string.h>

#include "base/fd.h"
#include "base/text.h"
#include "loop/loop.h"

/* Bytes of one line: CAPTURE_CHARACTERS of UTF-8's longest. */
#define LINE_BYTES (CAPTURE_CHARACTERS * 4)

/* Reads of a dead command's pipe: twice what a pipe holds (pipe(7)). Who still has it open may go on writing. */
#define DRAIN_READS 32

struct Capture {
	int fd;
	int log_fd;
	FdSource *source;
	GString *line; /* the one that is being read */
	char *last;    /* the last whole one with anything in it */
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
	capture->last = g_utf8_substring(valid, 0, MIN(g_utf8_strlen(valid, -1), CAPTURE_CHARACTERS));
}

static void take(Capture *capture, const char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (bytes[i] == '\n')
			end_line(capture);
		else if (capture->line->len < LINE_BYTES)
			g_string_append_c(capture->line, bytes[i]);
	}
	/* A log that is full for the moment costs its own lines, not our time. */
	if (capture->log_fd >= 0 && write(capture->log_fd, bytes, n) < 0 && errno != EAGAIN)
		fd_close(&capture->log_fd);
}

static void stop_reading(Capture *capture)
{
	fd_source_free(capture->source);
	capture->source = NULL;
	fd_close(&capture->fd);
}

/* Returns: whether there may be more. */
static bool read_once(Capture *capture)
{
	char bytes[4096];
	const ssize_t n = capture->fd < 0 ? 0 : read(capture->fd, bytes, sizeof bytes);

	if (n < 0)
		return errno == EINTR;
	if (n == 0)
		stop_reading(capture);
	else
		take(capture, bytes, (size_t)n);
	return n > 0;
}

static void on_readable(GIOCondition condition, void *data)
{
	(void)condition;
	(void)read_once(data);
}

Capture *capture_new(int fd, int log_fd)
{
	Capture *capture = g_new0(Capture, 1);

	capture->fd = fd;
	capture->log_fd = log_fd;
	capture->line = g_string_new(NULL);
	(void)fd_set_nonblocking(fd, true); /* cannot fail on a pipe of ours */
	if (log_fd >= 0)
		(void)fd_set_nonblocking(log_fd, true);
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
	end_line(capture); /* it need not end its last one */
	return capture->last ? capture->last : "";
}

void capture_free(Capture *capture)
{
	if (!capture)
		return;
	stop_reading(capture);
	fd_close(&capture->log_fd);
	g_string_free(capture->line, TRUE);
	g_free(capture->last);
	g_free(capture);
}
