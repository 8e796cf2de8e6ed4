/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Settled and facilities: what After= waits for, and what it does not wait for.
 */
#include "config.h"

#include <check.h>

#include "tests/lib/suite.h"
#include "tests/lib/world.h"

#define DAEMON "[Service]\nExec=/usr/sbin/d\nReady=notify\n"
#define FRAGILE "[Service]\nExec=/usr/sbin/d\nReady=notify\nRestart=no\n"

START_TEST(after_waits_for_one_that_is_starting)
{
	g_autoptr(World) w = world_new("== a\n" DAEMON "== b\n" DAEMON "[Conditions]\nAfter=a\n");

	expect_log(w, "start a");
	expect_level(w, "settled:a", LEVEL_FALSE);
	world_ready(w, "a");
	expect_log(w, "start b");
}
END_TEST

START_TEST(after_wants_nothing_and_does_not_wait_for_what_is_not_wanted)
{
	g_autoptr(World)
		w = world_new_with_policy("== a\n" DAEMON "== b\n" DAEMON "[Conditions]\nAfter=a\n",
					  "[runlevel 2]\nActivate=b\n");

	expect_log(w, "start b");
	expect_state(w, "a", STATE_IDLE);
}
END_TEST

START_TEST(after_goes_on_when_the_other_fails)
{
	g_autoptr(World) w = world_new("== a\n" FRAGILE "== b\n" DAEMON "[Conditions]\nAfter=a\n");

	world_dies(w, "a", 1);
	expect_state(w, "a", STATE_FAILED);
	expect_state(w, "b", STATE_STARTING);
}
END_TEST

START_TEST(after_waits_through_a_backoff)
{
	g_autoptr(World) w = world_new(
		"== a\n[Service]\nExec=/bin/d\nReady=notify\nRestart=always\n== b\n" DAEMON
		"[Conditions]\nAfter=a\n");

	world_dies(w, "a", 1);
	expect_state(w, "a", STATE_BACKOFF);
	expect_state(w, "b", STATE_WAITING);
}
END_TEST

START_TEST(after_goes_on_when_the_other_fails_again_and_again)
{
	g_autoptr(World) w = world_new(
		"== a\n[Service]\nExec=/bin/d\nReady=notify\nRestart=always\nRestartDelay=1s\n== "
		"b\n" DAEMON "[Conditions]\nAfter=a\n");

	for (unsigned i = 0; i < 2; i++) {
		world_dies(w, "a", 1);
		expect_state(w, "b", STATE_WAITING);
		world_advance_s(w, 4);
		expect_state(w, "a", STATE_STARTING);
	}
	world_dies(w, "a", 1);
	expect_state(w, "a", STATE_BACKOFF);
	expect_state(w, "b", STATE_STARTING);

	/* Further attempts of "a" delay nothing. */
	world_advance_s(w, 4);
	expect_state(w, "a", STATE_STARTING);
	expect_level(w, "settled:a", LEVEL_TRUE);
	world_crash(w);
	expect_level(w, "settled:a", LEVEL_TRUE);

	/*
	 * A start by an admin counts as a first start again, and so does a start after a long run.
	 */
	world_dies(w, "a", 1);
	world_start(w, "a");
	expect_level(w, "settled:a", LEVEL_FALSE);
}
END_TEST

START_TEST(failures_of_long_ago_do_not_count)
{
	g_autoptr(World) w = world_new(
		"== a\n[Service]\nExec=/bin/d\nReady=notify\nRestart=always\nRestartDelay=1s\n"
		"[Conditions]\nWhile=flag:go\n== b\n" DAEMON
		"[Conditions]\nAfter=a\nWhen=flag:b\n");

	world_set(w, "flag:go", true);
	for (unsigned i = 0; i < 3; i++) {
		world_dies(w, "a", 1);
		world_advance_s(w, 4);
	}
	world_ready(w, "a");
	world_advance_s(w, 60);
	world_set(w, "flag:go", false);
	world_dies(w, "a", 0);
	expect_state(w, "a", STATE_WAITING);
	world_set(w, "flag:go", true);
	expect_state(w, "a", STATE_STARTING);
	world_set(w, "flag:b", true);
	expect_state(w, "b", STATE_WAITING);
}
END_TEST

START_TEST(an_absent_device_delays_no_other_service)
{
	g_autoptr(World)
		w = world_new("== a\n" DAEMON "[Conditions]\nWhen=path:/dev/absent\n== b\n" DAEMON
			      "[Conditions]\nAfter=a\n");

	expect_log(w, "start b");
}
END_TEST

START_TEST(a_level_that_a_starting_service_will_supply_is_awaited)
{
	g_autoptr(World)
		w = world_new("== low\n" DAEMON "== mid\n" DAEMON "[Conditions]\nWhen=service:low\n"
			      "When=path:/x\n== top\n" DAEMON "[Conditions]\nAfter=mid\n");

	expect_log(w, "start low");
	expect_state(w, "top", STATE_WAITING);
	world_ready(w, "low");
	expect_log(w, "start top");
}
END_TEST

START_TEST(nothing_starts_on_a_level_half_propagated)
{
	/* When low is ready, mid may start at the same moment: top must not start first. */
	g_autoptr(World) w = world_new("== low\n" DAEMON "== mid\n" DAEMON
				       "[Conditions]\nWhen=service:low\n== top\n" DAEMON
				       "[Conditions]\nAfter=mid\n");

	world_ready(w, "low");
	expect_log(w, "start low, start mid");
	world_ready(w, "mid");
	expect_log(w, "start top");
}
END_TEST

START_TEST(an_unknown_level_is_waited_for_half_a_minute)
{
	g_autoptr(World) w = world_new("== a\n" DAEMON
				       "[Conditions]\nWhen=flag:x\nWhen=flag:y\n== b\n" DAEMON
				       "[Conditions]\nAfter=a\nWhen=flag:go\n");

	world_set_unknown(w, "flag:x");
	world_set(w, "flag:go", true);
	expect_state(w, "b", STATE_WAITING);
	world_advance_s(w, 30);
	expect_state(w, "b", STATE_STARTING);
}
END_TEST

START_TEST(an_unknown_level_is_not_waited_for_where_the_service_cannot_run)
{
	g_autoptr(World) w = world_new("== a\n" DAEMON
				       "[Conditions]\nWhen=path:/x\nWhen=!virtual:container\n"
				       "== b\n" DAEMON "[Conditions]\nAfter=a\nWhen=flag:go\n");

	world_set_unknown(w, "path:/x");
	world_set(w, "flag:go", true);
	expect_log(w, "");

	world_set(w, "virtual:container", true);
	expect_log(w, "start b");
}
END_TEST

START_TEST(an_unknown_level_is_not_waited_for_when_nothing_will_make_it_known)
{
	g_autoptr(World) w = world_new(
		"== udev\n" DAEMON "== a\n" DAEMON
		"[Conditions]\nWhen=udev:SUBSYSTEM=bluetooth\nWhen=flag:go\n== b\n" DAEMON
		"[Conditions]\nWhen=!udev:SUBSYSTEM=bluetooth\nWhen=flag:go\n== c\n" DAEMON
		"[Conditions]\nAfter=a\nWhen=flag:go\n");

	world_set_unknown(w, "udev:SUBSYSTEM=bluetooth");
	world_set(w, "flag:go", true);
	expect_state(w, "udev", STATE_STARTING);
	expect_state(w, "b", STATE_WAITING); /* udev will soon set the level */
	expect_state(w, "c", STATE_WAITING);
	world_ready(w, "udev");
	expect_state(w, "b", STATE_WAITING);

	world_dies(w, "udev", 0);
	expect_state(w, "udev", STATE_IDLE);
	expect_state(w, "a", STATE_WAITING);
	expect_state(w, "b", STATE_STARTING);
	expect_state(w, "c", STATE_STARTING);
}
END_TEST

START_TEST(a_running_service_ignores_settled)
{
	g_autoptr(World) w = world_new("== a\n" DAEMON "== b\n" DAEMON
				       "[Conditions]\nAfter=a\nWhile=settled:a\n");

	world_settle(w);
	(void)world_log(w);
	world_restart(w, "a");
	expect_log(w, "stop a");
	expect_state(w, "b", STATE_READY);
}
END_TEST

START_TEST(those_that_wait_for_each_other_have_settled)
{
	g_autoptr(World) w = world_new(
		"== a\n" DAEMON "[Conditions]\nWhen=service:b | flag:x\n== b\n" DAEMON
		"[Conditions]\nWhen=service:a | flag:x\n== c\n" DAEMON "[Conditions]\nAfter=a\n");

	expect_state(w, "a", STATE_WAITING);
	expect_log(w, "start c");
	world_settle(w);
	ck_assert(engine_is_at_rest(world_engine(w)));
}
END_TEST

/* --- facilities --- */

#define PROVIDERS                                                      \
	"== p1\n" DAEMON "[Conditions]\nProvides=$net\n== p2\n" DAEMON \
	"[Conditions]\nProvides=$net\n"

START_TEST(a_facility_is_there_when_all_its_wanted_providers_are)
{
	g_autoptr(World) w = world_new_with_policy(PROVIDERS "== app\n" DAEMON
							     "[Conditions]\nWhen=facility:$net\n",
						   "[runlevel 2]\nActivate=p1 p2 app\n");

	world_ready(w, "p1");
	expect_state(w, "app", STATE_WAITING);
	world_ready(w, "p2");
	expect_state(w, "app", STATE_STARTING);
}
END_TEST

START_TEST(a_provider_that_is_not_wanted_does_not_count)
{
	g_autoptr(World) w = world_new_with_policy(PROVIDERS "== app\n" DAEMON
							     "[Conditions]\nWhen=facility:$net\n",
						   "[runlevel 2]\nActivate=p1 app\n");

	world_ready(w, "p1");
	expect_state(w, "app", STATE_STARTING);
}
END_TEST

START_TEST(a_facility_without_providers_is_settled_and_false)
{
	g_autoptr(World)
		w = world_new_with_policy(PROVIDERS "== hard\n" DAEMON
						    "[Conditions]\nWhen=facility:$net\n"
						    "== soft\n" DAEMON "[Conditions]\nAfter=$net\n",
					  "[runlevel 2]\nActivate=hard soft\n");

	expect_log(w, "start soft");
	expect_state(w, "hard", STATE_WAITING);
}
END_TEST

START_TEST(after_a_facility_waits_for_all_its_wanted_providers)
{
	g_autoptr(World)
		w = world_new_with_policy(PROVIDERS "== app\n" DAEMON "[Conditions]\nAfter=$net\n",
					  "[runlevel 2]\nActivate=p1 p2 app\n");

	world_ready(w, "p1");
	expect_state(w, "app", STATE_WAITING);
	world_start_fails(w, "p2", "no");
	world_gone(w, "p2");
	expect_state(w, "p2", STATE_FAILED);
	expect_state(w, "app", STATE_STARTING);
}
END_TEST

START_TEST(a_further_name_means_the_same_service)
{
	g_autoptr(World) w = world_new_with_policy("== postfix\n" DAEMON
						   "[Conditions]\nProvides=mta\n== app\n" DAEMON
						   "[Conditions]\nWhile=service:mta\nAfter=mta\n",
						   "[runlevel 2]\nActivate=app\n");

	expect_log(w, "start postfix");
	world_ready(w, "postfix");
	expect_log(w, "start app");
	world_stop(w, "mta");
	expect_log(w, "stop app");
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("settled");

	ADD_CASE(suite, "settled", after_waits_for_one_that_is_starting,
		 after_wants_nothing_and_does_not_wait_for_what_is_not_wanted,
		 after_goes_on_when_the_other_fails, after_waits_through_a_backoff,
		 after_goes_on_when_the_other_fails_again_and_again,
		 failures_of_long_ago_do_not_count, an_absent_device_delays_no_other_service,
		 a_level_that_a_starting_service_will_supply_is_awaited,
		 nothing_starts_on_a_level_half_propagated,
		 an_unknown_level_is_waited_for_half_a_minute,
		 an_unknown_level_is_not_waited_for_where_the_service_cannot_run,
		 an_unknown_level_is_not_waited_for_when_nothing_will_make_it_known,
		 a_running_service_ignores_settled, those_that_wait_for_each_other_have_settled);
	ADD_CASE(suite, "facilities", a_facility_is_there_when_all_its_wanted_providers_are,
		 a_provider_that_is_not_wanted_does_not_count,
		 a_facility_without_providers_is_settled_and_false,
		 after_a_facility_waits_for_all_its_wanted_providers,
		 a_further_name_means_the_same_service);
	return suite;
}
