/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Log: one write per line to a descriptor that never blocks.
 */
#include "config.h"

#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/text.h"

/* The printk priority of each LogLevel, with the facility daemon (3 << 3). */
static const int kmsg_priorities[] = { 24 + 3, 24 + 4, 24 + 5, 24 + 7 };

#define HELD_BYTES (32 * 1024)

/*
 * A pipe accepts a write of this size as a whole or not at all (pipe(7), PIPE_BUF), and a terminal
 * has room for it.
 */
#define AT_A_TIME 4096

static struct {
	char program[32];
	int fd;
	gboolean is_kmsg;
	LogLevel level;
	unsigned n_lost;
	bool is_held;
	bool is_put_off;
	unsigned n_held; /* only for the kernel log */
	GString *waiting; /* whole lines, delayed or held; NULL: none */
} sink = { .fd = -1, .level = LOG_NOTICE };

void log_open(const char *program, int fd, gboolean is_kmsg)
{
	g_strlcpy(sink.program, program, sizeof sink.program);
	sink.fd = fd;
	sink.is_kmsg = is_kmsg;
	if (fd >= 0)
		fd_set_nonblocking(fd, true);
}

void log_set_level(LogLevel level)
{
	sink.level = level;
}

static bool lines_are_held(void)
{
	return sink.is_held && !sink.is_kmsg;
}

static bool lines_wait(void)
{
	return lines_are_held() || sink.is_put_off;
}

static bool keep_line(const char *line, size_t length)
{
	if (!sink.waiting)
		sink.waiting = g_string_new(NULL);
	if (sink.waiting->len + length > HELD_BYTES)
		return false;
	g_string_append_len(sink.waiting, line, (gssize)length);
	return true;
}

/* Returns: the length of the whole lines at the start of @text that go into the next write. */
static size_t length_of_next(const char *text, bool is_one)
{
	size_t length = (size_t)(strchr(text, '\n') + 1 - text);
	const char *end;

	while (!is_one && (end = strchr(text + length, '\n')) &&
	       (size_t)(end + 1 - text) <= AT_A_TIME)
		length = (size_t)(end + 1 - text);
	return length;
}

/*
 * The kernel log makes a record of each write. Other sinks get many lines in one write. After an
 * incomplete write they get single lines.
 */
static void write_waiting(void)
{
	g_autoptr(GString) waiting = g_steal_pointer(&sink.waiting);
	bool is_one = sink.is_kmsg;

	for (const char *at = waiting ? waiting->str : ""; *at;) {
		const size_t length = length_of_next(at, is_one);
		const ssize_t n = write(sink.fd, at, length);
		const char *end = at + (n > 0 ? n : 0);

		if (n != (ssize_t)length && is_one) {
			sink.n_lost++;
			end = at + length;
		}
		while (end > at && end[-1] != '\n')
			end--;
		is_one |= n != (ssize_t)length;
		at = end;
	}
}

static int kmsg_priority(LogLevel level)
{
	if (!sink.is_held)
		return kmsg_priorities[level];
	sink.n_held += level != LOG_DEBUG;
	return kmsg_priorities[LOG_DEBUG];
}

static bool write_line(LogLevel level, const char *text)
{
	/*
	 * The kernel accepts at most about 1 KiB in one record of /dev/kmsg (PRINTKRB_RECORD_MAX).
	 */
	char line[1000];
	int n;

	if (sink.is_kmsg)
		n = snprintf(line, sizeof line, "<%d>%s: %s\n", kmsg_priority(level), sink.program,
			     text);
	else
		n = snprintf(line, sizeof line, "%s: %s\n", sink.program, text);
	if (n >= (int)sizeof line) {
		n = sizeof line - 1;
		line[n - 1] = '\n';
	}
	if (lines_wait() && keep_line(line, (size_t)n))
		return true;
	if (lines_are_held())
		return false;
	log_catch_up(); /* too many lines are delayed */
	return write(sink.fd, line, (size_t)n) == n;
}

void log_hold(bool is_held)
{
	const unsigned n_held = sink.n_held;

	if (sink.is_held == is_held)
		return;
	sink.is_held = is_held;
	sink.n_held = 0;
	if (is_held)
		return;
	log_catch_up();
	if (n_held > 0)
		log_notice(NULL, "%u lines were kept off the console; dmesg(1) shows them", n_held);
}

void log_put_off(void)
{
	sink.is_put_off = true;
}

void log_catch_up(void)
{
	sink.is_put_off = false;
	if (!lines_are_held())
		write_waiting();
}

void log_line(LogLevel level, const char *service, const char *format, ...)
{
	va_list args;
	g_autofree char *text = NULL;
	g_autofree char *whole = NULL;
	g_autofree char *safe = NULL;

	if (level > sink.level || sink.fd < 0)
		return;
	va_start(args, format);
	text = g_strdup_vprintf(format, args);
	va_end(args);
	whole = service ? g_strdup_printf("%s: %s", service, text) : g_strdup(text);
	safe = text_escape_terminal(whole);
	if (level <= LOG_WARNING)
		log_catch_up();
	if (sink.n_lost > 0 && !lines_wait()) {
		char lost[64];

		(void)snprintf(lost, sizeof lost, "%u lines could not be written", sink.n_lost);
		if (write_line(LOG_WARNING, lost))
			sink.n_lost = 0;
	}
	if (!write_line(level, safe))
		sink.n_lost++;
}
