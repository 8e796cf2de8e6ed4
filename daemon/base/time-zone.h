/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Time zone: a table of offsets from UTC, and dates in local time.
 *
 * The C library reads the zone from files, which may block. So svc-generate writes the changes of
 * some years as a table (/run/svcd/local-time), and the manager only reads that text. All times are
 * seconds since 1970. A local time is a number of that kind too: as if its digits were UTC.
 */
#ifndef SVCD_BASE_TIME_ZONE_H
#define SVCD_BASE_TIME_ZONE_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#define DAY_S ((int64_t)86400)

typedef struct TimeZone TimeZone;

/**
 * time_zone_parse() - read a table
 * @text: lines "TIME OFFSET" in ascending order; from TIME on, OFFSET seconds are added to UTC
 * Returns: NULL with @error if it is not such a table.
 */
TimeZone *time_zone_parse(const char *text, GError **error);
void time_zone_free(TimeZone *zone);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TimeZone, time_zone_free)

/* In these functions NULL is UTC. */
int64_t time_zone_to_local(const TimeZone *zone, int64_t utc_s);
/*
 * A local time that occurs twice is the first of the two. One that the clock skips is the moment of
 * the change.
 */
int64_t time_zone_to_utc(const TimeZone *zone, int64_t local_s);

/* "Mon 2026-11-30 00:00:00"; a new string. */
char *time_zone_format(const TimeZone *zone, int64_t utc_s);

typedef struct CivilDate {
	int year;
	int month; /* 1 to 12 */
	int day; /* 1 to 31 */
	int weekday; /* 0: Monday */
} CivilDate;

/* @day: since 1970-01-01, not negative. */
CivilDate civil_date(int64_t day);
/* The days from 1970-01-01 to the first day of that month; 13: January of the next year. */
int64_t civil_month_start(int year, int month);

#endif
