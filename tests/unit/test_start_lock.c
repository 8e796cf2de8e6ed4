/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Start lock: services with the same StartLock= start one at a time. Also tests which service is
 * next, and what a lock never delays.
 */
#include "config.h"

#include <check.h>

#include "engine/explain.h"
#include "tests/lib/suite.h"
#include "tests/lib/world.h"

#define DAEMON "[Service]\nExec=/usr/sbin/d\nReady=notify\nStartLock=console\n"
#define TASK "[Service]\nType=task\nExec=/usr/sbin/t\nStartLock=console\n"
#define FREE "[Service]\nExec=/usr/sbin/d\nReady=notify\n"

/* --- one at a time --- */

START_TEST(the_next_one_starts_when_the_one_before_is_ready_done_or_failed)
{
	g_autoptr(World) w = world_new("== a\n" DAEMON "== b\n" TASK "== c\n" TASK "== d\n" DAEMON);

	expect_log(w, "start a");
	world_ready(w, "a");
	expect_log(w, "start b");
	world_exits(w, "b", 0);
	expect_state(w, "b", STATE_DONE);
	expect_log(w, "start c");
	world_exits(w, "c", 1);
	world_gone(w, "c");
	expect_state(w, "c", STATE_FAILED);
	expect_log(w, "stop c, start d");
}
END_TEST

START_TEST(another_lock_and_none_are_not_held_up)
{
	g_autoptr(World) w = world_new("== a\n" DAEMON "== b\n" FREE "StartLock=disk\n== c\n" FREE);

	expect_log(w, "start a, start b, start c");
}
END_TEST

START_TEST(a_start_that_is_broken_off_holds_the_lock_until_its_processes_are_gone)
{
	g_autoptr(World) w = world_new("== a\n" DAEMON "== b\n" DAEMON);

	world_stop(w, "a");
	expect_log(w, "start a, stop a");
	expect_state(w, "b", STATE_WAITING);
	world_gone(w, "a");
	expect_log(w, "start b");
}
END_TEST

START_TEST(a_stop_holds_the_lock_but_never_waits_for_it)
{
	g_autoptr(World) w = world_new_with_policy("== a\n" DAEMON "== b\n" DAEMON "== c\n" DAEMON,
						   "[runlevel 2]\nActivate=a b\n");

	world_settle(w);
	expect_log(w, "start a, start b");
	world_start(w, "c");
	world_stop(w, "a");
	world_stop(w, "b");
	expect_log(w, "start c, stop a, stop b");
	world_stop(w, "c");
	world_start(w, "c");
	world_gone(w, "c");
	expect_state(w, "c", STATE_WAITING);
	world_gone(w, "a");
	world_gone(w, "b");
	expect_log(w, "stop c, start c");
}
END_TEST

/* --- the next one --- */

START_TEST(services_allowed_at_the_same_moment_start_by_policy_order_then_by_name)
{
	g_autoptr(World) w = world_new_with_policy(
		"== a\n" TASK "== b\n" TASK "== c\n" TASK "== y\n" TASK "== z\n" TASK,
		"[defaults]\nNewServices=boot\n[runlevel 2]\nActivate=z y\n");

	world_settle(w);
	expect_log(w, "start z, start y, start a, start b, start c");
}
END_TEST

START_TEST(the_lock_is_given_in_order_of_arrival)
{
	g_autoptr(World)
		w = world_new("== a\n" TASK "== b\n" TASK "[Conditions]\nWhen=flag:b\n== c\n" TASK
			      "[Conditions]\nWhen=flag:c\n");

	world_advance_s(w, 1);
	world_set(w, "flag:c", true);
	world_advance_s(w, 1);
	world_set(w, "flag:b", true);
	world_exits(w, "a", 0);
	expect_log(w, "start a, start c");
}
END_TEST

START_TEST(one_that_fails_again_and_again_goes_to_the_end_of_the_line)
{
	g_autoptr(World)
		w = world_new("== a\n" DAEMON "Restart=always\n== b\n" DAEMON "== c\n" DAEMON);

	world_dies(w, "a", 1);
	expect_log(w, "start a, stop a, start b");
	world_advance_s(w, 1);
	expect_state(w, "a", STATE_WAITING);
	world_ready(w, "b");
	expect_log(w, "start c");
	world_ready(w, "c");
	expect_log(w, "start a");
}
END_TEST

START_TEST(a_service_that_loses_its_condition_returns_to_the_end_of_the_queue)
{
	g_autoptr(World)
		w = world_new("== a\n" TASK "== b\n" TASK "[Conditions]\nWhen=flag:b\n== c\n" TASK
			      "[Conditions]\nWhen=flag:c\n");

	world_set(w, "flag:b", true);
	world_advance_s(w, 1);
	world_set(w, "flag:c", true);
	world_set(w, "flag:b", false);
	world_advance_s(w, 1);
	world_set(w, "flag:b", true);
	world_exits(w, "a", 0);
	expect_log(w, "start a, start c");
	world_exits(w, "c", 0);
	expect_log(w, "start b");
}
END_TEST

START_TEST(an_unwanted_service_leaves_the_queue)
{
	g_autoptr(World) w = world_new("== a\n" TASK "== b\n" TASK "== c\n" TASK);

	world_stop(w, "b");
	expect_state(w, "b", STATE_IDLE);
	world_exits(w, "a", 0);
	expect_log(w, "start a, start c");
}
END_TEST

START_TEST(if_the_first_in_line_leaves_while_the_lock_is_free_the_next_one_starts)
{
	g_autoptr(World) w = world_new_with_policy(
		"== a\n" TASK "[Conditions]\nConflicts=b\n== b\n" FREE "== c\n" TASK,
		"[runlevel 2]\nActivate=b c a\n[runlevel 3]\nActivate=a c\n");

	expect_log(w, "start b, start c");
	world_runlevel(w, "3");
	world_exits(w, "c", 0);
	expect_state(w, "a", STATE_WAITING);
	world_gone(w, "b");
	expect_log(w, "stop b, start a");
}
END_TEST

/* --- order, settled --- */

START_TEST(a_service_that_waits_for_the_lock_has_not_settled)
{
	g_autoptr(World) w =
		world_new("== a\n" TASK "== b\n" TASK "== late\n" FREE "[Conditions]\nAfter=b\n");

	expect_log(w, "start a");
	ck_assert(!engine_is_settled(world_find(w, "b")));
	ck_assert(!engine_is_at_rest(world_engine(w)));
	world_exits(w, "a", 0);
	expect_log(w, "start b");
	world_exits(w, "b", 0);
	expect_log(w, "start late");
}
END_TEST

START_TEST(an_order_against_policys_is_kept_and_nothing_hangs)
{
	g_autoptr(World)
		w = world_new_with_policy("== a\n" TASK "[Conditions]\nAfter=b\n== b\n" TASK
					  "[Conditions]\nAfter=c\n"
					  "== c\n" TASK,
					  "[runlevel 2]\nActivate=a b c\n");

	world_settle(w);
	expect_log(w, "start c, start b, start a");
}
END_TEST

/* --- reload, crash --- */

START_TEST(the_next_manager_knows_the_holder_of_the_lock)
{
	g_autoptr(World) w = world_new("== a\n" DAEMON "== b\n" DAEMON "== c\n" DAEMON);

	world_ready(w, "a");
	world_stop(w, "a");
	expect_log(w, "start a, start b, stop a");
	world_crash(w);
	(void)world_log(w);
	expect_state(w, "b", STATE_STARTING);
	world_ready(w, "b");
	expect_state(w, "c", STATE_WAITING);
	world_gone(w, "a");
	expect_log(w, "start c");
}
END_TEST

START_TEST(what_is_held_stays_held_when_the_files_change)
{
	g_autoptr(World) w = world_new("== a\n" DAEMON "== b\n" DAEMON "== c\n" DAEMON);

	world_reload(w, "== a\n" FREE "== b\n" DAEMON "== c\n" FREE, NULL);
	expect_log(w, "start a, start c");
	expect_state(w, "b", STATE_WAITING);
	world_ready(w, "a");
	expect_log(w, "start b");
}
END_TEST

START_TEST(the_line_keeps_its_order_when_the_files_change)
{
	g_autoptr(World)
		w = world_new("== a\n" TASK "== b\n" TASK "[Conditions]\nWhen=flag:b\n== c\n" TASK);

	world_advance_s(w, 1);
	world_set(w, "flag:b", true);
	world_reload(w, "== a\n" TASK "== b\n" TASK "== c\n" TASK, NULL);
	world_exits(w, "a", 0);
	expect_log(w, "start a, start c");
}
END_TEST

/* --- messages --- */

START_TEST(the_holder_is_named)
{
	g_autoptr(World) w = world_new("== a\n" TASK "== b\n" TASK);
	g_autoptr(GPtrArray) reasons = explain_service(world_engine(w), "b", world_now(w));
	const Reason *state = g_ptr_array_index(reasons, 0);
	const Reason *holder = g_ptr_array_index(reasons, 2);

	expect_cause(w, "b", "waits for the lock console, which a holds");
	ck_assert_str_eq(state->text, "b waits for the lock console, which a holds.");
	ck_assert_uint_eq(holder->depth, 1);
	ck_assert_str_eq(holder->text, "a is starting; the start began just now.");
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("start-lock");

	ADD_CASE(suite, "one at a time",
		 the_next_one_starts_when_the_one_before_is_ready_done_or_failed,
		 another_lock_and_none_are_not_held_up,
		 a_start_that_is_broken_off_holds_the_lock_until_its_processes_are_gone,
		 a_stop_holds_the_lock_but_never_waits_for_it);
	ADD_CASE(suite, "turn",
		 services_allowed_at_the_same_moment_start_by_policy_order_then_by_name,
		 the_lock_is_given_in_order_of_arrival,
		 one_that_fails_again_and_again_goes_to_the_end_of_the_line,
		 a_service_that_loses_its_condition_returns_to_the_end_of_the_queue,
		 an_unwanted_service_leaves_the_queue,
		 if_the_first_in_line_leaves_while_the_lock_is_free_the_next_one_starts);
	ADD_CASE(suite, "order", a_service_that_waits_for_the_lock_has_not_settled,
		 an_order_against_policys_is_kept_and_nothing_hangs);
	ADD_CASE(suite, "reload and crash", the_next_manager_knows_the_holder_of_the_lock,
		 what_is_held_stays_held_when_the_files_change,
		 the_line_keeps_its_order_when_the_files_change);
	ADD_CASE(suite, "words", the_holder_is_named);
	return suite;
}
