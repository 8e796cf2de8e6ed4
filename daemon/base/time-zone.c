/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Time zone: the table is searched from the past, because the first matching line decides for local
 * times that occur twice.
 */
#include "config.h"

#include "base/time-zone.h"

#include <stdlib.h>
#include <string.h>

#include "base/errors.h"
#include "base/text.h"

/* Offsets are at most 26 hours in theory (POSIX, TZ); in practice from -12 to 14. */
#define OFFSET_MAX_S (26 * 3600)

typedef struct Offset {
	int64_t from_s;
	int64_t offset_s;
} Offset;

struct TimeZone {
	GArray *offsets; /* Offset, ascending; never empty */
};

static bool parse_line(const char *line, Offset *ret)
{
	g_auto(GStrv) fields = g_strsplit(line, " ", 3);

	return g_strv_length(fields) == 2 &&
	       text_parse_int(fields[0], INT64_MIN / 2, INT64_MAX / 2, &ret->from_s) &&
	       text_parse_int(fields[1], -OFFSET_MAX_S, OFFSET_MAX_S, &ret->offset_s);
}

TimeZone *time_zone_parse(const char *text, GError **error)
{
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
	g_autoptr(TimeZone) zone = g_new0(TimeZone, 1);
	int64_t last_s = INT64_MIN;

	zone->offsets = g_array_new(FALSE, FALSE, sizeof(Offset));
	for (char **line = lines; *line; line++) {
		Offset offset;

		if (!**line)
			continue;
		if (!parse_line(*line, &offset) || offset.from_s <= last_s) {
			fail(error, SVCD_ERROR_FAILED, "\"%s\" is not TIME OFFSET", *line);
			return NULL;
		}
		last_s = offset.from_s;
		g_array_append_val(zone->offsets, offset);
	}
	if (zone->offsets->len == 0) {
		fail(error, SVCD_ERROR_FAILED, "the table is empty");
		return NULL;
	}
	return g_steal_pointer(&zone);
}

void time_zone_free(TimeZone *zone)
{
	if (!zone)
		return;
	g_array_unref(zone->offsets);
	g_free(zone);
}

int64_t time_zone_to_local(const TimeZone *zone, int64_t utc_s)
{
	guint i = zone ? zone->offsets->len - 1 : 0;

	if (!zone)
		return utc_s;
	while (i > 0 && g_array_index(zone->offsets, Offset, i).from_s > utc_s)
		i--;
	return utc_s + g_array_index(zone->offsets, Offset, i).offset_s;
}

int64_t time_zone_to_utc(const TimeZone *zone, int64_t local_s)
{
	int64_t begin_s = INT64_MIN;

	for (guint i = 0; zone && i < zone->offsets->len; i++) {
		const Offset *offset = &g_array_index(zone->offsets, Offset, i);
		const int64_t utc_s = local_s - offset->offset_s;

		if (i + 1 == zone->offsets->len || utc_s < offset[1].from_s)
			return MAX(utc_s, begin_s);
		begin_s = offset[1].from_s;
	}
	return local_s;
}

/* --- the calendar: the Gregorian one, from 1970 on --- */

static bool is_leap_year(int year)
{
	return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

int64_t civil_month_start(int year, int month)
{
	static const int before[] = {
		0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365
	};
	/* leap years before this one, minus the 477 before 1970 */
	const int leap_days = (year - 1) / 4 - (year - 1) / 100 + (year - 1) / 400 - 477;

	return (int64_t)(year - 1970) * 365 + leap_days + before[month - 1] +
	       (month > 2 && is_leap_year(year));
}

CivilDate civil_date(int64_t day)
{
	CivilDate date = { .year = (int)(1970 + day / 366),
			   .month = 1,
			   .weekday = (int)((day + 3) % 7) }; /* 1970 began with a Thursday */

	while (civil_month_start(date.year + 1, 1) <= day)
		date.year++;
	while (civil_month_start(date.year, date.month + 1) <= day)
		date.month++;
	date.day = (int)(day - civil_month_start(date.year, date.month)) + 1;
	return date;
}

char *time_zone_format(const TimeZone *zone, int64_t utc_s)
{
	static const char *const weekdays[] = { "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun" };
	const int64_t local_s = MAX(time_zone_to_local(zone, utc_s), 0);
	const CivilDate date = civil_date(local_s / DAY_S);
	const int second = (int)(local_s % DAY_S);

	return g_strdup_printf("%s %04d-%02d-%02d %02d:%02d:%02d", weekdays[date.weekday],
			       date.year, date.month, date.day, second / 3600, second / 60 % 60,
			       second % 60);
}
