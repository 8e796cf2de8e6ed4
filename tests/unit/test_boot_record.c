/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Boot record: the last term that each service waited for, and its start duration. Both survive the
 * death of a manager.
 */
#include "config.h"

#include <string.h>

#include "boot/boot-record.h"
#include "tests/lib/suite.h"
#include "tests/lib/world.h"

#define DAEMON "[Service]\nExec=/bin/d\nReady=notify\n"
#define S G_USEC_PER_SEC

static const BootRecord *record_of(World *w, const char *service)
{
	return boot_record_get(world_find(w, service));
}

/* Times are seconds since the start of the boot. */
static void expect_record(World *w, const char *service, int allowed, int started, int over)
{
	const BootRecord *r = record_of(w, service);
	const int64_t boot_us = r->wanted_us;

	ck_assert_int_eq((int)((r->allowed_us - boot_us) / S), allowed);
	ck_assert_int_eq((int)((r->started_us - boot_us) / S), started);
	ck_assert_int_eq((int)((r->over_us - boot_us) / S), over);
}

static void expect_last(World *w, const char *service, const char *last, const char *by)
{
	const BootRecord *r = record_of(w, service);

	ck_assert_pstr_eq(r->last, last);
	ck_assert_pstr_eq(r->last_by, by);
}

START_TEST(what_became_true_last_is_what_it_waited_for)
{
	g_autoptr(World) w = world_new("== a\n" DAEMON "== b\n" DAEMON "== c\n" DAEMON
				       "[Conditions]\nAfter=a\nWhile=service:b\nWhen=flag:x\n");

	world_set(w, "flag:x", true);
	world_advance_s(w, 1);
	world_ready(w, "b");
	world_advance_s(w, 2);
	world_ready(w, "a");
	world_advance_s(w, 4);
	world_ready(w, "c");

	expect_record(w, "a", 0, 0, 3);
	expect_last(w, "a", NULL, NULL);
	expect_record(w, "c", 3, 3, 7);
	expect_last(w, "c", "settled:a", "a");
	ck_assert_int_eq(record_of(w, "c")->result, BOOT_RESULT_UP);
}
END_TEST

START_TEST(an_external_condition_is_recorded_without_a_service)
{
	g_autoptr(World) w =
		world_new("== a\n" DAEMON
			  "[Conditions]\nWhen=flag:x | flag:y\nWhen=!flag:z\nWaitTimeout=1min\n");

	world_advance_s(w, 2);
	world_set(w, "flag:y", true);

	expect_record(w, "a", 2, 2, -1 * (int)(record_of(w, "a")->wanted_us / S));
	expect_last(w, "a", "flag:y", NULL);
}
END_TEST

START_TEST(a_bus_name_is_recorded_with_its_owner)
{
	g_autoptr(World)
		w = world_new("== b\n[Service]\nExec=/bin/b\nReady=dbus:org.b\n"
			      "== c\n" DAEMON "[Conditions]\nWhen=dbus:org.b\nWaitTimeout=1min\n");

	world_advance_s(w, 2);
	world_set(w, "dbus:org.b", true);
	expect_last(w, "c", "dbus:org.b", "b");
}
END_TEST

START_TEST(a_wait_for_a_lock_names_its_holder)
{
	g_autoptr(World)
		w = world_new("== a\n" DAEMON "StartLock=one\n== b\n" DAEMON "StartLock=one\n");

	world_advance_s(w, 3);
	world_ready(w, "a");
	expect_record(w, "b", 0, 3, -1 * (int)(record_of(w, "b")->wanted_us / S));
	expect_last(w, "b", "StartLock=one", "a");
}
END_TEST

START_TEST(a_retry_belongs_to_the_same_start)
{
	g_autoptr(World) w = world_new("== a\n" DAEMON "Restart=on-failure\nRestartDelay=1s\n");

	world_advance_s(w, 2);
	world_dies(w, "a", 1);
	expect_state(w, "a", STATE_BACKOFF);
	world_advance_s(w, 1);
	world_ready(w, "a");
	expect_record(w, "a", 0, 0, 3);
}
END_TEST

START_TEST(a_failed_start_is_over_too)
{
	g_autoptr(World) w =
		world_new("== a\n" DAEMON "Restart=no\n== b\n" DAEMON "[Conditions]\nAfter=a\n");

	world_advance_s(w, 2);
	world_dies(w, "a", 1);
	expect_state(w, "a", STATE_FAILED);
	expect_record(w, "a", 0, 0, 2);
	ck_assert_int_eq(record_of(w, "a")->result, BOOT_RESULT_FAILED);
	expect_last(w, "b", "settled:a", "a");
}
END_TEST

START_TEST(a_restart_after_its_start_changes_nothing)
{
	g_autoptr(World) w = world_new("== a\n" DAEMON "== slow\n" DAEMON);

	world_advance_s(w, 1);
	world_ready(w, "a");
	world_advance_s(w, 5);
	world_restart(w, "a");
	world_settle(w);
	expect_record(w, "a", 0, 0, 1);

	world_ready(w, "slow");
	world_restart(w, "slow");
	world_settle(w);
	expect_record(w, "slow", 0, 0, 6);
}
END_TEST

START_TEST(a_service_wanted_only_after_the_boot_has_no_record)
{
	g_autoptr(World) w = world_new_with_policy("== a\n" DAEMON "== b\n" DAEMON,
						   "[runlevel 2]\nActivate=a\n");

	world_ready(w, "a");
	world_start(w, "b");
	world_ready(w, "b");
	ck_assert_ptr_null(record_of(w, "b"));
}
END_TEST

START_TEST(a_service_that_an_admin_stops_meanwhile_stays_in_the_record)
{
	g_autoptr(World) w = world_new("== a\n" DAEMON "== b\n" DAEMON
				       "[Conditions]\nAfter=a\n== slow\n" DAEMON);

	world_advance_s(w, 2);
	world_stop(w, "a");
	world_gone(w, "a");
	expect_record(w, "a", 0, 0, 2);
	ck_assert_int_eq(record_of(w, "a")->result, BOOT_RESULT_STOPPED);
	expect_last(w, "b", "settled:a", "a");

	/* When the service is wanted again, a new record starts. */
	world_advance_s(w, 1);
	world_start(w, "a");
	world_ready(w, "a");
	expect_record(w, "a", 0, 0, 0);
	ck_assert_int_eq(record_of(w, "a")->result, BOOT_RESULT_UP);
}
END_TEST

START_TEST(a_service_stopped_before_it_began_is_not_in_the_record)
{
	g_autoptr(World)
		w = world_new("== a\n" DAEMON "[Conditions]\nAfter=slow\n== slow\n" DAEMON);

	world_stop(w, "a");
	ck_assert_ptr_null(record_of(w, "a"));
}
END_TEST

START_TEST(it_outlives_a_manager)
{
	g_autoptr(World) w = world_new("== a\n" DAEMON "== b\n" DAEMON "[Conditions]\nAfter=a\n"
				       "== c\n" DAEMON "[Conditions]\nAfter=b\n");
	int64_t boot_us;

	world_advance_s(w, 2);
	world_ready(w, "a");
	boot_us = record_of(w, "a")->wanted_us;
	world_advance_s(w, 1);
	world_crash(w);
	ck_assert_int_eq(record_of(w, "a")->wanted_us, boot_us);
	expect_record(w, "a", 0, 0, 2);
	expect_last(w, "b", "settled:a", "a");

	world_advance_s(w, 1);
	world_ready(w, "b");
	expect_record(w, "b", 2, 2, 4);
	ck_assert_int_eq(record_of(w, "c")->wanted_us, boot_us);
	expect_record(w, "c", 4, 4, -1 * (int)(boot_us / S));
	expect_last(w, "c", "settled:b", "b");
}
END_TEST

START_TEST(a_line_that_cannot_be_read_is_left_out)
{
	g_autoptr(World) w = world_new("== a\n" DAEMON);
	static const char text[] = "a 5 6 7 8 up b settled:b\n"
				   "a 9 9 9 9 nonsense b x\n"
				   "a 9\n\n"
				   "nosuch 1 1 1 1 up - -\n"
				   "a -1 1 1 1 up - -\n"
				   "a 1 2 3 4 up - cut short";

	boot_record_recover(world_engine(w), text, strlen(text));
	ck_assert_int_eq(record_of(w, "a")->wanted_us, 5);
	ck_assert_int_eq(record_of(w, "a")->over_us, 8);
	expect_last(w, "a", "settled:b", "b");
}
END_TEST

START_TEST(changes_are_sent_once)
{
	g_autoptr(World) w = world_new("== a\n" DAEMON);
	g_autofree char *first = boot_record_take_news(world_engine(w));
	g_autofree char *none = boot_record_take_news(world_engine(w));
	g_autofree char *second = NULL;

	ck_assert(g_str_has_prefix(first, "a "));
	ck_assert_ptr_nonnull(strstr(first, " 0 none - -\n"));
	ck_assert_ptr_null(none);
	world_ready(w, "a");
	second = boot_record_take_news(world_engine(w));
	ck_assert_ptr_nonnull(strstr(second, " up - -\n"));
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("boot_record");

	ADD_CASE(suite, "wait", what_became_true_last_is_what_it_waited_for,
		 an_external_condition_is_recorded_without_a_service,
		 a_bus_name_is_recorded_with_its_owner, a_wait_for_a_lock_names_its_holder);
	ADD_CASE(suite, "once", a_retry_belongs_to_the_same_start, a_failed_start_is_over_too,
		 a_restart_after_its_start_changes_nothing,
		 a_service_wanted_only_after_the_boot_has_no_record,
		 a_service_that_an_admin_stops_meanwhile_stays_in_the_record,
		 a_service_stopped_before_it_began_is_not_in_the_record);
	ADD_CASE(suite, "text", it_outlives_a_manager, a_line_that_cannot_be_read_is_left_out,
		 changes_are_sent_once);
	return suite;
}
