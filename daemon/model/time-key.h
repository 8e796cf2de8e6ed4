/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Time keys: the arguments of due: and time: conditions.
 *
 * due:NAME/CALENDAR and due:NAME/every SPAN are about the last success of the service NAME. A
 * service file may omit NAME/ for its own service. time: has a window of the day, or boot+SPAN.
 */
#ifndef SVCD_MODEL_TIME_KEY_H
#define SVCD_MODEL_TIME_KEY_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/calendar.h"

typedef struct DueKey {
	char *service;
	Calendar *calendar; /* NULL: @every_s */
	int64_t every_s;
} DueKey;

/* The present times of a due: condition, in seconds since 1970. */
typedef struct DueTime {
	const char *key;
	const char *service;
	int64_t next_s; /* when it becomes due; not later than now: it is due; 0: never */
	int64_t last_s; /* the last success; 0: none, or not known */
} DueTime;

typedef struct TimeKey {
	bool is_since_boot; /* true from @boot_s after the boot on; otherwise @window */
	int64_t boot_s;
	DayWindow window;
} TimeKey;

/*
 * @argument: without "due:" or "time:", its tokens separated by single blanks. On failure
 * @ret_problem is one sentence, a new string.
 */
bool due_key_parse(const char *argument, DueKey *ret, char **ret_problem);
void due_key_clear(DueKey *key);
bool time_key_parse(const char *argument, TimeKey *ret, char **ret_problem);

/**
 * due_key_complete() - add the service that a service file may omit
 * @condition: "due:weekly", or any other condition
 * Returns: "due:NAME/weekly", a new string; NULL if @condition needs no addition.
 */
char *due_key_complete(const char *condition, const char *service);

#endif
