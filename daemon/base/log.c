/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Log: one write per line to a descriptor that never makes us wait.
 */
#include "config.h"

#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/text.h"

/* Kernel priorities of printk, in the order of LogLevel, facility daemon (3 << 3). */
static const int kmsg_priorities[] = { 24 + 3, 24 + 4, 24 + 5, 24 + 7 };

static struct {
	char program[32];
	int fd;
	gboolean is_kmsg;
	LogLevel level;
	unsigned n_lost;
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

static bool write_line(LogLevel level, const char *text)
{
	/* The kernel takes at most about 1 KiB in one record of /dev/kmsg (PRINTKRB_RECORD_MAX). */
	char line[1000];
	int n;

	if (sink.is_kmsg)
		n = snprintf(line, sizeof line, "<%d>%s: %s\n", kmsg_priorities[level], sink.program, text);
	else
		n = snprintf(line, sizeof line, "%s: %s\n", sink.program, text);
	if (n >= (int)sizeof line) {
		n = sizeof line - 1;
		line[n - 1] = '\n';
	}
	return write(sink.fd, line, (size_t)n) == n;
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
	if (sink.n_lost > 0) {
		char lost[64];

		(void)snprintf(lost, sizeof lost, "%u lines could not be written", sink.n_lost);
		if (write_line(LOG_WARNING, lost))
			sink.n_lost = 0;
	}
	if (!write_line(level, safe))
		sink.n_lost++;
}
