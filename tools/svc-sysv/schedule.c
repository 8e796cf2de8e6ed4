/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Schedule: see schedule.h.
 */
#include "config.h"

#include "svc-sysv/schedule.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MINUTES_A_DAY = 24 * 60, MAX_DIGITS = 6 };

/* Accepts only digits, up to @length of them. */
static bool parse_number(const char *text, size_t length, int *ret)
{
	int value = 0;

	if (length == 0 || length > MAX_DIGITS)
		return false;
	for (size_t i = 0; i < length; i++) {
		if (!isdigit((unsigned char)text[i]))
			return false;
		value = value * 10 + (text[i] - '0');
	}
	*ret = value;
	return true;
}

static bool parse_clock(const char *text, const char *colon, const struct tm *now, int *ret_minutes)
{
	int hour;
	int minute;
	int left;

	if (!parse_number(text, (size_t)(colon - text), &hour) ||
	    !parse_number(colon + 1, strlen(colon + 1), &minute) || strlen(colon + 1) != 2 ||
	    hour > 23 || minute > 59)
		return false;
	left = hour * 60 + minute - (now->tm_hour * 60 + now->tm_min);
	*ret_minutes = left < 0 ? left + MINUTES_A_DAY : left;
	return true;
}

bool schedule_parse(const char *text, const struct tm *now, int *ret_minutes)
{
	const char *colon = strchr(text, ':');

	if (strcmp(text, "now") == 0) {
		*ret_minutes = 0;
		return true;
	}
	if (colon)
		return parse_clock(text, colon, now, ret_minutes);
	if (*text == '+')
		text++;
	return parse_number(text, strlen(text), ret_minutes);
}

bool schedule_is_announced(int left)
{
	if (left <= 10)
		return true;
	return left % (left <= 60 ? 15 : 60) == 0;
}
