/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Engine: starting, readiness, terms, ends of runs, requests and runlevels, as an admin sees them.
 */
#include "config.h"

#include <check.h>

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

START_TEST(a_service_waits_for_the_one_it_stands_on)
{
	g_autoptr(World) w = world_new("== app\n" DAEMON "[Conditions]\nWhile=service:bus\n== bus\n" DAEMON);

	expect_log(w, "start bus");
	expect_state(w, "app", STATE_WAITING);

	world_ready(w, "bus");
	expect_log(w, "start app");
	expect_cause(w, "app", "service:bus is true");
}
END_TEST

START_TEST(a_group_is_ready_while_its_terms_are_true)
{
	g_autoptr(World) w = world_new("== all\n[Service]\nType=group\n[Conditions]\nWhen=service:a\nWhile=service:b\n"
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

START_TEST(a_restart_of_a_group_is_one_of_its_members)
{
	g_autoptr(World) w = world_new_with_policy(MEMBERS "== a\n" DAEMON, "[runlevel 2]\nActivate=all\n");

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

START_TEST(a_reload_of_a_group_is_one_of_those_that_can)
{
	g_autoptr(World) w = world_new_with_policy(MEMBERS "== a\n" DAEMON "Reload=signal:HUP\n",
						   "[runlevel 2]\nActivate=all\n");

	ck_assert_ptr_nonnull(strstr(world_refusal(w, REQUEST_VERB_RELOAD, "all"), "no Reload="));
	world_settle(w);
	(void)world_log(w);

	ck_assert(world_request(w, REQUEST_VERB_RELOAD, "all"));
	expect_log(w, "reload a");
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
	g_autoptr(World) w = world_new(DAEMON "[Conditions]\nWhile=flag:a | flag:b\nWhen=!flag:c\n");

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

/* --- the end of a run --- */

START_TEST(a_service_that_crashes_is_started_again_with_growing_delays)
{
	g_autoptr(World) w = world_new("[Service]\nExec=/bin/d\nReady=notify\nRestart=on-failure\n");

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
	expect_cause(w, "it", "exit status 1; it ended 5 times within 10.0 s, and is not started again (RestartLimit=)");
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

START_TEST(a_program_that_cannot_be_executed_says_so)
{
	g_autoptr(World) w = world_new("[Service]\nExec=/bin/d\nRestart=no\n");

	world_start_fails(w, "it", "cannot execute /bin/d: No such file or directory");
	expect_state(w, "it", STATE_STOPPING);
	world_gone(w, "it");

	expect_state(w, "it", STATE_FAILED);
	expect_cause(w, "it", "cannot execute /bin/d: No such file or directory");
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
	g_autoptr(World) w = world_new("[Service]\nExec=/bin/d\nRestart=no\n[Conditions]\nWhen=flag:go\n");

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
	g_autoptr(World) w = world_new("[Service]\nType=task\nExec=/bin/t\nOnce=yes\n[Conditions]\nWhen=flag:go\n");

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

START_TEST(words_of_an_earlier_run_are_ignored)
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

/* --- requests --- */

START_TEST(an_admin_starts_and_stops_a_manual_service)
{
	g_autoptr(World) w = world_new_with_policy(DAEMON, "[service it]\nActivation=manual\n");

	expect_state(w, "it", STATE_IDLE);
	world_start(w, "it");
	expect_state(w, "it", STATE_STARTING);
	expect_cause(w, "it", "start by uid 0 (pid 812, bash)");

	world_stop(w, "it");
	expect_state(w, "it", STATE_STOPPING);
	expect_cause(w, "it", "stop by uid 0 (pid 812, bash)");
	world_dies(w, "it", 0);
	expect_state(w, "it", STATE_IDLE);
}
END_TEST

START_TEST(never_refuses_everybody_and_remembers_it)
{
	g_autoptr(World) w = world_new_with_policy(DAEMON, "[service it]\nActivation=never\n");

	ck_assert_str_eq(world_refusal(w, REQUEST_VERB_START, "it"),
			 "it: policy says never (/etc/svcd/policy.d/local.policy:2)");
	expect_state(w, "it", STATE_IDLE);
	expect_cause(w, "it", "refused: start by uid 0 (pid 812, bash): policy says never "
		     "(/etc/svcd/policy.d/local.policy:2)");
}
END_TEST

START_TEST(restart_stops_and_starts)
{
	g_autoptr(World) w = world_new(DAEMON);

	world_settle(w);
	world_restart(w, "it");
	expect_state(w, "it", STATE_STOPPING);
	expect_cause(w, "it", "restart by uid 0 (pid 812, bash)");
	world_settle(w);
	expect_state(w, "it", STATE_READY);
	expect_log(w, "start it, stop it, start it");
	ck_assert_uint_eq(world_find(w, "it")->n_restarts, 0);
}
END_TEST

START_TEST(restart_starts_what_did_not_run)
{
	g_autoptr(World) w = world_new_with_policy(DAEMON, "[service it]\nActivation=manual\n");

	world_restart(w, "it");
	expect_state(w, "it", STATE_STARTING);
}
END_TEST

START_TEST(a_restart_while_it_stops_is_not_lost)
{
	g_autoptr(World) w = world_new(DAEMON);

	world_settle(w);
	world_stop(w, "it");
	world_restart(w, "it");
	world_settle(w);
	expect_state(w, "it", STATE_READY);
}
END_TEST

START_TEST(a_stop_during_a_restart_wins)
{
	g_autoptr(World) w = world_new(DAEMON);

	world_settle(w);
	world_restart(w, "it");
	world_stop(w, "it");
	world_settle(w);
	expect_state(w, "it", STATE_IDLE);
}
END_TEST

START_TEST(a_start_gives_what_it_needs_another_chance_too)
{
	g_autoptr(World) w = world_new("== app\n" DAEMON "[Conditions]\nWhile=service:bus\n== bus\n[Service]\n"
				       "Exec=/bin/bus\nReady=notify\nRestart=no\n");

	world_dies(w, "bus", 1);
	expect_state(w, "bus", STATE_FAILED);
	world_start(w, "app");
	expect_state(w, "bus", STATE_STARTING);
	expect_cause(w, "bus", "wanted in runlevel 2 (/etc/svcd/policy.d/local.policy:2)");
}
END_TEST

START_TEST(a_start_during_backoff_does_not_wait)
{
	g_autoptr(World) w = world_new("[Service]\nExec=/bin/d\nRestart=always\n");

	world_dies(w, "it", 1);
	expect_state(w, "it", STATE_BACKOFF);
	world_start(w, "it");
	expect_state(w, "it", STATE_STARTING);
}
END_TEST

START_TEST(reload_needs_a_reload_line)
{
	g_autoptr(World) w = world_new("== with\n" DAEMON "Reload=signal:HUP\n== without\n" DAEMON);

	world_settle(w);
	(void)world_log(w);
	ck_assert(world_request(w, REQUEST_VERB_RELOAD, "with"));
	expect_log(w, "reload with");
	ck_assert_str_eq(world_refusal(w, REQUEST_VERB_RELOAD, "without"),
			 "without: it has no Reload= in its service file");
}
END_TEST

START_TEST(clear_forgets_a_failure)
{
	g_autoptr(World) w = world_new("[Service]\nExec=/bin/d\nRestart=no\n");

	world_dies(w, "it", 1);
	expect_state(w, "it", STATE_FAILED);
	ck_assert(world_request(w, REQUEST_VERB_CLEAR, "it"));
	expect_state(w, "it", STATE_STARTING);
}
END_TEST

START_TEST(an_unknown_name_is_an_error)
{
	g_autoptr(World) w = world_new(DAEMON);

	ck_assert_str_eq(world_refusal(w, REQUEST_VERB_START, "nosuch"), "there is no service \"nosuch\"");
}
END_TEST

/* --- runlevels --- */

#define TWO_LEVELS "[runlevel 2]\nActivate=a b\n[runlevel 3]\nActivate=b c\n[runlevel 0]\nActivate=last\n"

START_TEST(a_change_of_runlevel_is_only_the_difference)
{
	g_autoptr(World) w = world_new_with_policy("== a\n" DAEMON "== b\n" DAEMON "== c\n" DAEMON "== last\n" TASK,
						   TWO_LEVELS);

	world_settle(w);
	(void)world_log(w);
	world_runlevel(w, "3");
	expect_log(w, "stop a, start c");
	ck_assert_str_eq(engine_runlevel(world_engine(w)), "3");
	ck_assert_str_eq(engine_previous_runlevel(world_engine(w)), "2");
}
END_TEST

START_TEST(a_change_of_runlevel_ends_what_the_admin_said)
{
	g_autoptr(World) w = world_new_with_policy("== a\n" DAEMON "== b\n" DAEMON "== c\n" DAEMON "== last\n" TASK,
						   TWO_LEVELS);

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
	g_autoptr(World) w = world_new_with_policy("== a\n" DAEMON "== b\n" DAEMON "== c\n" DAEMON "== last\n" TASK,
						   TWO_LEVELS);

	world_settle(w);
	world_runlevel(w, "0");
	ck_assert(engine_is_shutting_down(world_engine(w)));
	ck_assert(!engine_is_stopped(world_engine(w)));
	expect_cause(w, "a", "runlevel 0, asked by uid 0 (pid 812, bash)");
	ck_assert_str_eq(world_refusal(w, REQUEST_VERB_START, "c"), "c: the machine is going to runlevel 0");

	world_settle(w);
	expect_state(w, "a", STATE_IDLE);
	expect_state(w, "last", STATE_DONE);
	ck_assert(engine_is_stopped(world_engine(w)));
}
END_TEST

START_TEST(a_shutdown_is_not_called_off)
{
	g_autoptr(World) w = world_new(DAEMON);
	const Requester who = { .uid = 0 };
	g_autoptr(GError) error = NULL;

	world_runlevel(w, "6");
	ck_assert(!engine_set_runlevel(world_engine(w), "2", &who, world_now(w), &error));
	ck_assert_str_eq(error->message, "the machine is going to runlevel 6");
	world_runlevel(w, "0");
}
END_TEST

START_TEST(a_task_whose_work_was_undone_is_done_again_when_an_admin_says_start)
{
	g_autoptr(World) w = world_new("== it\n[Service]\nType=task\nExec=/bin/t\n[Conditions]\nDoneWhile=mounted:/x\n"
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

START_TEST(it_is_left_alone_while_nobody_knows_whether_its_work_stands)
{
	g_autoptr(World) w = world_new("[Service]\nType=task\nExec=/bin/t\n[Conditions]\nDoneWhile=mounted:/x\n");

	world_set_unknown(w, "mounted:/x");
	world_settle(w);
	world_start(w, "it");
	world_settle(w);
	expect_log(w, "start it");
}
END_TEST

Suite *make_suite(void);

/* --- HealthCommand= --- */

static const char asked[] = "== base\n[Service]\nExec=/bin/base\nHealthCommand=/bin/ask\nRestart=on-failure\n"
			    "== upper\n[Service]\nExec=/bin/upper\n[Conditions]\nWhile=healthy:base\n";

START_TEST(what_stands_on_a_healthy_service_waits_for_the_first_answer)
{
	g_autoptr(World) w = world_new(asked);

	world_settle(w);
	expect_state(w, "base", STATE_READY);
	expect_state(w, "upper", STATE_WAITING);
	expect_level(w, "healthy:base", LEVEL_UNKNOWN);

	world_health(w, "base", NULL);
	expect_level(w, "healthy:base", LEVEL_TRUE);
	world_settle(w);
	expect_state(w, "upper", STATE_READY);
}
END_TEST

START_TEST(what_stands_on_a_service_that_is_ill_stops_and_comes_back)
{
	g_autoptr(World) w = world_new(asked);

	world_settle(w);
	world_health(w, "base", NULL);
	world_settle(w);
	world_health(w, "base", "HealthCommand= failed 3 times: exit status 1");
	world_settle(w);

	expect_level(w, "healthy:base", LEVEL_FALSE);
	expect_state(w, "upper", STATE_WAITING);
	expect_state(w, "base", STATE_READY);
	expect_cause(w, "base", "unhealthy: HealthCommand= failed 3 times: exit status 1");

	world_health(w, "base", NULL);
	world_settle(w);
	expect_state(w, "upper", STATE_READY);
	expect_cause(w, "base", "healthy again");
}
END_TEST

START_TEST(health_is_wanted_as_the_service_itself_is)
{
	g_autoptr(World) w = world_new_with_policy(asked, "[runlevel 2]\nActivate=upper\n[service base]\nActivation=on-demand\n");

	world_settle(w);

	expect_state(w, "base", STATE_READY);
}
END_TEST

START_TEST(another_manager_stops_nothing_before_it_knows)
{
	g_autoptr(World) w = world_new(asked);

	world_settle(w);
	world_health(w, "base", NULL);
	world_settle(w);
	world_crash(w);
	world_settle(w);

	expect_level(w, "healthy:base", LEVEL_UNKNOWN);
	expect_state(w, "upper", STATE_READY);
}
END_TEST

START_TEST(health_ends_with_the_run)
{
	g_autoptr(World) w = world_new(asked);

	world_settle(w);
	world_health(w, "base", NULL);
	world_stop(w, "base");
	world_settle(w);

	expect_level(w, "healthy:base", LEVEL_FALSE);
	ck_assert_int_eq(world_find(w, "base")->health, HEALTH_UNKNOWN);
	world_start(w, "base");
	world_settle(w);
	expect_level(w, "healthy:base", LEVEL_UNKNOWN);
}
END_TEST

/* --- CheckCommand= --- */

static const char checked[] = "== test\n[Service]\nExec=/bin/web\nReload=signal:HUP\nCheckCommand=/bin/web -t\n";

START_TEST(an_admins_stop_restart_and_reload_of_what_is_up_need_a_check)
{
	g_autoptr(World) w = world_new(checked);
	const Service *s = world_find(w, "test");

	ck_assert(!engine_needs_check(s, REQUEST_VERB_RESTART)); /* it is not up yet */
	world_settle(w);

	expect_state(w, "test", STATE_READY);
	ck_assert(engine_needs_check(s, REQUEST_VERB_STOP));
	ck_assert(engine_needs_check(s, REQUEST_VERB_RESTART));
	ck_assert(engine_needs_check(s, REQUEST_VERB_RELOAD));
	ck_assert(!engine_needs_check(s, REQUEST_VERB_START));
	ck_assert(!engine_needs_check(s, REQUEST_VERB_CLEAR));
}
END_TEST

START_TEST(a_restart_of_a_group_needs_the_checks_of_its_members)
{
	g_autofree char *files = g_strconcat(checked, "== plain\n[Service]\nExec=/bin/plain\nReload=signal:HUP\n"
					     "== all\n[Service]\nType=group\n[Conditions]\nWants=test plain\n", NULL);
	g_autoptr(World) w = world_new(files);
	const RequestVerb verbs[] = { REQUEST_VERB_RESTART, REQUEST_VERB_RELOAD };

	world_settle(w);
	for (unsigned i = 0; i < G_N_ELEMENTS(verbs); i++) {
		g_autoptr(GPtrArray) all = engine_to_check(world_find(w, "all"), verbs[i]);

		ck_assert_uint_eq(all->len, 1);
		ck_assert_ptr_eq(g_ptr_array_index(all, 0), world_find(w, "test"));
	}
	ck_assert(!engine_needs_check(world_find(w, "all"), REQUEST_VERB_STOP)); /* it stops nobody but itself */

	world_reload(w, files, "[runlevel 2]\nActivate=test plain\n[service all]\nActivation=never\n");
	expect_state(w, "test", STATE_READY);
	ck_assert_ptr_nonnull(world_refusal(w, REQUEST_VERB_RESTART, "all"));
	ck_assert(!engine_needs_check(world_find(w, "all"), REQUEST_VERB_RESTART));
}
END_TEST

START_TEST(a_machine_that_goes_down_asks_no_check)
{
	g_autoptr(World) w = world_new(checked);

	world_settle(w);
	world_runlevel(w, "0");

	ck_assert(!engine_needs_check(world_find(w, "test"), REQUEST_VERB_STOP));
	world_settle(w);
	expect_state(w, "test", STATE_IDLE);
}
END_TEST

START_TEST(a_failed_check_is_in_the_history_and_changes_nothing)
{
	static const Requester who = { .uid = 0, .pid = 812, .command = "svcctl" };
	g_autoptr(World) w = world_new(checked);
	g_autoptr(GError) error = NULL;

	world_settle(w);
	engine_refuse(world_engine(w), REQUEST_VERB_RESTART, "test", &who, "exit status 1: line 7", world_now(w), &error);

	ck_assert_str_eq(error->message, "test: its CheckCommand= failed, so it goes on as it is: exit status 1: line 7");
	expect_state(w, "test", STATE_READY);
	expect_cause(w, "test", "refused: restart by uid 0 (pid 812, svcctl): its CheckCommand= failed, so it goes on as it is: "
				"exit status 1: line 7");
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("engine");
	TCase *starting = tcase_create("starting");
	TCase *terms = tcase_create("terms");
	TCase *ends = tcase_create("ends");
	TCase *requests = tcase_create("requests");
	TCase *runlevels = tcase_create("runlevels");

	tcase_add_test(starting, what_policy_wants_is_started_at_boot);
	tcase_add_test(starting, what_nothing_wants_stays_idle);
	tcase_add_test(starting, all_that_is_ready_starts_at_once);
	tcase_add_test(starting, a_task_that_succeeds_is_done);
	tcase_add_test(starting, a_service_waits_for_the_one_it_stands_on);
	tcase_add_test(starting, a_group_is_ready_while_its_terms_are_true);
	tcase_add_test(starting, a_restart_of_a_group_is_one_of_its_members);
	tcase_add_test(starting, a_reload_of_a_group_is_one_of_those_that_can);
	tcase_add_test(starting, a_service_whose_file_is_wrong_fails_with_the_reason);
	tcase_add_test(terms, when_is_needed_to_start_only);
	tcase_add_test(terms, while_is_needed_to_stay_and_brings_it_back);
	tcase_add_test(terms, alternatives_and_negations_hold);
	tcase_add_test(terms, unknown_stops_nothing_and_holds_a_start);
	tcase_add_test(terms, unknown_counts_as_false_for_starting_after_half_a_minute);
	tcase_add_test(ends, a_service_that_crashes_is_started_again_with_growing_delays);
	tcase_add_test(ends, a_service_that_keeps_crashing_fails_for_good);
	tcase_add_test(ends, restart_no_leaves_a_crash_as_it_is);
	tcase_add_test(ends, restart_on_failure_lets_a_good_end_be);
	tcase_add_test(ends, restart_always_starts_after_a_good_end_too);
	tcase_add_test(ends, a_program_that_cannot_be_executed_says_so);
	tcase_add_test(ends, a_task_that_fails_is_not_done);
	tcase_add_test(ends, a_failed_service_gets_one_chance_when_its_conditions_return);
	tcase_add_test(ends, a_task_runs_again_when_its_when_returns);
	tcase_add_test(ends, a_task_with_once_does_not_run_again);
	tcase_add_test(ends, a_daemon_that_stops_by_itself_is_believed);
	tcase_add_test(ends, words_of_an_earlier_run_are_ignored);
	tcase_add_test(requests, an_admin_starts_and_stops_a_manual_service);
	tcase_add_test(requests, never_refuses_everybody_and_remembers_it);
	tcase_add_test(requests, restart_stops_and_starts);
	tcase_add_test(requests, restart_starts_what_did_not_run);
	tcase_add_test(requests, a_restart_while_it_stops_is_not_lost);
	tcase_add_test(requests, a_stop_during_a_restart_wins);
	tcase_add_test(requests, a_start_gives_what_it_needs_another_chance_too);
	tcase_add_test(requests, a_start_during_backoff_does_not_wait);
	tcase_add_test(requests, reload_needs_a_reload_line);
	tcase_add_test(requests, clear_forgets_a_failure);
	tcase_add_test(requests, an_unknown_name_is_an_error);
	tcase_add_test(requests, what_stands_on_a_healthy_service_waits_for_the_first_answer);
	tcase_add_test(requests, what_stands_on_a_service_that_is_ill_stops_and_comes_back);
	tcase_add_test(requests, health_is_wanted_as_the_service_itself_is);
	tcase_add_test(requests, another_manager_stops_nothing_before_it_knows);
	tcase_add_test(requests, health_ends_with_the_run);
	tcase_add_test(requests, an_admins_stop_restart_and_reload_of_what_is_up_need_a_check);
	tcase_add_test(requests, a_machine_that_goes_down_asks_no_check);
	tcase_add_test(requests, a_restart_of_a_group_needs_the_checks_of_its_members);
	tcase_add_test(requests, a_failed_check_is_in_the_history_and_changes_nothing);
	tcase_add_test(requests, a_task_whose_work_was_undone_is_done_again_when_an_admin_says_start);
	tcase_add_test(requests, it_is_left_alone_while_nobody_knows_whether_its_work_stands);
	tcase_add_test(runlevels, a_change_of_runlevel_is_only_the_difference);
	tcase_add_test(runlevels, a_change_of_runlevel_ends_what_the_admin_said);
	tcase_add_test(runlevels, shutdown_stops_all_and_starts_what_it_needs);
	tcase_add_test(runlevels, a_shutdown_is_not_called_off);
	suite_add_tcase(suite, starting);
	suite_add_tcase(suite, terms);
	suite_add_tcase(suite, ends);
	suite_add_tcase(suite, requests);
	suite_add_tcase(suite, runlevels);
	return suite;
}
