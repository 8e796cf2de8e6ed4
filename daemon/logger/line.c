/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Line: bytes to text.
 */
#include "config.h"

#include "logger/line.h"

#include <stdio.h>
#include <time.h>

void line_stamp(char *text, size_t size, int64_t realtime_us)
{
	time_t seconds = (time_t)(realtime_us / G_USEC_PER_SEC);
	unsigned ms = (unsigned)(realtime_us % G_USEC_PER_SEC / 1000);
	char date[32];
	struct tm utc;

	if (!gmtime_r(&seconds, &utc) || strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &utc) == 0)
		g_strlcpy(date, "0000-00-00T00:00:00", sizeof date); /* a clock beyond all years */
	(void)snprintf(text, size, "%s.%03uZ", date, ms);
}

static gboolean is_plain(char c)
{
	return c == '\t' || ((unsigned char)c >= 0x20 && c != 0x7f);
}

void line_append(GString *out, const char *stamp, const char *bytes, size_t length)
{
	size_t start = 0;

	if (length > 0 && bytes[length - 1] == '\r')
		length--;
	g_string_append(out, stamp);
	g_string_append_c(out, ' ');
	for (size_t i = 0; i < length; i++) {
		if (is_plain(bytes[i]))
			continue;
		g_string_append_len(out, bytes + start, (gssize)(i - start));
		g_string_append_printf(out, "\\x%02x", (unsigned char)bytes[i]);
		start = i + 1;
	}
	g_string_append_len(out, bytes + start, (gssize)(length - start));
	g_string_append_c(out, '\n');
}
