/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Schedule: the time of a shutdown, and the times of its warnings. Pure.
 */
#ifndef SVCD_SYSV_SCHEDULE_H
#define SVCD_SYSV_SCHEDULE_H

#include <stdbool.h>
#include <time.h>

/* Logins are refused when this many minutes are left (shutdown(8)). */
#define SCHEDULE_NOLOGIN_MINUTES 5

/**
 * schedule_parse() - shutdown's argument for a time: "now", "+M" or "M" minutes, "hh:mm" of the
 * clock
 * @now: local time; an hh:mm that has passed today means tomorrow
 * @ret_minutes: from now; a started minute counts as a whole one (10:00:30 to 10:01 is 1)
 */
bool schedule_parse(const char *text, const struct tm *now, int *ret_minutes);

/*
 * Is a warning sent when @left minutes are left? There is one in each of the last ten minutes, at
 * each quarter of the last hour, and at each full hour.
 */
bool schedule_is_announced(int left);

#endif
