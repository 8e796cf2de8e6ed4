/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Output: tee, write, consume.
 */
#include "config.h"

#include "logger/output.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/errors.h"
#include "base/fd.h"
#include "base/limits.h"
#include "base/log.h"
#include "logger/line.h"
#include "logger/log-file.h"

/* Formatted text is written in pieces of about this size: a block of empty lines grows to 25 times its size. */
#define WRITE_BYTES (64 * 1024)

/* --- looking and taking --- */

/* Copies what the pipe holds into context->bytes. Returns: the number of bytes, 0: end, -1: nothing now. */
static ssize_t look(Output *output)
{
	OutputContext *c = output->context;
	ssize_t n = tee(output->fd, c->scratch_write, OUTPUT_BLOCK_BYTES, SPLICE_F_NONBLOCK);
	ssize_t done = 0;

	while (done < n) {
		ssize_t got = read(c->scratch_read, c->bytes + done, (size_t)(n - done));

		if (got < 0 && errno == EINTR)
			continue;
		g_assert(got > 0); /* tee() has just put them there */
		done += got;
	}
	return n;
}

static void consume(Output *output, size_t n)
{
	char trash[4096];

	while (n > 0) {
		ssize_t got = read(output->fd, trash, MIN(n, sizeof trash));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return; /* we are its only reader: not to be seen */
		n -= (size_t)got;
	}
}

/* --- writing --- */

static int open_directory(OutputContext *context)
{
	if (g_mkdir_with_parents(context->directory, 0755) < 0)
		return errno;
	context->directory_fd = open(context->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return context->directory_fd < 0 ? errno : 0;
}

/* A directory that is not there, or cannot be made, may be made later; but not a try for each line. */
static int find_directory(OutputContext *context)
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

int output_append(OutputContext *context, const char *service, const char *text, size_t length)
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

static void say_lost(Output *output, const char *stamp)
{
	g_autoptr(GString) line = g_string_new(NULL);
	g_autofree char *text = NULL;

	text = g_strdup_printf("svc-logger: %u lines were lost here: %s", output->n_lost, g_strerror(output->lost_error));
	line_append(line, stamp, text, strlen(text));
	if (output_append(output->context, output->service, line->str, line->len) == 0)
		output->n_lost = 0;
}

static unsigned count_lines(const GString *text)
{
	unsigned n = 0;

	for (gsize i = 0; i < text->len; i++)
		n += text->str[i] == '\n';
	return n;
}

/* A full disk stops no service: what it does not take is counted, and the count is written when there is room. */
static void write_text(Output *output, const char *stamp, GString *text)
{
	int error;

	if (text->len == 0)
		return;
	if (output->n_lost > 0)
		say_lost(output, stamp);
	error = output_append(output->context, output->service, text->str, text->len);
	if (error) {
		output->n_lost += count_lines(text);
		output->lost_error = error;
	}
	g_string_truncate(text, 0);
}

/* Length of the next line, with its line feed if it has one; 0 when it is not whole yet. */
static size_t next_line(const char *bytes, size_t length, bool all)
{
	const char *end = memchr(bytes, '\n', MIN(length, LINE_BYTES + 1));

	if (end)
		return (size_t)(end - bytes) + 1;
	if (length > LINE_BYTES)
		return LINE_BYTES; /* of just that many the line feed may be on its way */
	return all ? length : 0;
}

/* Returns: the number of bytes that are written and may be consumed; their cost is output->cost. */
static size_t write_lines(Output *output, const char *bytes, size_t length, bool all)
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
		output->cost += (int64_t)n + LIMIT_LOG_LINE_COST;
	}
	write_text(output, stamp, text);
	return done;
}

/* The time of a half line runs from its last byte: a slow writer is not cut in the middle of a word. */
static void note_partial(Output *output, size_t bytes, int64_t now_us)
{
	if (bytes == 0)
		output->partial_at_us = 0;
	else if (bytes != output->partial_bytes || output->partial_at_us == 0)
		output->partial_at_us = now_us + OUTPUT_PARTIAL_US;
	output->partial_bytes = bytes;
}

/* Does the pipe hold more than we have seen? */
static bool has_more(const Output *output, size_t seen)
{
	int n_bytes = 0;

	return ioctl(output->fd, FIONREAD, &n_bytes) == 0 && (size_t)n_bytes > seen;
}

OutputResult output_read(Output *output, bool all, int64_t now_us)
{
	ssize_t n = look(output);
	bool more;
	size_t done;

	output->cost = 0;
	if (n == 0)
		return OUTPUT_END;
	if (n < 0)
		return errno == EINTR ? OUTPUT_MORE : OUTPUT_WAIT;
	more = has_more(output, (size_t)n);
	done = write_lines(output, output->context->bytes, (size_t)n, all);
	if (done == 0 && more) /* half a line in more pieces than we can look at: its other half would never be seen */
		done = write_lines(output, output->context->bytes, (size_t)n, true);
	consume(output, done);
	output->credit = MAX(output->credit - output->cost, -OUTPUT_BLOCK_BYTES);
	note_partial(output, (size_t)n - done, now_us);
	/* With @all the pipe is read until it says end, or that somebody writes to it again. */
	return all || more ? OUTPUT_MORE : OUTPUT_WAIT;
}

bool output_is_flood(Output *output, int64_t now_us)
{
	const int64_t passed_us = MIN(now_us - output->credit_at_us, G_USEC_PER_SEC * (LIMIT_LOG_BURST_BYTES / LIMIT_LOG_RATE_BYTES));

	output->credit = MIN(output->credit + passed_us * LIMIT_LOG_RATE_BYTES / G_USEC_PER_SEC, LIMIT_LOG_BURST_BYTES);
	output->credit_at_us = now_us;
	return output->credit < 0;
}

/* --- life --- */

Output *output_new(OutputContext *context, const char *service, uint64_t invocation, int fd)
{
	Output *output = g_new0(Output, 1);

	output->context = context;
	output->service = g_strdup(service);
	output->invocation = invocation;
	output->fd = fd;
	output->credit = LIMIT_LOG_BURST_BYTES;
	output->credit_at_us = g_get_monotonic_time();
	(void)fd_set_nonblocking(fd, true); /* reads only; what the service sees is the other end's own flag */
	return output;
}

void output_free(Output *output)
{
	if (!output)
		return;
	fd_close(&output->fd);
	g_free(output->service);
	g_free(output);
}

bool output_context_init(OutputContext *context, const char *directory, GError **error)
{
	int scratch[2];
	int problem;

	*context = (OutputContext){ .directory_fd = -1, .scratch_read = -1, .scratch_write = -1 };
	context->directory = directory;
	problem = find_directory(context);
	if (problem) /* services speak all the same, and must not wait for ever until somebody reads it */
		log_warning(NULL, "cannot write to %s: %s; what services say is lost until that changes", directory, g_strerror(problem));
	if (pipe2(scratch, O_CLOEXEC) < 0)
		return fail_errno(error, errno, "cannot make a pipe");
	context->scratch_read = scratch[0];
	context->scratch_write = scratch[1];
	/* A pipe may hold a block in many small pieces, and each takes a slot in the copy. If refused: fewer a turn. */
	(void)fcntl(context->scratch_write, F_SETPIPE_SZ, 16 * OUTPUT_BLOCK_BYTES);
	context->bytes = g_malloc(OUTPUT_BLOCK_BYTES);
	return true;
}

void output_context_clear(OutputContext *context)
{
	fd_close(&context->directory_fd);
	fd_close(&context->scratch_read);
	fd_close(&context->scratch_write);
	g_free(context->bytes);
}
