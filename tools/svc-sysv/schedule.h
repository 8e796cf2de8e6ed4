/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Schedule: when a shutdown is to be, and when people are told of it. Pure.
 */
#ifndef SVCD_SYSV_SCHEDULE_H
#define SVCD_SYSV_SCHEDULE_H

#include <stdbool.h>
#include <time.h>

/* Logins are refused from here on (shutdown(8)). */
#define SCHEDULE_NOLOGIN_MINUTES 5

/**
 * schedule_parse() - shutdown's word for a time: "now", "+M" or "M" minutes, "hh:mm" by the clock on the wall
 * @now: local time; hh:mm that has passed today is tomorrow's
 * @ret_minutes: from now, begun minutes counted down (10:00:30 to 10:01 is 1)
 */
bool schedule_parse(const char *text, const struct tm *now, int *ret_minutes);

/* Is it told when @left minutes are left? Each of the last ten minutes, every quarter of the last hour, then every hour. */
bool schedule_is_told(int left);

#endif
