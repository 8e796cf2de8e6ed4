/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Line: formats time and text.
 */
#include "config.h"

#include "logger/line.h"

#include <stdio.h>

/* 1 January 1970, as GDate counts days. */
#define EPOCH_DAY 719163
#define DAY_SECONDS (24 * 60 * 60)

/*
 * Does not use gmtime_r(3), because that reads the time zone file, and a look-up in /etc can block.
 */
void line_stamp(char *text, size_t size, int64_t realtime_us)
{
	const int64_t seconds = CLAMP(realtime_us, 0, G_MAXINT64) / G_USEC_PER_SEC;
	const unsigned of_day = (unsigned)(seconds % DAY_SECONDS);
	const unsigned ms = (unsigned)(realtime_us % G_USEC_PER_SEC / 1000);
	GDate date;

	g_date_clear(&date, 1);
	g_date_set_julian(&date, (guint32)(EPOCH_DAY + seconds / DAY_SECONDS));
	(void)snprintf(text, size, "%04u-%02u-%02uT%02u:%02u:%02u.%03uZ", g_date_get_year(&date),
		       (unsigned)g_date_get_month(&date), g_date_get_day(&date), of_day / 3600,
		       of_day / 60 % 60, of_day % 60, ms);
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
