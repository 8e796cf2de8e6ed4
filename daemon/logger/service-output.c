/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Service output: peeks at bytes, writes lines, and takes the written bytes.
 */
#include "config.h"

#include "logger/service-output.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/channel.h"
#include "base/fd.h"
#include "base/limits.h"
#include "base/log.h"
#include "logger/line.h"
#include "logger/log-file.h"

/*
 * Formatted text is written in pieces of about this size, because a block of empty lines grows to
 * 25 times its size.
 */
#define WRITE_BYTES (64 * 1024)

/* --- writing --- */

/* Users cannot list the directory, because they could then hold its lock (docs/processes.md). */
static int open_directory(ServiceOutputContext *context)
{
	if (g_mkdir_with_parents(context->directory, 0711) < 0)
		return errno;
	context->directory_fd = open(context->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return context->directory_fd < 0 ? errno : 0;
}

/* An absent directory may be made later, but it is not looked for again for each line. */
static int find_directory(ServiceOutputContext *context)
{
	const int64_t now_us = g_get_monotonic_time();

	if (context->directory_fd >= 0)
		return 0;
	if (now_us >= context->next_try_us) {
		context->next_try_us = now_us + OUTPUT_TRY_US;
		context->directory_error = open_directory(context);
	}
	return context->directory_error;
}

int service_output_append(ServiceOutputContext *context, const char *service, const char *text,
			  size_t length)
{
	int error = find_directory(context);

	if (!error)
		error = log_file_append(context->directory_fd, service, text, length);
	if (error == ENOENT) { /* the directory was removed */
		fd_close(&context->directory_fd);
		error = find_directory(context);
		if (!error)
			error = log_file_append(context->directory_fd, service, text, length);
	}
	return error;
}

/* Appends a line of svc-logger between the lines of the service. */
static int append_remark(ServiceOutput *output, const char *stamp, const char *text)
{
	g_autoptr(GString) line = g_string_new(NULL);

	line_append(line, stamp, text, strlen(text));
	return service_output_append(output->context, output->service, line->str, line->len);
}

static void report_lost(ServiceOutput *output, const char *stamp)
{
	g_autofree char *text = g_strdup_printf("svc-logger: %u lines were lost here: %s",
						output->n_lost, g_strerror(output->lost_error));

	if (append_remark(output, stamp, text) == 0)
		output->n_lost = 0;
}

static unsigned count_lines(const GString *text)
{
	unsigned n = 0;

	for (gsize i = 0; i < text->len; i++)
		n += text->str[i] == '\n';
	return n;
}

/*
 * A full disk must not stop a service. Lost lines are counted, and the count is written when there
 * is room.
 */
static void write_text(ServiceOutput *output, const char *stamp, GString *text)
{
	int error;

	if (text->len == 0)
		return;
	if (output->n_lost > 0)
		report_lost(output, stamp);
	error = service_output_append(output->context, output->service, text->str, text->len);
	if (error) {
		output->n_lost += count_lines(text);
		output->lost_error = error;
	}
	g_string_truncate(text, 0);
}

/*
 * Returns: the length of the next line, with the line feed if there is one; 0 for an incomplete
 * line.
 */
static size_t next_line(const char *bytes, size_t length, bool all)
{
	const char *end = memchr(bytes, '\n', MIN(length, LINE_BYTES + 1));

	if (end)
		return (size_t)(end - bytes) + 1;
	if (length > LINE_BYTES)
		return LINE_BYTES; /* the line feed of a line of exactly this length may follow */
	return all ? length : 0;
}

/* Returns: the number of written bytes, which may be consumed; output->cost is their cost. */
static size_t write_lines(ServiceOutput *output, const char *bytes, size_t length, bool all)
{
	g_autoptr(GString) text = g_string_sized_new(4096);
	int64_t realtime_us = g_get_real_time();
	char stamp[40];
	size_t done = 0;
	size_t n;

	line_stamp(stamp, sizeof stamp, realtime_us);
	while (done < length && (n = next_line(bytes + done, length - done, all)) > 0) {
		const char *line = bytes + done;
		size_t size = line[n - 1] == '\n' ? n - 1 : n;

		line_append(text, stamp, line, size);
		syslog_send(output->context->syslog, output->service, line, size, realtime_us);
		if (text->len >= WRITE_BYTES)
			write_text(output, stamp, text);
		done += n;
		output->cost += LIMIT_LOG_LINE_COST;
	}
	write_text(output, stamp, text);
	return done;
}

/*
 * The time of a half line runs from its last byte, so that a slow writer is not cut in the middle.
 */
static void note_partial(ServiceOutput *output, size_t bytes, int64_t now_us)
{
	const int64_t limit_us = bytes > OUTPUT_PARTIAL_BYTES ? OUTPUT_LONG_PARTIAL_US :
								OUTPUT_PARTIAL_US;

	if (bytes == 0)
		output->partial_at_us = 0;
	else if (bytes != output->partial_bytes || output->partial_at_us == 0)
		output->partial_at_us = now_us + limit_us;
	output->partial_bytes = bytes;
}

/* The message with descriptors must not be received, so no later byte can be received. */
static ServiceOutputResult refuse(ServiceOutput *output, size_t n)
{
	char stamp[40];

	(void)write_lines(output, output->context->bytes, n, true);
	line_stamp(stamp, sizeof stamp, g_get_real_time());
	(void)append_remark(
		output, stamp,
		"svc-logger: file descriptors were sent with this output; it is no longer read");
	return OUTPUT_REFUSED;
}

ServiceOutputResult service_output_read(ServiceOutput *output, bool all, int64_t now_us)
{
	char *bytes = output->context->bytes;
	size_t done;
	size_t n;

	output->cost = 0;
	switch (channel_peek(output->fd, bytes, OUTPUT_BLOCK_BYTES, &n)) {
	case CHANNEL_NOTHING:
		return OUTPUT_WAIT;
	case CHANNEL_END:
		return OUTPUT_END;
	case CHANNEL_DESCRIPTORS:
		return refuse(output, n);
	case CHANNEL_BYTES:
		break;
	}
	/* The end of a full block is not the end of the data, so half a line there is not cut. */
	done = write_lines(output, bytes, n, all && n < OUTPUT_BLOCK_BYTES);
	channel_take(output->fd, bytes, done);
	/* Bytes that stay are examined again, so they are also part of the cost. */
	output->cost += (int64_t)n + LIMIT_LOG_LINE_COST;
	output->credit = MAX(output->credit - output->cost, -OUTPUT_BLOCK_BYTES);
	note_partial(output, n - done, now_us);
	/*
	 * epoll(7) reports new bytes only once, so the channel is read until a peek finds nothing
	 * new.
	 */
	return done > 0 ? OUTPUT_MORE : OUTPUT_WAIT;
}

bool service_output_is_flood(ServiceOutput *output, int64_t now_us)
{
	const int64_t passed_us =
		MIN(now_us - output->credit_at_us,
		    G_USEC_PER_SEC * (LIMIT_LOG_BURST_BYTES / LIMIT_LOG_RATE_BYTES));

	output->credit = MIN(output->credit + passed_us * LIMIT_LOG_RATE_BYTES / G_USEC_PER_SEC,
			     LIMIT_LOG_BURST_BYTES);
	output->credit_at_us = now_us;
	return output->credit < 0;
}

/* --- life --- */

ServiceOutput *service_output_new(ServiceOutputContext *context, const char *service,
				  uint64_t serial, int fd)
{
	ServiceOutput *output = g_new0(ServiceOutput, 1);

	output->context = context;
	output->service = g_strdup(service);
	output->serial = serial;
	output->fd = fd;
	output->credit = LIMIT_LOG_BURST_BYTES;
	output->credit_at_us = g_get_monotonic_time();
	return output;
}

void service_output_free(ServiceOutput *output)
{
	if (!output)
		return;
	fd_close(&output->fd);
	g_free(output->service);
	g_free(output);
}

void service_output_context_init(ServiceOutputContext *context, const char *directory)
{
	int problem;

	*context = (ServiceOutputContext){ .directory_fd = -1 };
	context->directory = directory;
	problem = find_directory(context);
	if (problem) /* services write in any case, and must not wait for the directory */
		log_warning(
			NULL,
			"cannot write to %s: %s; the output of services is lost until that changes",
			directory, g_strerror(problem));
	context->bytes = g_malloc(OUTPUT_BLOCK_BYTES);
}

void service_output_context_clear(ServiceOutputContext *context)
{
	fd_close(&context->directory_fd);
	g_free(context->bytes);
}
