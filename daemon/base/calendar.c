/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Calendar: each part of an expression is a set of numbers. A search walks over days, and skips the
 * years and months that are not in the sets.
 */
#include "config.h"

#include "base/calendar.h"

#include <string.h>

/* The range of years; the last one is that of systemd. */
enum { YEAR_MIN = 1970, YEAR_MAX = 2199 };

/* A set of numbers from 0 to 255. */
typedef struct NumberSet {
	uint64_t bits[4];
} NumberSet;

struct Calendar {
	unsigned weekdays; /* bits, 1: Monday */
	bool is_utc;
	bool is_from_end; /* @days counts from the end of the month, 1: the last day */
	NumberSet years; /* since YEAR_MIN */
	NumberSet months;
	NumberSet days;
	NumberSet hours;
	NumberSet minutes;
	NumberSet seconds;
};

/* --- sets --- */

static void set_add(NumberSet *set, int number)
{
	set->bits[number / 64] |= UINT64_C(1) << (number % 64);
}

static bool set_has(const NumberSet *set, int number)
{
	return (set->bits[number / 64] >> (number % 64)) & 1;
}

/* The first number of @set from @from on, in the direction of @step, 1 or -1; -1: none. */
static int set_seek(const NumberSet *set, int from, int step)
{
	while (from >= 0 && from < 256 && !set_has(set, from))
		from += step;
	return from < 256 ? from : -1;
}

/* --- parsing --- */

typedef struct Range {
	const char *name; /* with its article */
	int min;
	int max;
	int origin; /* is 0 in the set */
} Range;

static const Range range_year = { "a year", YEAR_MIN, YEAR_MAX, YEAR_MIN };
static const Range range_month = { "a month", 1, 12, 0 };
static const Range range_day = { "a day", 1, 31, 0 };
/* every month has this many days, counted from its end */
static const Range range_day_from_end = { "a day before the end of a month", 1, 28, 0 };
static const Range range_hour = { "an hour", 0, 23, 0 };
static const Range range_minute = { "a minute", 0, 59, 0 };
static const Range range_second = { "a second", 0, 59, 0 };

static bool read_number(const char **text, int *ret)
{
	const size_t length = strspn(*text, G_CSET_DIGITS);

	if (length == 0 || length > 4)
		return false;
	*ret = (int)g_ascii_strtoll(*text, NULL, 10);
	*text += length;
	return true;
}

static int full_year(const Range *range, int year)
{
	return range != &range_year || year >= 100 ? year : year + (year < 70 ? 2000 : 1900);
}

/* One of "5", "5..9", "5/2", "5..9/2". */
typedef struct Item {
	int start;
	int stop;
	int step; /* 0: none is given */
	bool has_stop;
} Item;

static bool split_item(const char *text, const Range *range, Item *ret)
{
	if (!read_number(&text, &ret->start))
		return false;
	ret->has_stop = strncmp(text, "..", 2) == 0;
	text += ret->has_stop ? 2 : 0;
	if (ret->has_stop && !read_number(&text, &ret->stop))
		return false;
	if (*text == '/') {
		text++;
		if (!read_number(&text, &ret->step) || ret->step == 0)
			return false;
	}
	ret->start = full_year(range, ret->start);
	ret->stop = full_year(range, ret->stop);
	return *text == '\0';
}

static void add_item(const Item *item, const Range *range, NumberSet *set)
{
	const int step = MAX(item->step, 1);
	const bool is_open = item->step > 0 && !item->has_stop;
	int first = item->start;
	int last = item->has_stop ? item->stop : is_open ? range->max : first;

	/* Days before the end of a month are repeated towards that end. */
	if (range == &range_day_from_end) {
		first = item->has_stop ? item->stop : item->start;
		last = is_open ? 1 : item->start;
		for (int n = first; n >= last; n -= step)
			set_add(set, n);
		return;
	}
	for (int n = first; n <= last; n += step)
		set_add(set, n - range->origin);
}

static char *complain(const char *text, const Range *range)
{
	return g_strdup_printf("\"%s\" is not %s from %d to %d", text, range->name, range->min,
			       range->max);
}

static char *parse_item(const char *text, const Range *range, NumberSet *set)
{
	Item item = { 0 };

	if (!split_item(text, range, &item) || item.start < range->min || item.start > range->max ||
	    (item.has_stop && item.stop > range->max))
		return complain(text, range);
	if (item.has_stop && item.stop < item.start)
		return g_strdup_printf("in \"%s\" the end is before the start", text);
	if (range != &range_day_from_end && item.start + item.step > range->max)
		return g_strdup_printf("in \"%s\" the step leads beyond %d", text, range->max);
	add_item(&item, range, set);
	return NULL;
}

/* "*", or items with commas between them. */
static char *parse_set(const char *text, const Range *range, NumberSet *set)
{
	g_auto(GStrv) items = g_strsplit(text, ",", -1);
	char *problem = NULL;

	if (strcmp(text, "*") == 0) {
		for (int n = range->min; n <= range->max; n++)
			set_add(set, n - range->origin);
		return NULL;
	}
	if (!*items)
		return complain(text, range);
	for (char **item = items; *item && !problem; item++)
		problem = parse_item(*item, range, set);
	return problem;
}

static int find_weekday(const char *name, size_t length)
{
	static const char *const names[] = { "monday", "tuesday",  "wednesday", "thursday",
					     "friday", "saturday", "sunday" };

	for (int i = 0; i < (int)G_N_ELEMENTS(names); i++) {
		if ((length == 3 || length == strlen(names[i])) &&
		    g_ascii_strncasecmp(name, names[i], length) == 0)
			return i;
	}
	return -1;
}

/* "Mon", "Mon..Fri" or, as in old files, "Mon-Fri". */
static bool add_weekdays(const char *text, unsigned *weekdays)
{
	const size_t length = strspn(text, G_CSET_A_2_Z G_CSET_a_2_z);
	const char *rest = text + length;
	const int first = find_weekday(text, length);
	int last = first;

	if (*rest) {
		rest += *rest == '-' ? 1 : strncmp(rest, "..", 2) == 0 ? 2 : 0;
		last = find_weekday(rest, strlen(rest));
	}
	for (int i = first; i <= last && first >= 0; i++)
		*weekdays |= 1u << i;
	return first >= 0 && last >= first;
}

static char *parse_weekdays(const char *text, unsigned *ret)
{
	g_auto(GStrv) items = g_strsplit(text, ",", -1);

	*ret = 0;
	for (char **item = items; *item; item++) {
		if (!add_weekdays(*item, ret))
			return g_strdup_printf("\"%s\" is not a weekday or a range such as "
					       "Mon..Fri; a week begins with Mon",
					       *item);
	}
	return NULL;
}

/* [YEAR-]MONTH-DAY, or ~ before a day that is counted from the end of the month. */
static char *parse_date(Calendar *c, const char *text)
{
	g_auto(GStrv) parts = g_strsplit_set(text, "-~", -1);
	const guint n = g_strv_length(parts);
	const char *tilde = strchr(text, '~');
	char *problem;

	c->is_from_end = tilde && !strpbrk(tilde + 1, "-~");
	if (n < 2 || n > 3 || (tilde && !c->is_from_end))
		return g_strdup_printf("\"%s\" is not a date such as *-*-01 or *-*~01", text);
	problem = parse_set(n == 3 ? parts[0] : "*", &range_year, &c->years);
	if (!problem)
		problem = parse_set(parts[n - 2], &range_month, &c->months);
	if (!problem && c->is_from_end && strcmp(parts[n - 1], "*") != 0)
		return parse_set(parts[n - 1], &range_day_from_end, &c->days);
	c->is_from_end = false;
	return problem ? problem : parse_set(parts[n - 1], &range_day, &c->days);
}

static char *parse_time(Calendar *c, const char *text)
{
	g_auto(GStrv) parts = g_strsplit(text, ":", -1);
	const guint n = g_strv_length(parts);
	char *problem;

	if (n < 2 || n > 3)
		return g_strdup_printf("\"%s\" is not a time such as 06:00 or *:0/15", text);
	problem = parse_set(parts[0], &range_hour, &c->hours);
	if (!problem)
		problem = parse_set(parts[1], &range_minute, &c->minutes);
	return problem ? problem : parse_set(n == 3 ? parts[2] : "0", &range_second, &c->seconds);
}

static const char *expand_name(const char *text)
{
	static const struct {
		const char *name;
		const char *meaning;
	} names[] = {
		{ "minutely", "*:*" },
		{ "hourly", "*:00" },
		{ "daily", "*-*-*" },
		{ "weekly", "Mon" },
		{ "monthly", "*-*-01" },
		{ "quarterly", "*-01,04,07,10-01" },
		{ "semiannually", "*-01,07-01" },
		{ "semi-annually", "*-01,07-01" },
		{ "biannually", "*-01,07-01" },
		{ "bi-annually", "*-01,07-01" },
		{ "yearly", "*-01-01" },
		{ "annually", "*-01-01" },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
		if (g_ascii_strcasecmp(text, names[i].name) == 0)
			return names[i].meaning;
	}
	return text;
}

static char *explain_rest(const char *token)
{
	if (g_ascii_isalpha(*token) && strchr(token, '/'))
		return g_strdup_printf("the time zone %s is not supported; write UTC, or nothing "
				       "for local time",
				       token);
	return g_strdup_printf("\"%s\" is not a part of a calendar expression such as "
			       "Mon..Fri *-*-* 06:00",
			       token);
}

/* [WEEKDAYS] [DATE] [TIME], in this order. */
static char *parse_parts(Calendar *c, char **tokens)
{
	const char *date = "*-*-*";
	const char *time = "0:0";
	char *problem = NULL;

	c->weekdays = 0x7f;
	if (*tokens && g_ascii_isalpha(**tokens) && !strchr(*tokens, '/'))
		problem = parse_weekdays(*tokens++, &c->weekdays);
	if (*tokens && !g_ascii_isalpha(**tokens) && strpbrk(*tokens, "-~"))
		date = *tokens++;
	if (*tokens && strchr(*tokens, ':'))
		time = *tokens++;
	if (!problem)
		problem = parse_date(c, date);
	if (!problem)
		problem = parse_time(c, time);
	return !problem && *tokens ? explain_rest(*tokens) : problem;
}

/* The tokens of @text without the final zone; a new strv. */
static char **split(const char *text, bool *ret_is_utc)
{
	g_auto(GStrv) tokens = g_strsplit(text, " ", -1);
	const guint n = g_strv_length(tokens);

	*ret_is_utc = n > 1 && g_ascii_strcasecmp(tokens[n - 1], "UTC") == 0;
	if (*ret_is_utc)
		g_clear_pointer(&tokens[n - 1], g_free);
	if (n == (*ret_is_utc ? 2u : 1u))
		return g_strsplit(expand_name(tokens[0]), " ", -1);
	return g_steal_pointer(&tokens);
}

Calendar *calendar_parse(const char *text, char **ret_problem)
{
	g_autoptr(Calendar) c = g_new0(Calendar, 1);
	g_auto(GStrv) tokens = split(text, &c->is_utc);

	if (!*tokens || !**tokens)
		*ret_problem = g_strdup("a calendar expression is missing, such as daily or "
					"Mon *-*-* 06:00");
	else
		*ret_problem = parse_parts(c, tokens);
	if (!*ret_problem && calendar_next(c, NULL, 0) == CALENDAR_NEVER)
		*ret_problem = g_strdup("there is no such day");
	return *ret_problem ? NULL : g_steal_pointer(&c);
}

void calendar_free(Calendar *calendar)
{
	g_free(calendar);
}

/* --- searching --- */

/*
 * The first time of a day from @from on, in the direction of @step, in seconds since midnight; -1:
 * there is none.
 */
static int seek_time(const Calendar *c, int from, int step)
{
	const int edge = step > 0 ? 0 : 255;
	const int hour = from / 3600;
	const int minute = from / 60 % 60;
	int hit = set_seek(&c->hours, hour, step);

	if (hit == hour) {
		int at = set_seek(&c->minutes, minute, step);

		if (at == minute) {
			const int second = set_seek(&c->seconds, from % 60, step);

			if (second >= 0)
				return hour * 3600 + minute * 60 + second;
			at = set_seek(&c->minutes, minute + step, step);
		}
		if (at >= 0)
			return hour * 3600 + at * 60 + set_seek(&c->seconds, edge, step);
		hit = set_seek(&c->hours, hour + step, step);
	}
	return hit < 0 ? -1 :
			 hit * 3600 + set_seek(&c->minutes, edge, step) * 60 +
				 set_seek(&c->seconds, edge, step);
}

static bool has_day(const Calendar *c, const CivilDate *date)
{
	const int length = (int)(civil_month_start(date->year, date->month + 1) -
				 civil_month_start(date->year, date->month));

	return (c->weekdays >> date->weekday & 1) &&
	       set_has(&c->days, c->is_from_end ? length - date->day + 1 : date->day);
}

/* The first local time from @local_s on, in the direction of @step, or CALENDAR_NEVER. */
static int64_t seek(const Calendar *c, int64_t local_s, int step)
{
	int64_t day = local_s / DAY_S;
	int second = (int)(local_s % DAY_S);

	while (local_s >= 0 && day >= 0 && day < civil_month_start(YEAR_MAX + 1, 1)) {
		const CivilDate date = civil_date(day);
		int at;

		if (!set_has(&c->years, date.year - YEAR_MIN))
			day = step > 0 ? civil_month_start(date.year + 1, 1) :
					 civil_month_start(date.year, 1) - 1;
		else if (!set_has(&c->months, date.month))
			day = step > 0 ? civil_month_start(date.year, date.month + 1) :
					 civil_month_start(date.year, date.month) - 1;
		else if (has_day(c, &date) && (at = seek_time(c, second, step)) >= 0)
			return day * DAY_S + at;
		else
			day += step;
		second = step > 0 ? 0 : (int)DAY_S - 1;
	}
	return CALENDAR_NEVER;
}

int64_t calendar_next(const Calendar *calendar, const TimeZone *zone, int64_t after_s)
{
	int64_t local_s, utc_s;

	if (calendar->is_utc)
		zone = NULL;
	local_s = MAX(time_zone_to_local(zone, after_s), 0);
	do {
		local_s = seek(calendar, local_s + 1, 1);
		if (local_s == CALENDAR_NEVER)
			return CALENDAR_NEVER;
		utc_s = time_zone_to_utc(zone, local_s);
	} while (utc_s <= after_s);
	return utc_s;
}

int64_t calendar_latest(const Calendar *calendar, const TimeZone *zone, int64_t at_s)
{
	int64_t local_s, utc_s;

	if (calendar->is_utc)
		zone = NULL;
	/* If the clock was put back in the last day, there were later local times. */
	local_s = MAX(time_zone_to_local(zone, at_s),
		      time_zone_to_local(zone, at_s - DAY_S) + DAY_S);
	do {
		local_s = seek(calendar, local_s, -1);
		if (local_s == CALENDAR_NEVER)
			return CALENDAR_NEVER;
		utc_s = time_zone_to_utc(zone, local_s);
		local_s--;
	} while (utc_s > at_s);
	return utc_s;
}

/* --- windows of a day --- */

static bool read_clock(const char *text, int64_t *ret_s)
{
	int hour, minute;

	if (!read_number(&text, &hour) || *text++ != ':' || !read_number(&text, &minute) || *text ||
	    minute > 59 || hour > 24 || (hour == 24 && minute > 0))
		return false;
	*ret_s = hour * 3600 + minute * 60;
	return true;
}

bool day_window_parse(const char *text, DayWindow *ret, char **ret_problem)
{
	g_auto(GStrv) tokens = g_strsplit(text, " ", -1);
	const guint n = g_strv_length(tokens);
	g_auto(GStrv) times = n > 0 ? g_strsplit(tokens[n - 1], "-", 3) : g_new0(char *, 1);

	*ret = (DayWindow){ .weekdays = 0x7f };
	*ret_problem = n == 2 ? parse_weekdays(tokens[0], &ret->weekdays) : NULL;
	if (*ret_problem)
		return false;
	if (n > 2 || g_strv_length(times) != 2 || !read_clock(times[0], &ret->start_s) ||
	    !read_clock(times[1], &ret->end_s) || ret->start_s == ret->end_s ||
	    ret->start_s == DAY_S) {
		*ret_problem = g_strdup_printf("\"%s\" is not a window such as 22:00-06:00 or "
					       "Mon..Fri 09:00-17:00",
					       text);
		return false;
	}
	if (ret->end_s < ret->start_s)
		ret->end_s += DAY_S;
	return true;
}

/* Finds the window that begins on @day, since 1970. */
static bool find_window(const DayWindow *window, const TimeZone *zone, int64_t day,
			int64_t *ret_start_s, int64_t *ret_end_s)
{
	if (day < 0 || !(window->weekdays >> civil_date(day).weekday & 1))
		return false;
	*ret_start_s = time_zone_to_utc(zone, day * DAY_S + window->start_s);
	*ret_end_s = time_zone_to_utc(zone, day * DAY_S + window->end_s);
	return true;
}

bool day_window_is_open(const DayWindow *window, const TimeZone *zone, int64_t at_s)
{
	const int64_t today = time_zone_to_local(zone, at_s) / DAY_S;
	int64_t start_s, end_s;

	for (int64_t day = today - 1; day <= today; day++) {
		if (find_window(window, zone, day, &start_s, &end_s) && at_s >= start_s &&
		    at_s < end_s)
			return true;
	}
	return false;
}

int64_t day_window_change(const DayWindow *window, const TimeZone *zone, int64_t after_s)
{
	const int64_t today = time_zone_to_local(zone, after_s) / DAY_S;
	int64_t start_s, end_s;

	/* A week, and the day after a window that ends on the next day. */
	for (int64_t day = today - 1; day <= today + 8; day++) {
		if (!find_window(window, zone, day, &start_s, &end_s))
			continue;
		if (start_s > after_s)
			return start_s;
		if (end_s > after_s)
			return end_s;
	}
	return CALENDAR_NEVER;
}
