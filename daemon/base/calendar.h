/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Calendar: repeated times in the notation of systemd.time(7), "CALENDAR EVENTS", such as "daily"
 * or "Mon..Fri *-*-* 06,18:00"; and windows of a day such as "Mon..Fri 09:00-17:00".
 *
 * Pure arithmetic on the times that it is given, in seconds since 1970. Fractions of a second and
 * zones other than local time and UTC are not supported. Unlike systemd, a time that the clock
 * skips is not lost: it is the moment of the change. A local time that occurs twice counts once.
 */
#ifndef SVCD_BASE_CALENDAR_H
#define SVCD_BASE_CALENDAR_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/time-zone.h"

/* There is no such time between 1970 and 2199. */
#define CALENDAR_NEVER ((int64_t)-1)

typedef struct Calendar Calendar;

/**
 * calendar_parse() - parse a calendar expression
 * @ret_problem: on failure one sentence, a new string
 */
Calendar *calendar_parse(const char *text, char **ret_problem);
void calendar_free(Calendar *calendar);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Calendar, calendar_free)

/* The first such time after @after_s, or CALENDAR_NEVER. */
int64_t calendar_next(const Calendar *calendar, const TimeZone *zone, int64_t after_s);
/* The last such time that is not after @at_s, or CALENDAR_NEVER. */
int64_t calendar_latest(const Calendar *calendar, const TimeZone *zone, int64_t at_s);

/* A part of some days; it may end on the next day. */
typedef struct DayWindow {
	unsigned weekdays; /* bits, 1: Monday; of the day on which it begins */
	int64_t start_s; /* since midnight */
	int64_t end_s; /* more than @start_s, at most a day more */
} DayWindow;

/* "[WEEKDAYS] HH:MM-HH:MM"; @ret_problem as above. */
bool day_window_parse(const char *text, DayWindow *ret, char **ret_problem);
bool day_window_is_open(const DayWindow *window, const TimeZone *zone, int64_t at_s);
/* The next time at which it begins or ends. */
int64_t day_window_change(const DayWindow *window, const TimeZone *zone, int64_t after_s);

#endif
