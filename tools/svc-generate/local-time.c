/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Local time: the C library knows the offset of each moment. Steps of a week find the changes.
 */
#include "config.h"

#include "svc-generate/local-time.h"

#include <glib.h>
#include <time.h>

#include "base/time-zone.h"

#define STEP_S (7 * DAY_S)
#define YEAR_S (366 * DAY_S)

static int64_t offset_at(int64_t at_s)
{
	const time_t time = (time_t)at_s;
	struct tm local;

	return localtime_r(&time, &local) ? local.tm_gmtoff : 0;
}

/* The first second with the offset of @end_s; @begin_s has another one. */
static int64_t find_change(int64_t begin_s, int64_t end_s)
{
	const int64_t offset_s = offset_at(end_s);

	while (end_s - begin_s > 1) {
		const int64_t middle_s = begin_s + (end_s - begin_s) / 2;

		if (offset_at(middle_s) == offset_s)
			end_s = middle_s;
		else
			begin_s = middle_s;
	}
	return end_s;
}

static void append_line(GString *table, int64_t from_s, int64_t offset_s)
{
	g_string_append_printf(table, "%" G_GINT64_FORMAT " %" G_GINT64_FORMAT "\n", from_s,
			       offset_s);
}

char *local_time_table(int64_t now_s)
{
	int64_t at_s = now_s - 2 * YEAR_S;
	GString *table = g_string_new(NULL);

	tzset();
	append_line(table, at_s, offset_at(at_s));
	for (; at_s < now_s + 12 * YEAR_S; at_s += STEP_S) {
		const int64_t next_s = at_s + STEP_S;

		if (offset_at(next_s) != offset_at(at_s))
			append_line(table, find_change(at_s, next_s), offset_at(next_s));
	}
	return g_string_free(table, FALSE);
}
