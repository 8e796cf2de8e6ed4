/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Load: new files and new policy while services run.
 */
#include "config.h"

#include <check.h>

#include "tests/lib/suite.h"
#include "tests/lib/world.h"

#define DAEMON "[Service]\nExec=/usr/sbin/d\nReady=notify\n"
#define WANT_A "[runlevel 2]\nActivate=a\n"

START_TEST(reading_the_same_files_again_changes_nothing)
{
	const char *files = "== a\n" DAEMON
			    "[Conditions]\nWhile=service:b\nWhen=flag:go\n== b\n" DAEMON;
	g_autoptr(World) w = world_new(files);

	world_set(w, "flag:go", true);
	world_settle(w);
	(void)world_log(w);
	world_reload(w, files, NULL);
	expect_log(w, "");
	expect_state(w, "a", STATE_READY);
	ck_assert_uint_eq(world_find(w, "a")->invocation, 1);
}
END_TEST

START_TEST(a_new_service_that_policy_wants_is_started)
{
	g_autoptr(World) w = world_new_with_policy("== a\n" DAEMON, WANT_A);

	world_settle(w);
	(void)world_log(w);
	world_reload(w, "== a\n" DAEMON "== b\n" DAEMON, "[runlevel 2]\nActivate=a b\n");
	expect_log(w, "start b");
}
END_TEST

START_TEST(what_policy_does_not_want_any_more_is_stopped)
{
	g_autoptr(World) w = world_new_with_policy("== a\n" DAEMON, WANT_A);

	world_settle(w);
	world_reload(w, "== a\n" DAEMON, "[service a]\nActivation=never\n");
	expect_state(w, "a", STATE_STOPPING);
	expect_cause(w, "a", "its policy is never (/etc/svcd/policy.d/local.policy:2)");
}
END_TEST

START_TEST(a_new_term_that_is_false_stops_what_runs)
{
	g_autoptr(World) w = world_new_with_policy("== a\n" DAEMON, WANT_A);

	world_settle(w);
	world_reload(w, "== a\n" DAEMON "[Conditions]\nWhile=flag:net\n", NULL);
	expect_state(w, "a", STATE_STOPPING);
	world_settle(w);
	world_reload(w, "== a\n" DAEMON, NULL);
	expect_state(w, "a", STATE_STARTING);
}
END_TEST

START_TEST(a_file_with_errors_leaves_what_runs_as_it_is)
{
	g_autoptr(World) w = world_new_with_policy("== a\n" DAEMON, WANT_A);

	world_settle(w);
	world_reload(w, "== a\n[Service]\nExec=relative\n", NULL);
	expect_state(w, "a", STATE_READY);
	ck_assert_ptr_null(world_find(w, "a")->def->problem);
	ck_assert_ptr_nonnull(
		strstr(service_cause(world_find(w, "a")), "the last good one stays in force"));
}
END_TEST

START_TEST(a_file_with_errors_does_not_undo_the_work_of_a_task)
{
	g_autoptr(World)
		w = world_new("[Service]\nType=task\nExec=/bin/t\n[Conditions]\nWhen=flag:a\n");

	world_set(w, "flag:a", true);
	world_started(w, "it");
	world_dies(w, "it", 0);
	expect_state(w, "it", STATE_DONE);
	world_set(w, "flag:a", false);

	/* The remaining file has no false term. */
	world_reload(w, "[Service]\nType=task\nExec=t\n", NULL);
	world_crash(w);

	expect_state(w, "it", STATE_DONE);
}
END_TEST

START_TEST(a_corrected_file_gives_a_new_chance)
{
	g_autoptr(World) w = world_new_with_policy("== a\n[Service]\nExec=relative\n", WANT_A);

	expect_state(w, "a", STATE_FAILED);
	world_reload(w, "== a\n" DAEMON, NULL);
	expect_state(w, "a", STATE_STARTING);
}
END_TEST

START_TEST(what_does_not_run_is_forgotten_with_its_file)
{
	g_autoptr(World) w = world_new_with_policy(
		"== a\n" DAEMON "== b\n" DAEMON "[Conditions]\nWants=c\n== c\n" DAEMON, WANT_A);

	world_settle(w);
	(void)world_log(w);
	world_reload(w, "== a\n" DAEMON, NULL);
	expect_log(w, "removed b, removed c");
	ck_assert_ptr_null(engine_find(world_engine(w), "b"));
}
END_TEST

START_TEST(what_runs_is_forgotten_when_it_has_ended)
{
	g_autoptr(World) w = world_new_with_policy("== a\n" DAEMON "== b\n" DAEMON,
						   "[runlevel 2]\nActivate=a b\n");

	world_settle(w);
	(void)world_log(w);
	world_reload(w, "== a\n" DAEMON, NULL);
	expect_state(w, "b", STATE_READY);
	ck_assert_str_eq(world_refusal(w, REQUEST_VERB_START, "b"), "b: its service file is gone");

	world_dies(w, "b", 1);
	ck_assert_ptr_null(engine_find(world_engine(w), "b"));
	expect_log(w, "stop b, removed b");
}
END_TEST

static const char *file_state_of(World *w, const char *service)
{
	return file_state_name(service_file_state(world_find(w, service)));
}

START_TEST(the_file_that_started_a_run_is_remembered)
{
	g_autoptr(World) w = world_new_with_policy("== a\n" DAEMON "== b\n" DAEMON,
						   "[runlevel 2]\nActivate=a b\n");

	world_settle(w);
	ck_assert_str_eq(file_state_of(w, "a"), "current");

	world_reload(w,
		     "== a\n" DAEMON "Description=other\n[Conditions]\nAfter=x\n== b\n" DAEMON
		     "StopTimeout=1s\n",
		     NULL);
	ck_assert_str_eq(file_state_of(w, "a"), "current");
	ck_assert_str_eq(file_state_of(w, "b"), "changed");

	world_crash(w);
	ck_assert_str_eq(file_state_of(w, "a"), "current");
	ck_assert_str_eq(file_state_of(w, "b"), "changed");
	world_restart(w, "b");
	world_settle(w);
	ck_assert_str_eq(file_state_of(w, "b"), "current");

	world_reload(w, "== a\n[Service]\nExec=relative\n", NULL);
	ck_assert_str_eq(file_state_of(w, "a"), "invalid");
	ck_assert_str_eq(file_state_of(w, "b"), "gone");
	world_crash(w);
	ck_assert_str_eq(file_state_of(w, "a"), "invalid");
	ck_assert_str_eq(file_state_of(w, "b"), "gone");
}
END_TEST

START_TEST(a_file_that_is_back_with_errors_is_there_again)
{
	g_autoptr(World) w = world_new_with_policy("== a\n" DAEMON "== b\n" DAEMON,
						   "[runlevel 2]\nActivate=a b\n");

	world_settle(w);
	world_reload(w, "== a\n" DAEMON, NULL);
	world_reload(w, "== a\n" DAEMON "== b\n[Service]\nExec=relative\n", NULL);
	ck_assert_ptr_nonnull(
		strstr(service_cause(world_find(w, "b")), "the last good one stays in force"));

	world_dies(w, "b", 1);
	ck_assert_ptr_nonnull(engine_find(world_engine(w), "b"));
	world_start(w, "b");
	expect_state(w, "b", STATE_STARTING);
}
END_TEST

/* A manager that never read the service's file has no last good definition of it. */
START_TEST(a_service_taken_over_without_a_file_gets_one_that_appears)
{
	g_autoptr(World) w = world_new_with_policy("== a\n" DAEMON "== b\n" DAEMON,
						   "[runlevel 2]\nActivate=a b\n");

	world_settle(w);
	world_reload(w, "== a\n" DAEMON, NULL);
	world_crash(w);
	expect_state(w, "b", STATE_READY);
	world_reload(w, "== a\n" DAEMON "== b\n[Service]\nExec=relative\n", NULL);
	ck_assert_str_ne(world_find(w, "b")->def->problem, "its service file is gone");
	world_reload(w, "== a\n" DAEMON "== b\n" DAEMON, NULL);
	ck_assert_ptr_null(world_find(w, "b")->def->problem);
	expect_state(w, "b", STATE_READY);
}
END_TEST

START_TEST(a_group_restarts_its_members_of_before_and_of_now)
{
	const char *all = "== all\n[Service]\nType=group\n[Conditions]\nWants=old new\n";
	g_autofree char *before =
		g_strconcat(all, "== old\n" DAEMON "== new\n[Service]\nType=group\n", NULL);
	g_autofree char *now =
		g_strconcat(all, "== old\n[Service]\nType=group\n== new\n" DAEMON, NULL);
	g_autoptr(World) w = world_new_with_policy(before, "[runlevel 2]\nActivate=all\n");

	world_settle(w);
	world_reload(w, now, NULL);
	expect_log(w, "start old");
	world_restart(w, "all");
	expect_log(w, "stop old, start new");
	world_settle(w);
	expect_state(w, "old", STATE_READY);
	expect_state(w, "new", STATE_READY);
	expect_log(w, "");
}
END_TEST

START_TEST(a_group_that_becomes_a_daemon_does_not_hold_on_to_its_when_terms)
{
	g_autoptr(World) w = world_new_with_policy(
		"== a\n[Service]\nType=group\n[Conditions]\nWhen=flag:go\n", WANT_A);

	world_set(w, "flag:go", true);
	expect_state(w, "a", STATE_READY);
	world_reload(w, "== a\n" DAEMON "[Conditions]\nWhen=flag:go\n", NULL);
	world_restart(w, "a");
	world_settle(w);
	expect_log(w, "start a");
	world_set(w, "flag:go", false);
	expect_state(w, "a", STATE_READY);
}
END_TEST

START_TEST(a_daemon_whose_file_makes_it_a_group_ends_as_a_daemon)
{
	g_autoptr(World) w = world_new_with_policy("== a\n" DAEMON, WANT_A);

	world_settle(w);
	world_reload(w, "== a\n[Service]\nType=group\n", NULL);
	expect_state(w, "a", STATE_READY);
	world_stop(w, "a");
	expect_state(w, "a", STATE_STOPPING);
	world_settle(w);
	expect_state(w, "a", STATE_IDLE);
	world_start(w, "a");
	expect_state(w, "a", STATE_READY);
	expect_log(w, "start a, stop a");
}
END_TEST

START_TEST(a_done_task_whose_file_makes_it_a_group_outlives_the_manager)
{
	g_autoptr(World) w = world_new_with_policy(
		"== a\n[Service]\nType=task\nExec=/bin/a\n[Conditions]\nWhen=flag:go\n", WANT_A);

	world_set(w, "flag:go", true);
	world_settle(w);
	world_exits(w, "a", 0);
	expect_state(w, "a", STATE_DONE);
	world_set(w, "flag:go", false);
	world_reload(w, "== a\n[Service]\nType=group\n[Conditions]\nWhen=flag:go\n", NULL);
	expect_state(w, "a", STATE_DONE);
	world_crash(w);
	world_settle(w);
	expect_state(w, "a", STATE_DONE);
}
END_TEST

START_TEST(a_group_whose_file_makes_it_a_daemon_outlives_the_manager)
{
	g_autoptr(World) w = world_new_with_policy("== a\n[Service]\nType=group\n", WANT_A);

	expect_state(w, "a", STATE_READY);
	world_reload(w, "== a\n" DAEMON, NULL);
	world_crash(w);
	world_settle(w);
	expect_state(w, "a", STATE_READY);
	expect_log(w, "");
}
END_TEST

START_TEST(policy_adds_terms_and_drops_terms)
{
	g_autoptr(World) w = world_new_with_policy(
		"== a\n" DAEMON "[Conditions]\nWhen=flag:theirs\nAfter=b\n== b\n" DAEMON,
		"[runlevel 2]\nActivate=a b\n[service a]\nWhen=flag:ours\n"
		"Ignore=flag:theirs b\n");

	expect_state(w, "a", STATE_WAITING);
	world_set(w, "flag:ours", true);
	expect_state(w, "b", STATE_STARTING);
	expect_state(w, "a", STATE_STARTING);
}
END_TEST

#define KEPT DAEMON "[Conditions]\nOnLapse=keep\nSettle=1h\n"

/* Like the terms of held_programs_apply(). */
START_TEST(removal_of_the_package_stops_a_service_with_on_lapse_keep)
{
	g_autoptr(World) w = world_new("== a\n" KEPT);

	world_settle(w);
	expect_state(w, "a", STATE_READY);
	world_reload(w, "== a\n" KEPT "While=installed:/usr/sbin/d\n", NULL);
	world_set(w, "installed:/usr/sbin/d", false);
	expect_state(w, "a", STATE_STOPPING);
	world_settle(w);
	expect_state(w, "a", STATE_WAITING);
}
END_TEST

START_TEST(what_has_failed_gets_a_new_chance_when_its_program_is_no_longer_held)
{
	g_autoptr(World) w = world_new("== a\n" DAEMON);

	world_start_fails(w, "a", "there is no user \"a\"");
	world_settle(w);
	expect_state(w, "a", STATE_FAILED);
	world_reload(w, "== a\n" DAEMON "[Conditions]\nWhen=installed:/usr/sbin/d\n", NULL);
	world_set(w, "installed:/usr/sbin/d", false);
	expect_state(w, "a", STATE_FAILED);
	world_reload(w, "== a\n" DAEMON, NULL);
	expect_state(w, "a", STATE_STARTING);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("load");

	ADD_CASE(suite, "reload", reading_the_same_files_again_changes_nothing,
		 a_new_service_that_policy_wants_is_started,
		 what_policy_does_not_want_any_more_is_stopped,
		 a_new_term_that_is_false_stops_what_runs,
		 a_file_with_errors_leaves_what_runs_as_it_is,
		 a_file_with_errors_does_not_undo_the_work_of_a_task,
		 a_corrected_file_gives_a_new_chance, what_does_not_run_is_forgotten_with_its_file,
		 what_runs_is_forgotten_when_it_has_ended,
		 the_file_that_started_a_run_is_remembered,
		 a_file_that_is_back_with_errors_is_there_again,
		 a_service_taken_over_without_a_file_gets_one_that_appears,
		 a_group_that_becomes_a_daemon_does_not_hold_on_to_its_when_terms,
		 a_group_restarts_its_members_of_before_and_of_now,
		 a_daemon_whose_file_makes_it_a_group_ends_as_a_daemon,
		 a_group_whose_file_makes_it_a_daemon_outlives_the_manager,
		 a_done_task_whose_file_makes_it_a_group_outlives_the_manager,
		 policy_adds_terms_and_drops_terms,
		 removal_of_the_package_stops_a_service_with_on_lapse_keep,
		 what_has_failed_gets_a_new_chance_when_its_program_is_no_longer_held);
	return suite;
}
