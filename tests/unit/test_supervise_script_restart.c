/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Supervise, Type=script: Reload= and RestartCommand=, and their effect on the followed processes.
 */
#include "config.h"

#include <check.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/script-stage.h"
#include "tests/lib/suite.h"

START_TEST(main_process_is_looked_for_anew_after_a_reload)
{
	Stage *stage = script_new_up(
		"start) keep pid ;; reload) end pid; keep pid ;; stop) end pid ;;\n", "");
	pid_t before;

	before = supervisor_main_pid(stage->supervisor);
	supervisor_reload(stage->supervisor);
	expect_event(stage, "reloaded");
	run_until(stage, has_main_of, "/pid");

	ck_assert_int_ne(supervisor_main_pid(stage->supervisor), before);
	ck_assert_ptr_null(strstr(stage->events->str, "exited"));
	stage_free(stage);
}
END_TEST

START_TEST(script_that_is_done_can_be_reloaded)
{
	Stage *stage = script_new("reload) exit 3 ;;\n", "");

	expect_event(stage, "exited done: exit status 0; it left nothing running");
	supervisor_reload(stage->supervisor);
	expect_event(stage, "reload failed: exit status 3 (it does not support this action)");
	stage_stop(stage);

	expect_calls(stage, "start reload stop");
	stage_free(stage);
}
END_TEST

START_TEST(restart_command_replaces_the_daemon_while_the_service_stays_up)
{
	Stage *stage = script_new_up(
		"start) keep pid ;; restart) end pid; keep pid ;; stop) end pid ;;\n", "");

	supervisor_restart(stage->supervisor);
	expect_event(stage, "restarted: exit status 0");
	run_until(stage, has_main_of, "/pid");
	ck_assert_ptr_null(strstr(stage->events->str, "exited"));
	stage_stop(stage);

	expect_calls(stage, "start restart stop");
	stage_free(stage);
}
END_TEST

START_TEST(failed_restart_command_is_reported_and_running_processes_stay)
{
	Stage *stage = script_new_up("start) keep pid ;; restart) exit 6 ;; stop) end pid ;;\n",
				     "SuccessStatus=\n");

	supervisor_restart(stage->supervisor);
	expect_event(stage, "restart failed: exit status 6 (not configured)");
	run_until(stage, has_main_of, "/pid");
	ck_assert_ptr_null(strstr(stage->events->str, "exited"));

	stage_free(stage);
}
END_TEST

/* A script with Restart= has a daemon, and a restart must leave a daemon running. */
static const struct {
	const char *restart;
	const char *keys;
	const char *reported;
	/* clang-format off */
} endings[] = {
	{ "exit 0", "", "exited well: its restart left nothing running: exit status 0" },
	{ "exit 1", "", "exited badly: its restart left nothing running: exit status 1" },
	{ "kill -KILL $$", "", "exited badly: its restart left nothing running: killed by a signal" },
	{ "exit 0", "Restart=on-failure\n", "exited in a restart: its restart left nothing running: exit status 0" },
	{ "exit 1", "Restart=on-failure\n", "exited in a restart: its restart left nothing running: exit status 1" },
};
/* clang-format on */

START_TEST(restart_command_that_leaves_nothing_running_is_an_exit)
{
	g_autofree char *branches = g_strdup_printf(
		"start) keep pid ;; restart) end_and_wait pid; %s ;;\n", endings[_i].restart);
	Stage *stage = script_new_up(branches, endings[_i].keys);

	supervisor_restart(stage->supervisor);
	expect_event(stage, "gone");

	ck_assert_msg(has_event(stage, endings[_i].reported), "%s", stage->events->str);
	stage_free(stage);
}
END_TEST

START_TEST(main_process_that_takes_its_time_to_end_after_a_restart_is_no_exit)
{
	Stage *stage = script_new("start) keep a ;; restart) (" HELD
				  "; kill -KILL $(cat a)) & keep b ;; stop) end b ;;\n",
				  "");

	expect_event(stage, "ready");
	run_until(stage, has_main_of, "/a");
	supervisor_restart(stage->supervisor);
	expect_event(stage, "restarted: exit status 0");
	ck_assert_int_eq(supervisor_main_pid(stage->supervisor), pid_in(stage, "/a"));
	touch_file(stage, "/go");
	run_until(stage, has_main_of, "/b");

	ck_assert_ptr_null(strstr(stage->events->str, "exited"));
	stage_free(stage);
}
END_TEST

/* "restart" signals the daemon, does not wait for its end, and starts no other daemon. */
START_TEST(daemon_that_ends_well_after_a_restart_that_left_nothing_else_is_started_again)
{
	Stage *stage = script_new(
		"start) (trap 'exit 0' TERM; while :; do sleep 0.02; done) & echo $! >pid ;;\n"
		"restart) (" HELD "; kill $(cat pid)) & ;;\n",
		"Restart=on-failure\n");

	expect_event(stage, "ready");
	run_until(stage, has_main_of, "/pid");
	supervisor_restart(stage->supervisor);
	expect_event(stage, "restarted: exit status 0");
	touch_file(stage, "/go");
	expect_event(stage, "gone");

	/* The result differs if the daemon's last child ended after the daemon. */
	ck_assert_msg(strstr(stage->events->str, "exited in a restart") ||
			      strstr(stage->events->str, "exited badly"),
		      "%s", stage->events->str);
	stage_free(stage);
}
END_TEST

/* The phase contains the exit status plus 2. */
static bool is_rechecked(const Stage *stage, const char *index)
{
	char phase[64];

	supervisor_phase(stage->supervisor, phase, sizeof phase);
	return g_str_has_prefix(phase, index);
}

/*
 * "restart" signals the daemon, does not wait for its end, and fails because the daemon still runs.
 */
START_TEST(daemon_that_ends_after_its_restart_has_failed_is_started_again)
{
	Stage *stage =
		script_new_up("start) keep pid ;; restart) exit 1 ;;\n", "Restart=on-failure\n");

	supervisor_restart(stage->supervisor);
	run_until(stage, is_rechecked, "restart:3:");
	if (_i == 1)
		stage_crash(stage);
	ck_assert_int_eq(kill(pid_in(stage, "/pid"), SIGTERM), 0);
	expect_event(stage, "restarted");
	expect_event(stage, "exited in a restart: its restart left nothing running: exit status 1");
	expect_event(stage, "gone");

	ck_assert_msg(!has_event(stage, "restart failed"), "%s", stage->events->str);
	expect_calls(stage, "start restart");
	stage_free(stage);
}
END_TEST

START_TEST(restart_that_fails_and_leaves_the_daemon_has_failed)
{
	Stage *stage =
		script_new_up("start) keep pid ;; restart) exit 1 ;;\n", "Restart=on-failure\n");

	supervisor_restart(stage->supervisor);
	expect_event(stage, "restart failed: exit status 1");
	run_until(stage, has_main_of, "/pid");

	ck_assert_ptr_null(strstr(stage->events->str, "exited"));
	stage_free(stage);
}
END_TEST

/* With Restart= the service starts again. */
static const struct {
	const char *keys;
	const char *reported;
} left_as_they_were[] = {
	{ "", "exited well: killed by signal TERM" },
	{ "Restart=on-failure\n", "exited in a restart: killed by signal TERM" },
};

/*
 * This happens when a maintainer script has removed the pid file, because the init script then
 * finds nothing to stop.
 */
START_TEST(process_that_a_restart_left_as_it_was_is_ended)
{
	Stage *stage = script_new_up("start) keep pid ;; restart) rm pid ;;\n",
				     left_as_they_were[_i].keys);

	supervisor_restart(stage->supervisor);
	expect_event(stage, "restarted: exit status 0");
	expect_event(stage, "gone");

	ck_assert_msg(has_event(stage, left_as_they_were[_i].reported), "%s", stage->events->str);
	stage_free(stage);
}
END_TEST

/* Like a process that watches a server: the server must not become the main process. */
START_TEST(new_main_process_that_is_killed_just_after_a_restart_is_an_exit)
{
	Stage *stage = script_new_up(
		"start) keep pid ;; restart) end_and_wait pid; keep other; keep pid ;;\n", "");

	supervisor_restart(stage->supervisor);
	expect_event(stage, "restarted: exit status 0");
	run_until(stage, has_main_of, "/pid");
	kill(pid_in(stage, "/pid"), SIGKILL);
	expect_event(stage, "gone");

	ck_assert_msg(has_event(stage, "exited badly: killed by signal KILL"), "%s",
		      stage->events->str);
	stage_free(stage);
}
END_TEST

START_TEST(script_that_is_done_is_ready_when_its_restart_leaves_a_daemon)
{
	Stage *stage = script_new("restart) keep pid ;; stop) end pid ;;\n", "");

	expect_event(stage, "exited done: exit status 0; it left nothing running");
	supervisor_restart(stage->supervisor);
	expect_event(stage, "ready");
	run_until(stage, has_main_of, "/pid");
	ck_assert_int_eq(kill(supervisor_main_pid(stage->supervisor), SIGKILL), 0);
	expect_event(stage, "exited badly: killed by signal KILL");
	expect_event(stage, "gone");

	expect_calls(stage, "start restart");
	stage_free(stage);
}
END_TEST

START_TEST(processes_that_come_into_the_group_of_a_done_script_make_it_ready)
{
	Stage *stage = script_new("stop) end a ;;\n", "");
	g_autofree char *command = NULL;

	expect_event(stage, "exited done: exit status 0; it left nothing running");
	command = g_strdup_printf("echo $$ >%s/cgroup.procs; sleep 1000 & echo $! >%s/a",
				  supervisor_cgroup(stage->supervisor), stage->tree->root);
	ck_assert_int_eq(system(command), 0);
	expect_event(stage, "ready");
	stage_stop(stage);

	stage_free(stage);
}
END_TEST

START_TEST(restart_command_that_hangs_is_ended)
{
	Stage *stage =
		script_new_up("start) keep pid ;; restart) exec sleep 1000 ;; stop) end pid ;;\n",
			      "StartTimeout=2s\nStopTimeout=1s\n");

	supervisor_restart(stage->supervisor);
	expect_event(stage, "restart failed: not finished after 3.0 s");
	run_until(stage, has_main_of, "/pid");
	ck_assert_ptr_null(strstr(stage->events->str, "exited"));

	stage_free(stage);
}
END_TEST

START_TEST(restart_waits_for_the_reload_before_it)
{
	Stage *stage = script_new(
		"start) keep pid ;; reload) touch here; sleep 0.2 ;; restart) end pid; keep pid "
		";; stop) end pid ;;\n",
		"");

	expect_event(stage, "ready");
	supervisor_reload(stage->supervisor);
	expect_file(stage, "/here");
	supervisor_restart(stage->supervisor);
	expect_event(stage, "restarted: exit status 0");
	ck_assert(has_event(stage, "reloaded"));
	stage_stop(stage);

	expect_calls(stage, "start reload restart stop");
	stage_free(stage);
}
END_TEST

START_TEST(restart_asked_while_the_one_before_is_being_ended_comes_after_it)
{
	Stage *stage = script_new("restart) [ -e hung ] || { touch hung; exec sleep 1000; } ;;\n",
				  "StartTimeout=2s\nStopTimeout=1s\n");

	expect_event(stage, "exited done: exit status 0; it left nothing running");
	supervisor_restart(stage->supervisor);
	expect_event(stage, "restart failed: not finished after 3.0 s");
	supervisor_restart(stage->supervisor);
	expect_event(stage, "restarted: exit status 0");

	expect_calls(stage, "start restart restart");
	stage_free(stage);
}
END_TEST

/* Handles all pending events, and thus the request. */
static void settle(Stage *stage)
{
	while (g_main_context_pending(NULL))
		g_main_context_iteration(NULL, FALSE);
	(void)stage;
}

START_TEST(reload_asked_in_the_middle_of_a_restart_comes_after_it)
{
	Stage *stage = script_new("restart) " HELD " ;;\n", "");

	expect_event(stage, "exited done: exit status 0; it left nothing running");
	supervisor_restart(stage->supervisor);
	expect_file(stage, "/here");
	supervisor_reload(stage->supervisor);
	settle(stage);
	tree_write(stage->tree, "/go", "");
	expect_event(stage, "reloaded");

	ck_assert(has_event(stage, "restarted: exit status 0"));
	expect_calls(stage, "start restart reload");
	stage_free(stage);
}
END_TEST

START_TEST(stop_in_the_middle_of_a_restart_comes_after_it)
{
	Stage *stage = script_new_up(
		"start) keep pid ;; restart) end pid; touch here; sleep 0.2; keep pid ;; stop) "
		"end pid ;;\n",
		"");

	supervisor_restart(stage->supervisor);
	expect_file(stage, "/here");
	stage_stop(stage);

	expect_calls(stage, "start restart stop");
	ck_assert(!has_file(stage, "/pid")); /* the daemon that the restart started is gone */
	stage_free(stage);
}
END_TEST

/* These need cgroup v2 (docs/processes.md). */
static void add_cases_with_cgroups(Suite *suite)
{
	ADD_CASE(suite, "restart", main_process_is_looked_for_anew_after_a_reload,
		 restart_command_replaces_the_daemon_while_the_service_stays_up,
		 failed_restart_command_is_reported_and_running_processes_stay,
		 main_process_that_takes_its_time_to_end_after_a_restart_is_no_exit,
		 daemon_that_ends_well_after_a_restart_that_left_nothing_else_is_started_again,
		 restart_that_fails_and_leaves_the_daemon_has_failed,
		 new_main_process_that_is_killed_just_after_a_restart_is_an_exit,
		 script_that_is_done_is_ready_when_its_restart_leaves_a_daemon,
		 processes_that_come_into_the_group_of_a_done_script_make_it_ready,
		 restart_command_that_hangs_is_ended, restart_waits_for_the_reload_before_it);
	suite_add_loop(suite, "restart that ends it",
		       restart_command_that_leaves_nothing_running_is_an_exit,
		       G_N_ELEMENTS(endings));
	suite_add_loop(suite, "daemon that ends after its restart",
		       daemon_that_ends_after_its_restart_has_failed_is_started_again, 2);
	suite_add_loop(suite, "restart that leaves it as it was",
		       process_that_a_restart_left_as_it_was_is_ended,
		       G_N_ELEMENTS(left_as_they_were));
}

Suite *make_suite(void)
{
	Suite *suite = suite_create("supervise-script-restart");

	ADD_CASE(suite, "in a row", script_that_is_done_can_be_reloaded,
		 restart_asked_while_the_one_before_is_being_ended_comes_after_it,
		 reload_asked_in_the_middle_of_a_restart_comes_after_it,
		 stop_in_the_middle_of_a_restart_comes_after_it);
	if (has_cgroups())
		add_cases_with_cgroups(suite);
	return suite;
}
