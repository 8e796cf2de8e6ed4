/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Calendar: expressions, their next and latest times, the change of the clock, windows of a day.
 */
#include "config.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "base/calendar.h"
#include "tests/lib/suite.h"

/* Europe/Berlin in 2026. */
static const char berlin_table[] = "-9000000000 3600\n1774746000 7200\n1792890000 3600\n";

static TimeZone *berlin_new(void)
{
	g_autoptr(GError) error = NULL;
	TimeZone *zone = time_zone_parse(berlin_table, &error);

	ck_assert_msg(zone != NULL, "%s", error ? error->message : "");
	return zone;
}

/* "2026-11-29 08:00:00" in local time */
static int64_t at(const TimeZone *zone, const char *text)
{
	int year, month, day, hour, minute, second;

	ck_assert_int_eq(sscanf(text, "%d-%d-%d %d:%d:%d", &year, &month, &day, &hour, &minute,
				&second),
			 6);
	return time_zone_to_utc(zone, (civil_month_start(year, month) + day - 1) * DAY_S +
					      hour * 3600 + minute * 60 + second);
}

static Calendar *parse(const char *text)
{
	g_autofree char *problem = NULL;
	Calendar *calendar = calendar_parse(text, &problem);

	ck_assert_msg(calendar != NULL, "%s: %s", text, problem ? problem : "");
	return calendar;
}

/* Results of systemd-analyze calendar (systemd 252): the first three times after @base. */
/* clang-format off */
static const struct {
	const char *text;
	bool is_berlin;
	const char *base;
	const char *times;
} measured[] = {
	{ "minutely", false, "2026-11-29 08:00:00",
	  "Sun 2026-11-29 08:01:00|Sun 2026-11-29 08:02:00|Sun 2026-11-29 08:03:00" },
	{ "hourly", false, "2026-11-29 08:00:00",
	  "Sun 2026-11-29 09:00:00|Sun 2026-11-29 10:00:00|Sun 2026-11-29 11:00:00" },
	{ "daily", false, "2026-11-29 08:00:00",
	  "Mon 2026-11-30 00:00:00|Tue 2026-12-01 00:00:00|Wed 2026-12-02 00:00:00" },
	{ "weekly", false, "2026-11-29 08:00:00",
	  "Mon 2026-11-30 00:00:00|Mon 2026-12-07 00:00:00|Mon 2026-12-14 00:00:00" },
	{ "monthly", false, "2026-11-29 08:00:00",
	  "Tue 2026-12-01 00:00:00|Fri 2027-01-01 00:00:00|Mon 2027-02-01 00:00:00" },
	{ "yearly", false, "2026-11-29 08:00:00",
	  "Fri 2027-01-01 00:00:00|Sat 2028-01-01 00:00:00|Mon 2029-01-01 00:00:00" },
	{ "annually", false, "2026-11-29 08:00:00",
	  "Fri 2027-01-01 00:00:00|Sat 2028-01-01 00:00:00|Mon 2029-01-01 00:00:00" },
	{ "quarterly", false, "2026-11-29 08:00:00",
	  "Fri 2027-01-01 00:00:00|Thu 2027-04-01 00:00:00|Thu 2027-07-01 00:00:00" },
	{ "semiannually", false, "2026-11-29 08:00:00",
	  "Fri 2027-01-01 00:00:00|Thu 2027-07-01 00:00:00|Sat 2028-01-01 00:00:00" },
	{ "bi-annually", false, "2026-11-29 08:00:00",
	  "Fri 2027-01-01 00:00:00|Thu 2027-07-01 00:00:00|Sat 2028-01-01 00:00:00" },
	{ "Monday", false, "2026-11-29 08:00:00",
	  "Mon 2026-11-30 00:00:00|Mon 2026-12-07 00:00:00|Mon 2026-12-14 00:00:00" },
	{ "Mon,Wed..Fri", false, "2026-11-29 08:00:00",
	  "Mon 2026-11-30 00:00:00|Wed 2026-12-02 00:00:00|Thu 2026-12-03 00:00:00" },
	{ "Mon-Fri", false, "2026-11-29 08:00:00",
	  "Mon 2026-11-30 00:00:00|Tue 2026-12-01 00:00:00|Wed 2026-12-02 00:00:00" },
	{ "sat,SUN *-*-* 12:00", false, "2026-11-29 08:00:00",
	  "Sun 2026-11-29 12:00:00|Sat 2026-12-05 12:00:00|Sun 2026-12-06 12:00:00" },
	{ "Mon..Fri *-*-* 06,18:00", false, "2026-11-29 08:00:00",
	  "Mon 2026-11-30 06:00:00|Mon 2026-11-30 18:00:00|Tue 2026-12-01 06:00:00" },
	{ "*-*~01", false, "2026-11-29 08:00:00",
	  "Mon 2026-11-30 00:00:00|Thu 2026-12-31 00:00:00|Sun 2027-01-31 00:00:00" },
	{ "*-02~03/2", false, "2026-11-29 08:00:00",
	  "Fri 2027-02-26 00:00:00|Sun 2027-02-28 00:00:00|Sun 2028-02-27 00:00:00" },
	{ "*-*~07/1", false, "2026-11-29 08:00:00",
	  "Mon 2026-11-30 00:00:00|Fri 2026-12-25 00:00:00|Sat 2026-12-26 00:00:00" },
	{ "*-*~1..3", false, "2026-11-29 08:00:00",
	  "Mon 2026-11-30 00:00:00|Tue 2026-12-29 00:00:00|Wed 2026-12-30 00:00:00" },
	{ "*-*~28", false, "2026-11-29 08:00:00",
	  "Fri 2026-12-04 00:00:00|Mon 2027-01-04 00:00:00|Mon 2027-02-01 00:00:00" },
	{ "*-2-29", false, "2026-11-29 08:00:00",
	  "Tue 2028-02-29 00:00:00|Sun 2032-02-29 00:00:00|Fri 2036-02-29 00:00:00" },
	{ "2027-*-01", false, "2026-11-29 08:00:00",
	  "Fri 2027-01-01 00:00:00|Mon 2027-02-01 00:00:00|Mon 2027-03-01 00:00:00" },
	{ "27-1-1", false, "2026-11-29 08:00:00",
	  "Fri 2027-01-01 00:00:00" },
	{ "*:0/20", false, "2026-11-29 08:00:00",
	  "Sun 2026-11-29 08:20:00|Sun 2026-11-29 08:40:00|Sun 2026-11-29 09:00:00" },
	{ "*-*-* *:*:0/17", false, "2026-11-29 08:00:00",
	  "Sun 2026-11-29 08:00:17|Sun 2026-11-29 08:00:34|Sun 2026-11-29 08:00:51" },
	{ "10..20/7:5", false, "2026-11-29 08:00:00",
	  "Sun 2026-11-29 10:05:00|Sun 2026-11-29 17:05:00|Mon 2026-11-30 10:05:00" },
	{ "12-25", false, "2026-11-29 08:00:00",
	  "Fri 2026-12-25 00:00:00|Sat 2027-12-25 00:00:00|Mon 2028-12-25 00:00:00" },
	{ "*-1/4-1", false, "2026-11-29 08:00:00",
	  "Fri 2027-01-01 00:00:00|Sat 2027-05-01 00:00:00|Wed 2027-09-01 00:00:00" },
	{ "2026/2-1-1", false, "2026-11-29 08:00:00",
	  "Sat 2028-01-01 00:00:00|Tue 2030-01-01 00:00:00|Thu 2032-01-01 00:00:00" },
	{ "Mon *-*-1..7 02:00:30", false, "2026-11-29 08:00:00",
	  "Mon 2026-12-07 02:00:30|Mon 2027-01-04 02:00:30|Mon 2027-02-01 02:00:30" },
	{ "*-*-31", false, "2026-11-29 08:00:00",
	  "Thu 2026-12-31 00:00:00|Sun 2027-01-31 00:00:00|Wed 2027-03-31 00:00:00" },
	{ "*:0/59", false, "2026-11-29 08:00:00",
	  "Sun 2026-11-29 08:59:00|Sun 2026-11-29 09:00:00|Sun 2026-11-29 09:59:00" },
	{ "08:05:40/10", false, "2026-11-29 08:00:00",
	  "Sun 2026-11-29 08:05:40|Sun 2026-11-29 08:05:50|Mon 2026-11-30 08:05:40" },
	{ "*-*", false, "2026-11-29 08:00:00",
	  "Mon 2026-11-30 00:00:00|Tue 2026-12-01 00:00:00|Wed 2026-12-02 00:00:00" },
	{ "MON *-1-1", false, "2026-11-29 08:00:00",
	  "Mon 2029-01-01 00:00:00|Mon 2035-01-01 00:00:00|Mon 2046-01-01 00:00:00" },
	{ "00/4:00", false, "2026-11-29 08:00:00",
	  "Sun 2026-11-29 12:00:00|Sun 2026-11-29 16:00:00|Sun 2026-11-29 20:00:00" },
	{ "0,12:00,30:0", false, "2026-11-29 08:00:00",
	  "Sun 2026-11-29 12:00:00|Sun 2026-11-29 12:30:00|Mon 2026-11-30 00:00:00" },
	{ "1..2,4..5:00", false, "2026-11-29 08:00:00",
	  "Mon 2026-11-30 01:00:00|Mon 2026-11-30 02:00:00|Mon 2026-11-30 04:00:00" },
	{ "*:*:*", false, "2026-11-29 08:00:00",
	  "Sun 2026-11-29 08:00:01|Sun 2026-11-29 08:00:02|Sun 2026-11-29 08:00:03" },
	{ "0..23:00", false, "2026-11-29 08:00:00",
	  "Sun 2026-11-29 09:00:00|Sun 2026-11-29 10:00:00|Sun 2026-11-29 11:00:00" },
	{ "5/1,7:00", false, "2026-11-29 08:00:00",
	  "Sun 2026-11-29 09:00:00|Sun 2026-11-29 10:00:00|Sun 2026-11-29 11:00:00" },
	{ "Sun *-*-* 03:10:00", false, "2026-11-29 08:00:00",
	  "Sun 2026-12-06 03:10:00|Sun 2026-12-13 03:10:00|Sun 2026-12-20 03:10:00" },
	{ "*-*-* 6,18:00", false, "2026-11-29 08:00:00",
	  "Sun 2026-11-29 18:00:00|Mon 2026-11-30 06:00:00|Mon 2026-11-30 18:00:00" },
	{ "*-*-1/2 05:00", false, "2026-11-29 08:00:00",
	  "Tue 2026-12-01 05:00:00|Thu 2026-12-03 05:00:00|Sat 2026-12-05 05:00:00" },
	{ "Sat *-9..12-1..7 20..22:00", false, "2026-11-29 08:00:00",
	  "Sat 2026-12-05 20:00:00|Sat 2026-12-05 21:00:00|Sat 2026-12-05 22:00:00" },
	{ "daily UTC", false, "2026-11-29 08:00:00",
	  "Mon 2026-11-30 00:00:00|Tue 2026-12-01 00:00:00|Wed 2026-12-02 00:00:00" },
	{ "10:00 UTC", false, "2026-11-29 08:00:00",
	  "Sun 2026-11-29 10:00:00|Mon 2026-11-30 10:00:00|Tue 2026-12-01 10:00:00" },
	{ "hourly", true, "2026-10-25 00:20:00",
	  "Sun 2026-10-25 01:00:00|Sun 2026-10-25 02:00:00|Sun 2026-10-25 03:00:00" },
	{ "*:0/30", true, "2026-10-25 01:20:00",
	  "Sun 2026-10-25 01:30:00|Sun 2026-10-25 02:00:00|Sun 2026-10-25 02:30:00" },
	{ "02:30", true, "2026-10-24 12:00:00",
	  "Sun 2026-10-25 02:30:00|Mon 2026-10-26 02:30:00|Tue 2026-10-27 02:30:00" },
	{ "*:0/30", true, "2026-03-29 01:20:00",
	  "Sun 2026-03-29 01:30:00|Sun 2026-03-29 03:00:00|Sun 2026-03-29 03:30:00" },
	{ "daily", true, "2026-03-28 12:00:00",
	  "Sun 2026-03-29 00:00:00|Mon 2026-03-30 00:00:00|Tue 2026-03-31 00:00:00" },
	{ "daily", true, "2026-10-24 12:00:00",
	  "Sun 2026-10-25 00:00:00|Mon 2026-10-26 00:00:00|Tue 2026-10-27 00:00:00" },
	{ "12:00 UTC", true, "2026-03-28 13:00:00",
	  "Sun 2026-03-29 14:00:00|Mon 2026-03-30 14:00:00|Tue 2026-03-31 14:00:00" },
	{ "Sun 03:00", true, "2026-03-20 00:00:00",
	  "Sun 2026-03-22 03:00:00|Sun 2026-03-29 03:00:00|Sun 2026-04-05 03:00:00" },
	{ "Sun 01:59:59", true, "2026-10-20 00:00:00",
	  "Sun 2026-10-25 01:59:59|Sun 2026-11-01 01:59:59|Sun 2026-11-08 01:59:59" },
	{ "03:00", true, "2026-10-24 12:00:00",
	  "Sun 2026-10-25 03:00:00|Mon 2026-10-26 03:00:00|Tue 2026-10-27 03:00:00" },
};
/* clang-format on */

START_TEST(an_expression_has_the_times_that_systemd_computes)
{
	g_autoptr(TimeZone) berlin = berlin_new();
	const TimeZone *zone = measured[_i].is_berlin ? berlin : NULL;
	g_autoptr(Calendar) calendar = parse(measured[_i].text);
	g_auto(GStrv) times = g_strsplit(measured[_i].times, "|", -1);
	int64_t now_s = at(zone, measured[_i].base);

	for (char **time = times; *time; time++) {
		const int64_t next_s = calendar_next(calendar, zone, now_s);
		const int64_t later_s = calendar_next(calendar, zone, next_s);
		g_autofree char *shown = time_zone_format(zone, next_s);

		ck_assert_msg(strcmp(shown, *time) == 0, "%s: %s, not %s", measured[_i].text, shown,
			      *time);
		/* The latest time is the same from then on until the next one. */
		ck_assert_int_eq(calendar_latest(calendar, zone, next_s), next_s);
		ck_assert_int_lt(calendar_latest(calendar, zone, next_s - 1), next_s);
		if (later_s != CALENDAR_NEVER)
			ck_assert_int_eq(calendar_latest(calendar, zone, later_s - 1), next_s);
		now_s = next_s;
	}
}
END_TEST

static const struct {
	const char *text;
	const char *problem;
} bad[] = {
	{ "", "a calendar expression is missing, such as daily or Mon *-*-* 06:00" },
	{ "Tag", "\"Tag\" is not a weekday or a range such as Mon..Fri; a week begins with Mon" },
	{ "Fri..Mon",
	  "\"Fri..Mon\" is not a weekday or a range such as Mon..Fri; a week begins with Mon" },
	{ "Mon,,Tue", "\"\" is not a weekday or a range such as Mon..Fri; a week begins with Mon" },
	{ "2026", "\"2026\" is not a part of a calendar expression such as Mon..Fri *-*-* 06:00" },
	{ "*", "\"*\" is not a part of a calendar expression such as Mon..Fri *-*-* 06:00" },
	{ "24:00", "\"24\" is not an hour from 0 to 23" },
	{ "*:60", "\"60\" is not a minute from 0 to 59" },
	{ "1:", "\"\" is not a minute from 0 to 59" },
	{ ":5", "\"\" is not an hour from 0 to 23" },
	{ "05:40:23.5", "\"23.5\" is not a second from 0 to 59" },
	{ "5..3:00", "in \"5..3\" the end is before the start" },
	{ "*:0/60", "in \"0/60\" the step leads beyond 59" },
	{ "*:0/0", "\"0/0\" is not a minute from 0 to 59" },
	{ "10:*/5", "\"*/5\" is not a minute from 0 to 59" },
	{ "1:2:3:4", "\"1:2:3:4\" is not a time such as 06:00 or *:0/15" },
	{ "*-*-32", "\"32\" is not a day from 1 to 31" },
	{ "*-*-5/30", "in \"5/30\" the step leads beyond 31" },
	{ "*-13-1", "\"13\" is not a month from 1 to 12" },
	{ "*-*~29", "\"29\" is not a day before the end of a month from 1 to 28" },
	{ "*~1-1", "\"*~1-1\" is not a date such as *-*-01 or *-*~01" },
	{ "*-02-30", "there is no such day" },
	{ "10:00 Europe/Berlin", "the time zone Europe/Berlin is not supported; write UTC, or "
				 "nothing for local time" },
	{ "10:00 Mon", "\"Mon\" is not a part of a calendar expression such as Mon..Fri *-*-* "
		       "06:00" },
};

START_TEST(a_wrong_expression_is_explained)
{
	g_autofree char *problem = NULL;

	ck_assert_ptr_null(calendar_parse(bad[_i].text, &problem));

	ck_assert_str_eq(problem, bad[_i].problem);
}
END_TEST

START_TEST(a_time_that_the_clock_skips_is_the_moment_of_the_change)
{
	g_autoptr(TimeZone) zone = berlin_new();
	g_autoptr(Calendar) calendar = parse("02:30");
	const int64_t next_s = calendar_next(calendar, zone, at(zone, "2026-03-28 12:00:00"));

	ck_assert_int_eq(next_s, at(zone, "2026-03-29 03:00:00"));
	ck_assert_int_eq(calendar_next(calendar, zone, next_s), at(zone, "2026-03-30 02:30:00"));
	ck_assert_int_eq(calendar_latest(calendar, zone, next_s + 600), next_s);
}
END_TEST

START_TEST(a_time_that_occurs_twice_counts_once)
{
	g_autoptr(TimeZone) zone = berlin_new();
	g_autoptr(Calendar) calendar = parse("02:30");
	const int64_t first_s = at(zone, "2026-10-25 02:30:00");

	/* 02:10 for the second time: 40 minutes after the first 02:30 */
	ck_assert_int_eq(calendar_latest(calendar, zone, first_s + 40 * 60), first_s);
	ck_assert_int_eq(calendar_next(calendar, zone, first_s + 40 * 60),
			 at(zone, "2026-10-26 02:30:00"));
}
END_TEST

START_TEST(an_expression_can_be_over)
{
	g_autoptr(Calendar) calendar = parse("2020-1-1");

	ck_assert_int_eq(calendar_next(calendar, NULL, at(NULL, "2026-11-29 08:00:00")),
			 CALENDAR_NEVER);
	ck_assert_int_eq(calendar_latest(calendar, NULL, at(NULL, "2026-11-29 08:00:00")),
			 at(NULL, "2020-01-01 00:00:00"));
	ck_assert_int_eq(calendar_latest(calendar, NULL, at(NULL, "2019-11-29 08:00:00")),
			 CALENDAR_NEVER);
}
END_TEST

/* --- windows --- */

static const struct {
	const char *text;
	const char *now;
	bool is_open;
	const char *change;
} windows[] = {
	{ "02:00-04:00", "2026-11-29 01:59:59", false, "2026-11-29 02:00:00" },
	{ "02:00-04:00", "2026-11-29 02:00:00", true, "2026-11-29 04:00:00" },
	{ "02:00-04:00", "2026-11-29 04:00:00", false, "2026-11-30 02:00:00" },
	{ "22:00-06:00", "2026-11-29 05:00:00", true, "2026-11-29 06:00:00" },
	{ "22:00-06:00", "2026-11-29 22:00:00", true, "2026-11-30 06:00:00" },
	{ "22:00-06:00", "2026-11-29 12:00:00", false, "2026-11-29 22:00:00" },
	{ "Mon..Fri 09:00-17:00", "2026-11-29 10:00:00", false, "2026-11-30 09:00:00" },
	{ "Mon..Fri 09:00-17:00", "2026-11-27 16:59:00", true, "2026-11-27 17:00:00" },
	{ "Fri 22:00-06:00", "2026-11-28 05:00:00", true, "2026-11-28 06:00:00" },
	{ "Fri 22:00-06:00", "2026-11-27 05:00:00", false, "2026-11-27 22:00:00" },
	{ "Fri 22:00-06:00", "2026-11-28 07:00:00", false, "2026-12-04 22:00:00" },
	{ "Sun 00:00-24:00", "2026-11-29 23:59:59", true, "2026-11-30 00:00:00" },
};

START_TEST(a_window_opens_and_closes)
{
	g_autofree char *problem = NULL;
	const int64_t now_s = at(NULL, windows[_i].now);
	g_autofree char *change = NULL;
	DayWindow window;

	ck_assert_msg(day_window_parse(windows[_i].text, &window, &problem), "%s",
		      problem ? problem : "");

	ck_assert_int_eq(day_window_is_open(&window, NULL, now_s), windows[_i].is_open);
	change = time_zone_format(NULL, day_window_change(&window, NULL, now_s));
	ck_assert_str_eq(change + strlen("Mon "), windows[_i].change);
}
END_TEST

static const char *const bad_windows[] = { "",		  "02:00",	 "02:00-02:00",
					   "25:00-26:00", "02:00-24:01", "24:00-02:00",
					   "2-4",	  "a b 1:00-2:00" };

START_TEST(a_wrong_window_is_explained)
{
	g_autofree char *expected =
		g_strdup_printf("\"%s\" is not a window such as 22:00-06:00 or "
				"Mon..Fri 09:00-17:00",
				bad_windows[_i]);
	g_autofree char *problem = NULL;
	DayWindow window;

	ck_assert(!day_window_parse(bad_windows[_i], &window, &problem));

	ck_assert_str_eq(problem, expected);
}
END_TEST

/* --- time zones --- */

static const char *const bad_tables[] = { "", "5", "a 3600", "0 3600\n0 7200", "0 360000",
					  "0 1 2" };

START_TEST(a_damaged_table_of_a_zone_is_refused)
{
	g_autoptr(GError) error = NULL;

	ck_assert_ptr_null(time_zone_parse(bad_tables[_i], &error));
	ck_assert_ptr_nonnull(error);
}
END_TEST

/* Every day up to 2199 is the day after the one before it. */
START_TEST(dates_count_up)
{
	CivilDate last = civil_date(0);

	ck_assert_int_eq(last.year * 10000 + last.month * 100 + last.day, 19700101);
	ck_assert_int_eq(last.weekday, 3);
	for (int64_t day = 1; day < civil_month_start(2200, 1); day++) {
		const CivilDate date = civil_date(day);

		ck_assert_int_eq(date.weekday, (last.weekday + 1) % 7);
		ck_assert(date.day == last.day + 1 ||
			  (date.day == 1 && last.day >= 28 && date.month == last.month % 12 + 1 &&
			   date.year == last.year + (date.month == 1)));
		last = date;
	}
	ck_assert_int_eq(last.year * 10000 + last.month * 100 + last.day, 21991231);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("calendar");

	suite_add_loop(suite, "measured", an_expression_has_the_times_that_systemd_computes,
		       G_N_ELEMENTS(measured));
	suite_add_loop(suite, "bad", a_wrong_expression_is_explained, G_N_ELEMENTS(bad));
	ADD_CASE(suite, "clock", a_time_that_the_clock_skips_is_the_moment_of_the_change,
		 a_time_that_occurs_twice_counts_once, an_expression_can_be_over);
	suite_add_loop(suite, "windows", a_window_opens_and_closes, G_N_ELEMENTS(windows));
	suite_add_loop(suite, "bad windows", a_wrong_window_is_explained,
		       G_N_ELEMENTS(bad_windows));
	suite_add_loop(suite, "tables", a_damaged_table_of_a_zone_is_refused,
		       G_N_ELEMENTS(bad_tables));
	ADD_CASE(suite, "dates", dates_count_up);
	return suite;
}
