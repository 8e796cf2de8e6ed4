/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Engine: starts, readiness, terms, exits and runlevels, as an admin sees them.
 */
#include "config.h"

#include <string.h>

#include "tests/lib/suite.h"
#include "tests/lib/world.h"

#define DAEMON "[Service]\nExec=/usr/sbin/d\nReady=notify\n"
#define TASK "[Service]\nType=task\nExec=/usr/sbin/t\n"

/* --- starting --- */

START_TEST(what_policy_wants_is_started_at_boot)
{
	g_autoptr(World) w = world_new(DAEMON);

	expect_state(w, "it", STATE_STARTING);
	expect_log(w, "start it");
	expect_cause(w, "it", "wanted in runlevel 2 (/etc/svcd/policy.d/local.policy:2)");

	world_started(w, "it");
	ck_assert_int_eq(world_find(w, "it")->main_pid, 4711);
	expect_state(w, "it", STATE_STARTING);

	world_ready(w, "it");
	expect_state(w, "it", STATE_READY);
	ck_assert(engine_is_at_rest(world_engine(w)));
}
END_TEST

START_TEST(what_nothing_wants_stays_idle)
{
	g_autoptr(World) w = world_new_with_policy(DAEMON, "[runlevel 3]\nActivate=it\n");

	expect_state(w, "it", STATE_IDLE);
	expect_log(w, "");
}
END_TEST

START_TEST(all_that_is_ready_starts_at_once)
{
	g_autoptr(World) w = world_new("== a\n" DAEMON "== b\n" DAEMON "== c\n" DAEMON);

	expect_log(w, "start a, start b, start c");
}
END_TEST

START_TEST(a_task_that_succeeds_is_done)
{
	g_autoptr(World) w = world_new(TASK);

	world_started(w, "it");
	world_exits(w, "it", 0);

	expect_state(w, "it", STATE_DONE);
	ck_assert_str_eq(world_find(w, "it")->result, "exit status 0");
	expect_log(w, "start it");
}
END_TEST

START_TEST(a_service_waits_for_the_one_that_it_needs)
{
	g_autoptr(World)
		w = world_new("== app\n" DAEMON "[Conditions]\nWhile=service:bus\n== bus\n" DAEMON);

	expect_log(w, "start bus");
	expect_state(w, "app", STATE_WAITING);

	world_ready(w, "bus");
	expect_log(w, "start app");
	expect_cause(w, "app", "service:bus is true");
}
END_TEST

START_TEST(a_group_is_ready_while_its_terms_are_true)
{
	g_autoptr(World) w = world_new(
		"== all\n[Service]\nType=group\n[Conditions]\nWhen=service:a\nWhile=service:b\n"
		"== a\n" DAEMON "== b\n" DAEMON);

	world_ready(w, "a");
	expect_state(w, "all", STATE_WAITING);
	world_ready(w, "b");
	expect_state(w, "all", STATE_READY);

	world_dies(w, "a", 1);
	expect_state(w, "all", STATE_WAITING);
	expect_log(w, "start a, start b, stop a");
}
END_TEST

#define MEMBERS "== all\n[Service]\nType=group\n[Conditions]\nWants=a b\nAfter=a b\n== b\n" DAEMON

START_TEST(a_restart_of_a_group_restarts_its_members)
{
	g_autoptr(World)
		w = world_new_with_policy(MEMBERS "== a\n" DAEMON, "[runlevel 2]\nActivate=all\n");

	world_stop(w, "b");
	world_settle(w);
	expect_state(w, "all", STATE_READY);
	(void)world_log(w);

	world_restart(w, "all");
	expect_log(w, "stop a");
	expect_state(w, "all", STATE_WAITING);
	world_gone(w, "a");
	expect_log(w, "start a");
	expect_state(w, "all", STATE_WAITING);
	expect_state(w, "b", STATE_IDLE);

	world_ready(w, "a");
	expect_state(w, "all", STATE_READY);
}
END_TEST

START_TEST(a_reload_of_a_group_reloads_the_members_that_can)
{
	g_autoptr(World) w = world_new_with_policy(MEMBERS "== a\n" DAEMON "Reload=signal:HUP\n",
						   "[runlevel 2]\nActivate=all\n");

	ck_assert_ptr_nonnull(strstr(world_refusal(w, REQUEST_VERB_RELOAD, "all"), "no Reload="));
	world_settle(w);
	(void)world_log(w);

	ck_assert(world_request(w, REQUEST_VERB_RELOAD, "all"));
	expect_log(w, "reload a");

	ck_assert(engine_is_reloading(world_find(w, "all")));
	world_reloaded(w, "a", "exit status 1");
	g_autofree char *problem = engine_reload_problem(world_find(w, "all"));
	ck_assert(!engine_is_reloading(world_find(w, "all")));
	ck_assert_str_eq(problem, "a: exit status 1");
}
END_TEST

#define RELOADABLE "[Service]\nExec=/bin/d\nReload=/bin/reload\n"

START_TEST(a_reload_goes_on_until_its_result_is_known)
{
	g_autoptr(World) w = world_new(RELOADABLE);
	const Service *it = world_find(w, "it");

	world_settle(w);
	(void)world_log(w);
	ck_assert(world_request(w, REQUEST_VERB_RELOAD, "it"));
	expect_log(w, "reload it");
	ck_assert(engine_is_reloading(it));

	/*
	 * The daemon's files may have changed since the first reload, so one more reload follows.
	 */
	ck_assert(world_request(w, REQUEST_VERB_RELOAD, "it"));
	ck_assert(world_request(w, REQUEST_VERB_RELOAD, "it"));
	expect_log(w, "");
	world_reloaded(w, "it", "exit status 1");
	expect_log(w, "reload it");
	ck_assert(engine_is_reloading(it) && !it->reload_problem);
	world_reloaded(w, "it", "not finished after 90 s");
	ck_assert(!engine_is_reloading(it));
	ck_assert_str_eq(it->reload_problem, "not finished after 90 s");

	ck_assert(world_request(w, REQUEST_VERB_RELOAD, "it"));
	ck_assert_ptr_null(it->reload_problem);
	world_reloaded(w, "it", NULL);
	ck_assert(!engine_is_reloading(it) && !it->reload_problem);
	expect_cause(w, "it", "reloaded");
}
END_TEST

START_TEST(a_reload_is_over_when_its_service_ends)
{
	g_autoptr(World) w = world_new(RELOADABLE "Restart=always\n");

	world_settle(w);
	ck_assert(world_request(w, REQUEST_VERB_RELOAD, "it"));
	world_dies(w, "it", 9);
	ck_assert(!engine_is_reloading(world_find(w, "it")));
	ck_assert_str_eq(world_find(w, "it")->reload_problem,
			 "it stopped or ended before its reload was over");
}
END_TEST

START_TEST(a_reload_goes_on_under_another_manager)
{
	g_autoptr(World) w = world_new(RELOADABLE);

	world_settle(w);
	ck_assert(world_request(w, REQUEST_VERB_RELOAD, "it"));
	(void)world_log(w);
	world_crash(w);
	ck_assert(engine_is_reloading(world_find(w, "it")));
	expect_log(w, "reload it");
	world_reloaded(w, "it", NULL);
	ck_assert(!engine_is_reloading(world_find(w, "it")));
}
END_TEST

START_TEST(a_service_whose_file_is_wrong_fails_with_the_reason)
{
	g_autoptr(World) w = world_new("== bad\n[Service]\nExce=/bin/x\n== good\n" DAEMON);

	expect_state(w, "bad", STATE_FAILED);
	expect_log(w, "start good");
	ck_assert_ptr_nonnull(strstr(service_cause(world_find(w, "bad")), "Exce"));
	ck_assert_ptr_nonnull(strstr(world_refusal(w, REQUEST_VERB_START, "bad"), "Exce"));
}
END_TEST

/* --- When and While --- */

START_TEST(when_is_needed_to_start_only)
{
	g_autoptr(World) w = world_new(DAEMON "[Conditions]\nWhen=flag:go\n");

	expect_state(w, "it", STATE_WAITING);
	world_set(w, "flag:go", true);
	expect_state(w, "it", STATE_STARTING);
	expect_cause(w, "it", "flag:go is true");

	world_ready(w, "it");
	world_set(w, "flag:go", false);
	expect_state(w, "it", STATE_READY);
}
END_TEST

START_TEST(while_is_needed_to_stay_and_brings_it_back)
{
	g_autoptr(World) w = world_new(DAEMON "[Conditions]\nWhile=flag:net\n");

	world_set(w, "flag:net", true);
	expect_state(w, "it", STATE_STARTING);

	world_set(w, "flag:net", false);
	expect_state(w, "it", STATE_STOPPING);
	expect_cause(w, "it", "flag:net is false");

	world_dies(w, "it", 0);
	expect_state(w, "it", STATE_WAITING);

	world_set(w, "flag:net", true);
	expect_state(w, "it", STATE_STARTING);
	expect_log(w, "start it, stop it, start it");
}
END_TEST

START_TEST(alternatives_and_negations_hold)
{
	g_autoptr(World)
		w = world_new(DAEMON "[Conditions]\nWhile=flag:a | flag:b\nWhen=!flag:c\n");

	world_set(w, "flag:c", true);
	world_set(w, "flag:b", true);
	expect_state(w, "it", STATE_WAITING);
	world_set(w, "flag:c", false);
	expect_state(w, "it", STATE_STARTING);

	world_set(w, "flag:a", true);
	world_set(w, "flag:b", false);
	expect_state(w, "it", STATE_STARTING);
	world_set(w, "flag:a", false);
	expect_state(w, "it", STATE_STOPPING);
}
END_TEST

START_TEST(unknown_stops_nothing_and_holds_a_start)
{
	g_autoptr(World) w = world_new("== a\n" DAEMON "[Conditions]\nWhile=flag:x\n== b\n" DAEMON
				       "[Conditions]\nWhen=flag:y\n");

	world_set(w, "flag:x", true);
	world_ready(w, "a");
	world_set_unknown(w, "flag:x");
	world_set_unknown(w, "flag:y");
	world_advance_s(w, 3600);
	expect_state(w, "a", STATE_READY);
	expect_state(w, "b", STATE_WAITING);
}
END_TEST

START_TEST(unknown_counts_as_false_for_starting_after_half_a_minute)
{
	g_autoptr(World) w = world_new(DAEMON "[Conditions]\nWhen=!flag:x\nWhen=flag:go\n");

	world_set_unknown(w, "flag:x");
	world_set(w, "flag:go", true);
	world_advance_s(w, 29);
	expect_state(w, "it", STATE_WAITING);
	ck_assert(!engine_is_at_rest(world_engine(w)));

	world_advance_s(w, 2);
	expect_state(w, "it", STATE_STARTING);
}
END_TEST

/* --- exits --- */

START_TEST(a_service_that_crashes_is_started_again_with_growing_delays)
{
	g_autoptr(World)
		w = world_new("[Service]\nExec=/bin/d\nReady=notify\nRestart=on-failure\n");

	world_ready(w, "it");
	world_dies(w, "it", 1);
	expect_state(w, "it", STATE_BACKOFF);
	expect_cause(w, "it", "exit status 1; next start in 100 ms");

	world_advance(w, 99 * 1000);
	expect_state(w, "it", STATE_BACKOFF);
	world_advance(w, 1000);
	expect_state(w, "it", STATE_STARTING);

	world_ready(w, "it");
	world_dies(w, "it", 1);
	expect_cause(w, "it", "exit status 1; next start in 200 ms");
	ck_assert_uint_eq(world_find(w, "it")->n_restarts, 2);
}
END_TEST

START_TEST(a_service_that_keeps_crashing_fails_for_good)
{
	g_autoptr(World) w = world_new("[Service]\nExec=/bin/d\nRestart=always\n");

	for (int i = 0; i < 5; i++) {
		world_dies(w, "it", 1);
		world_advance_s(w, 1.7);
	}

	expect_state(w, "it", STATE_FAILED);
	expect_cause(w, "it",
		     "exit status 1; it ended 5 times within 10.0 s, and is not started again "
		     "(RestartLimit=)");
	ck_assert(world_find(w, "it")->is_failed_for_good);
	world_advance_s(w, 3600);
	expect_state(w, "it", STATE_FAILED);

	world_start(w, "it");
	expect_state(w, "it", STATE_STARTING);
	ck_assert_uint_eq(world_find(w, "it")->n_restarts, 0);
}
END_TEST

START_TEST(restart_no_leaves_a_crash_as_it_is)
{
	g_autoptr(World) w = world_new("[Service]\nExec=/bin/d\nRestart=no\n");

	world_dies(w, "it", 3);

	expect_state(w, "it", STATE_FAILED);
	expect_cause(w, "it", "exit status 3");
	ck_assert(!world_find(w, "it")->is_failed_for_good);
}
END_TEST

START_TEST(restart_on_failure_lets_a_good_end_be)
{
	g_autoptr(World) w = world_new("[Service]\nExec=/bin/d\nRestart=on-failure\n");

	world_ready(w, "it");
	world_dies(w, "it", 0);

	expect_state(w, "it", STATE_IDLE);
	expect_cause(w, "it", "it ended by itself: exit status 0");
	ck_assert(engine_is_at_rest(world_engine(w)));
}
END_TEST

START_TEST(restart_always_starts_after_a_good_end_too)
{
	g_autoptr(World) w = world_new("[Service]\nExec=/bin/d\nRestart=always\n");

	world_ready(w, "it");
	world_dies(w, "it", 0);
	expect_state(w, "it", STATE_BACKOFF);
}
END_TEST

START_TEST(a_program_that_cannot_be_executed_is_reported)
{
	g_autoptr(World) w = world_new("[Service]\nExec=/bin/d\nRestart=no\n");

	world_start_fails(w, "it", "cannot execute /bin/d: No such file or directory");
	expect_state(w, "it", STATE_STOPPING);
	world_gone(w, "it");

	expect_state(w, "it", STATE_FAILED);
	expect_cause(w, "it", "cannot execute /bin/d: No such file or directory");
}
END_TEST

START_TEST(a_start_that_the_machine_has_no_room_for_is_tried_until_there_is)
{
	g_autoptr(World) w = world_new("[Service]\nExec=/bin/d\nRestart=no\n");

	for (int i = 0; i < 20; i++) {
		world_start_is_refused(w, "it",
				       "cannot start a process: Resource temporarily unavailable");
		world_gone(w, "it");
		expect_state(w, "it", STATE_BACKOFF);
		world_advance_s(w, 30);
		expect_state(w, "it", STATE_STARTING);
	}

	world_start_fails(w, "it", "cannot execute /bin/d: No such file or directory");
	world_gone(w, "it");
	expect_state(w, "it", STATE_FAILED);
}
END_TEST

START_TEST(a_task_that_fails_is_not_done)
{
	g_autoptr(World) w = world_new(TASK);

	world_exits(w, "it", 4);
	expect_state(w, "it", STATE_STOPPING);
	world_gone(w, "it");
	expect_state(w, "it", STATE_FAILED);
}
END_TEST

START_TEST(a_failed_service_gets_one_chance_when_its_conditions_return)
{
	g_autoptr(World)
		w = world_new("[Service]\nExec=/bin/d\nRestart=no\n[Conditions]\nWhen=flag:go\n");

	world_set(w, "flag:go", true);
	world_dies(w, "it", 1);
	expect_state(w, "it", STATE_FAILED);

	world_set(w, "flag:go", false);
	expect_state(w, "it", STATE_FAILED);
	world_set(w, "flag:go", true);
	expect_state(w, "it", STATE_STARTING);

	world_dies(w, "it", 1);
	expect_state(w, "it", STATE_FAILED);
}
END_TEST

START_TEST(a_task_runs_again_when_its_when_returns)
{
	g_autoptr(World) w = world_new(TASK "[Conditions]\nWhen=flag:go\n");

	world_set(w, "flag:go", true);
	world_settle(w);
	expect_state(w, "it", STATE_DONE);
	world_set(w, "flag:go", false);
	expect_state(w, "it", STATE_DONE);
	world_set(w, "flag:go", true);
	world_settle(w);

	expect_state(w, "it", STATE_DONE);
	expect_log(w, "start it, stop it, start it");
}
END_TEST

START_TEST(a_task_with_once_does_not_run_again)
{
	g_autoptr(World) w = world_new(
		"[Service]\nType=task\nExec=/bin/t\nOnce=yes\n[Conditions]\nWhen=flag:go\n");

	world_set(w, "flag:go", true);
	world_settle(w);
	world_set(w, "flag:go", false);
	world_set(w, "flag:go", true);
	world_settle(w);

	expect_log(w, "start it");
}
END_TEST

START_TEST(a_daemon_that_stops_by_itself_is_believed)
{
	g_autoptr(World) w = world_new("[Service]\nExec=/bin/d\nReady=notify\nRestart=no\n");

	world_ready(w, "it");
	world_stops_itself(w, "it");
	expect_state(w, "it", STATE_STOPPING);
	world_dies(w, "it", 0);
	expect_state(w, "it", STATE_IDLE);
}
END_TEST

START_TEST(events_of_an_earlier_run_are_ignored)
{
	g_autoptr(World) w = world_new("[Service]\nExec=/bin/d\nReady=notify\nRestart=always\n");
	const ProcessEvent late = { .kind = PROCESS_READY };

	world_dies(w, "it", 1);
	world_advance_s(w, 1);
	expect_state(w, "it", STATE_STARTING);
	engine_process_event(world_engine(w), "it", 1, &late, world_now(w));
	expect_state(w, "it", STATE_STARTING);
	ck_assert_uint_eq(world_find(w, "it")->invocation, 2);
}
END_TEST

/* --- runlevels --- */

#define TWO_LEVELS \
	"[runlevel 2]\nActivate=a b\n[runlevel 3]\nActivate=b c\n[runlevel 0]\nActivate=last\n"

START_TEST(a_change_of_runlevel_starts_and_stops_only_the_difference)
{
	g_autoptr(World) w = world_new_with_policy(
		"== a\n" DAEMON "== b\n" DAEMON "== c\n" DAEMON "== last\n" TASK, TWO_LEVELS);

	world_settle(w);
	(void)world_log(w);
	world_runlevel(w, "3");
	expect_log(w, "stop a, start c");
	ck_assert_str_eq(engine_runlevel(world_engine(w)), "3");
	ck_assert_str_eq(engine_previous_runlevel(world_engine(w)), "2");
}
END_TEST

START_TEST(a_change_of_runlevel_ends_requests_of_the_admin)
{
	g_autoptr(World) w = world_new_with_policy(
		"== a\n" DAEMON "== b\n" DAEMON "== c\n" DAEMON "== last\n" TASK, TWO_LEVELS);

	world_settle(w);
	world_stop(w, "b");
	world_settle(w);
	expect_state(w, "b", STATE_IDLE);
	world_runlevel(w, "3");
	world_settle(w);
	expect_state(w, "b", STATE_READY);
}
END_TEST

START_TEST(shutdown_stops_all_and_starts_what_it_needs)
{
	g_autoptr(World) w = world_new_with_policy(
		"== a\n" DAEMON "== b\n" DAEMON "== c\n" DAEMON "== last\n" TASK, TWO_LEVELS);

	world_settle(w);
	world_runlevel(w, "0");
	ck_assert(engine_is_shutting_down(world_engine(w)));
	ck_assert(!engine_is_stopped(world_engine(w)));
	expect_cause(w, "a", "runlevel 0, requested by uid 0 (pid 812)");
	ck_assert_str_eq(world_refusal(w, REQUEST_VERB_START, "c"),
			 "c: the machine is going to runlevel 0");

	world_settle(w);
	expect_state(w, "a", STATE_IDLE);
	expect_state(w, "last", STATE_DONE);
	ck_assert(engine_is_stopped(world_engine(w)));
}
END_TEST

START_TEST(a_shutdown_is_not_called_off)
{
	g_autoptr(World) w = world_new(DAEMON);
	const Requester requester = { .uid = 0 };
	g_autoptr(GError) error = NULL;

	world_runlevel(w, "6");
	ck_assert(!engine_set_runlevel(world_engine(w), "2", &requester, world_now(w), &error));
	ck_assert_str_eq(error->message, "the machine is going to runlevel 6");
	world_runlevel(w, "0");
}
END_TEST

START_TEST(a_task_whose_work_was_undone_runs_again_at_an_admins_start)
{
	g_autoptr(World) w = world_new(
		"== it\n[Service]\nType=task\nExec=/bin/t\n[Conditions]\nDoneWhile=mounted:/x\n"
		"== on\n[Service]\nExec=/bin/d\n[Conditions]\nWhile=service:it\n");

	world_set(w, "mounted:/x", true);
	world_settle(w);
	expect_state(w, "it", STATE_DONE);
	world_start(w, "it");
	world_settle(w);
	expect_log(w, "start it, start on");

	world_set(w, "mounted:/x", false);
	world_settle(w);
	expect_state(w, "it", STATE_DONE);
	expect_log(w, "");
	world_start(w, "it");
	world_settle(w);
	expect_log(w, "stop on, stop it, start it, start on");
	ck_assert_uint_eq(world_find(w, "it")->invocation, 2);
}
END_TEST

START_TEST(a_done_task_is_left_alone_while_its_done_while_is_unknown)
{
	g_autoptr(World) w = world_new(
		"[Service]\nType=task\nExec=/bin/t\n[Conditions]\nDoneWhile=mounted:/x\n");

	world_set_unknown(w, "mounted:/x");
	world_settle(w);
	world_start(w, "it");
	world_settle(w);
	expect_log(w, "start it");
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("engine");

	ADD_CASE(suite, "starting", what_policy_wants_is_started_at_boot,
		 what_nothing_wants_stays_idle, all_that_is_ready_starts_at_once,
		 a_task_that_succeeds_is_done, a_service_waits_for_the_one_that_it_needs,
		 a_group_is_ready_while_its_terms_are_true,
		 a_restart_of_a_group_restarts_its_members,
		 a_reload_of_a_group_reloads_the_members_that_can,
		 a_reload_goes_on_until_its_result_is_known, a_reload_is_over_when_its_service_ends,
		 a_reload_goes_on_under_another_manager,
		 a_service_whose_file_is_wrong_fails_with_the_reason);
	ADD_CASE(suite, "When and While", when_is_needed_to_start_only,
		 while_is_needed_to_stay_and_brings_it_back, alternatives_and_negations_hold,
		 unknown_stops_nothing_and_holds_a_start,
		 unknown_counts_as_false_for_starting_after_half_a_minute);
	ADD_CASE(suite, "the end of a run",
		 a_service_that_crashes_is_started_again_with_growing_delays,
		 a_service_that_keeps_crashing_fails_for_good, restart_no_leaves_a_crash_as_it_is,
		 restart_on_failure_lets_a_good_end_be, restart_always_starts_after_a_good_end_too,
		 a_program_that_cannot_be_executed_is_reported,
		 a_start_that_the_machine_has_no_room_for_is_tried_until_there_is,
		 a_task_that_fails_is_not_done,
		 a_failed_service_gets_one_chance_when_its_conditions_return,
		 a_task_runs_again_when_its_when_returns, a_task_with_once_does_not_run_again,
		 a_daemon_that_stops_by_itself_is_believed, events_of_an_earlier_run_are_ignored);
	ADD_CASE(suite, "runlevels", a_change_of_runlevel_starts_and_stops_only_the_difference,
		 a_change_of_runlevel_ends_requests_of_the_admin,
		 shutdown_stops_all_and_starts_what_it_needs, a_shutdown_is_not_called_off,
		 a_task_whose_work_was_undone_runs_again_at_an_admins_start,
		 a_done_task_is_left_alone_while_its_done_while_is_unknown);
	return suite;
}
