/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Schedule: due: and time: with a clock that the test sets.
 */
#include "config.h"

#include <check.h>
#include <string.h>

#include "loop/loop.h"
#include "model/time-key.h"
#include "providers/schedule.h"
#include "tests/lib/suite.h"

/* Sunday 2026-11-29 08:00:00; the machine was booted two hours earlier. */
#define NOW_S INT64_C(1795939200)
#define UP_S (2 * 3600)
#define BOOT_S (NOW_S - UP_S)

static Provider *provider;
static int64_t now_s;
static int64_t boot_s;
static DueFacts facts; /* of the service "trim" */
static GString *reports; /* the reports: "true false ..." */
static char *why; /* of the last report */

static void on_report(void *data, const char *key, Level level, const char *text)
{
	(void)data;
	(void)key;
	g_string_append_printf(reports, "%s%s", reports->len ? " " : "", level_name(level));
	g_free(why);
	why = g_strdup(text);
}

static bool find(void *data, const char *service, DueFacts *ret)
{
	(void)data;
	*ret = facts;
	return strcmp(service, "trim") == 0;
}

static int64_t read_clock(clockid_t clock)
{
	return (clock == CLOCK_REALTIME ? now_s : now_s - boot_s) * G_USEC_PER_SEC;
}

static void set_up(void)
{
	const ProviderSink sink = { on_report, NULL };
	const ScheduleOptions options = { .find = find, .clock = read_clock };

	now_s = NOW_S;
	boot_s = BOOT_S;
	facts = (DueFacts){ .is_known = true, .is_persistent = true };
	reports = g_string_new(NULL);
	provider = schedule_provider_new(&options, &sink);
}

static void tear_down(void)
{
	provider->free(provider);
	g_string_free(reports, TRUE);
	g_clear_pointer(&why, g_free);
}

static void subscribe(const char *key)
{
	provider->subscribe(provider, g_intern_string(key));
}

static void expect(const char *expected, const char *reason)
{
	ck_assert_str_eq(reports->str, expected);
	ck_assert_str_eq(why, reason);
	g_string_truncate(reports, 0);
}

static void go_on(int64_t seconds)
{
	now_s += seconds;
	schedule_provider_update(schedule_provider_cast(provider));
}

static void succeed(void)
{
	facts.last_s = now_s;
	go_on(0);
}

START_TEST(a_task_that_never_ran_is_due_until_it_succeeds)
{
	subscribe("due:trim/daily");
	expect("true", "due since Sun 2026-11-29 00:00:00, no success so far");

	succeed();
	expect("false",
	       "due again at Mon 2026-11-30 00:00:00, last success Sun 2026-11-29 08:00:00");

	go_on(16 * 3600 - 1);
	ck_assert_str_eq(reports->str, "");
	go_on(1);
	expect("true", "due since Mon 2026-11-30 00:00:00, last success Sun 2026-11-29 08:00:00");
}
END_TEST

START_TEST(a_task_that_stays_due_gets_a_chance_at_each_time)
{
	subscribe("due:trim/daily");
	g_string_truncate(reports, 0);

	go_on(3600);
	ck_assert_str_eq(reports->str, "");
	go_on(24 * 3600);
	expect("false true", "due since Mon 2026-11-30 00:00:00, no success so far");
}
END_TEST

START_TEST(a_span_begins_at_the_last_success)
{
	subscribe("due:trim/every 1d");
	expect("true", "due since Sun 2026-11-29 06:00:00, no success so far");

	succeed();
	expect("false",
	       "due again at Mon 2026-11-30 08:00:00, last success Sun 2026-11-29 08:00:00");
	go_on(24 * 3600);
	expect("true", "due since Mon 2026-11-30 08:00:00, last success Sun 2026-11-29 08:00:00");
	/* it fails, and is tried again a day later */
	go_on(24 * 3600);
	expect("false true",
	       "due since Mon 2026-11-30 08:00:00, last success Sun 2026-11-29 08:00:00");
}
END_TEST

START_TEST(the_time_when_the_machine_was_off_counts_if_it_is_persistent)
{
	facts.last_s = NOW_S - 30 * DAY_S;
	subscribe("due:trim/daily");
	expect("true", "due since Sun 2026-11-29 00:00:00, last success Fri 2026-10-30 08:00:00");

	facts.is_persistent = false;
	go_on(0);
	expect("false",
	       "due again at Mon 2026-11-30 00:00:00, last success Fri 2026-10-30 08:00:00");
	go_on(16 * 3600);
	expect("true", "due since Mon 2026-11-30 00:00:00, last success Fri 2026-10-30 08:00:00");
}
END_TEST

START_TEST(nothing_is_due_before_the_last_successes_are_read)
{
	facts.is_known = false;
	subscribe("due:trim/daily");
	expect("unknown", "svcd has not read the times of earlier runs from " SVCD_STATEDIR " yet");

	facts.is_known = true;
	facts.last_s = NOW_S - 60;
	go_on(0);
	expect("false",
	       "due again at Mon 2026-11-30 00:00:00, last success Sun 2026-11-29 07:59:00");
}
END_TEST

START_TEST(a_success_in_the_future_delays_a_task_to_its_next_time)
{
	facts.last_s = NOW_S + 4000 * DAY_S;
	subscribe("due:trim/daily");
	ck_assert_str_eq(reports->str, "false");

	go_on(16 * 3600);
	ck_assert_str_eq(reports->str, "false true");
}
END_TEST

START_TEST(a_random_delay_is_fixed_and_bounded)
{
	ScheduleProvider *schedule = schedule_provider_cast(provider);
	g_autofree char *first = NULL;

	facts.delay_max_s = 6 * 3600;
	facts.last_s = NOW_S;
	schedule_provider_set_place(schedule, NULL, "0123456789abcdef");
	subscribe("due:trim/daily");
	ck_assert_str_eq(reports->str, "false");
	first = g_strdup(why);
	ck_assert_str_ge(first, "due again at Mon 2026-11-30 00:00:01");
	ck_assert_str_lt(first, "due again at Mon 2026-11-30 06:00:01");

	schedule_provider_set_place(schedule, NULL, "fedcba9876543210");
	ck_assert_str_ne(why, first);
	schedule_provider_set_place(schedule, NULL, "0123456789abcdef");
	ck_assert_str_eq(why, first);
}
END_TEST

START_TEST(an_admins_start_makes_a_task_due)
{
	facts.last_s = NOW_S - 60;
	subscribe("due:trim/daily");
	ck_assert_str_eq(reports->str, "false");

	facts.is_requested = true;
	go_on(0);
	ck_assert_str_eq(reports->str, "false true");
	ck_assert_str_eq(why, "requested");
	facts.is_requested = false;
	succeed();
	ck_assert_str_eq(reports->str, "false true false");
}
END_TEST

START_TEST(another_service_is_unknown)
{
	subscribe("due:trmi/daily");
	expect("unknown", "there is no service trmi");
}
END_TEST

START_TEST(a_window_is_true_while_it_is_open)
{
	subscribe("time:Sun 07:00-09:00");
	expect("true", "until Sun 2026-11-29 09:00:00");

	go_on(3600);
	expect("false", "true at Sun 2026-12-06 07:00:00");
	go_on(7 * DAY_S - 7200);
	expect("true", "until Sun 2026-12-06 09:00:00");
}
END_TEST

START_TEST(a_time_after_the_boot_comes_once)
{
	subscribe("time:boot+3h");
	expect("false", "true at Sun 2026-11-29 09:00:00");

	go_on(3600);
	expect("true", "the machine has been up longer");
	provider->unsubscribe(provider, g_intern_string("time:boot+3h"));
}
END_TEST

static void visit(void *data, const DueTime *time)
{
	g_string_append_printf(data, "%s %s %" G_GINT64_FORMAT " %" G_GINT64_FORMAT, time->key,
			       time->service, time->next_s - NOW_S, time->last_s - NOW_S);
}

START_TEST(the_list_has_the_next_time_and_the_last_success)
{
	g_autoptr(GString) list = g_string_new(NULL);

	facts.last_s = NOW_S - 60;
	subscribe("time:boot+3h");
	subscribe("due:trim/daily");

	schedule_provider_visit(schedule_provider_cast(provider), visit, list);

	ck_assert_str_eq(list->str, "due:trim/daily trim 57600 -60");
	ck_assert(schedule_provider_watches(schedule_provider_cast(provider), "trim"));
	ck_assert(!schedule_provider_watches(schedule_provider_cast(provider), "boot"));
}
END_TEST

START_TEST(the_timer_fires_at_the_next_change)
{
	/* The timer uses the machine's clock. */
	now_s = g_get_real_time() / G_USEC_PER_SEC;
	boot_s = now_s;
	subscribe("time:boot+1s");
	ck_assert_str_eq(reports->str, "false");
	g_string_truncate(reports, 0);

	now_s += 2;
	while (reports->len == 0)
		g_main_context_iteration(NULL, TRUE);
	ck_assert_str_eq(reports->str, "true");
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("schedule");

	ADD_CASE_AROUND(suite, "due", set_up, tear_down,
			a_task_that_never_ran_is_due_until_it_succeeds,
			a_task_that_stays_due_gets_a_chance_at_each_time,
			a_span_begins_at_the_last_success,
			the_time_when_the_machine_was_off_counts_if_it_is_persistent,
			nothing_is_due_before_the_last_successes_are_read,
			a_success_in_the_future_delays_a_task_to_its_next_time,
			a_random_delay_is_fixed_and_bounded, an_admins_start_makes_a_task_due,
			another_service_is_unknown,
			the_list_has_the_next_time_and_the_last_success);
	ADD_CASE_AROUND(suite, "time", set_up, tear_down, a_window_is_true_while_it_is_open,
			a_time_after_the_boot_comes_once, the_timer_fires_at_the_next_change);
	return suite;
}
