/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Supervise, Type=script: a start command that ends, the processes it leaves, and how those stop.
 */
#include "config.h"

#include <check.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "tests/lib/script-stage.h"
#include "tests/lib/suite.h"

/* --- processes that the start command leaves --- */

START_TEST(one_process_that_is_left_is_the_main_process)
{
	Stage *stage = script_new("start) keep a ;; stop) end a ;;\n", "");

	expect_event(stage, "ready");
	run_until(stage, has_main_of, "/a");
	stage_stop(stage);

	expect_events(
		stage,
		"started\nmain pid\nready\nmain pid\nexited well: killed by signal TERM\ngone\n");
	expect_calls(stage, "start stop");
	stage_free(stage);
}
END_TEST

START_TEST(several_processes_that_are_left_live_as_long_as_the_last_of_them)
{
	Stage *stage = script_new("start) keep a; keep b ;; stop) end a; end b ;;\n", "");

	expect_event(stage, "ready");
	ck_assert_int_eq(supervisor_main_pid(stage->supervisor), 0);
	ck_assert_int_eq(kill(pid_in(stage, "/a"), SIGKILL), 0);
	run_until(stage, has_main_of, "/b"); /* now the last process is followed */
	ck_assert_int_eq(kill(pid_in(stage, "/b"), SIGKILL), 0);
	expect_event(stage, "gone");

	ck_assert(has_event(stage, "exited badly: killed by signal KILL"));
	expect_calls(stage, "start");
	stage_free(stage);
}
END_TEST

START_TEST(script_that_leaves_nothing_is_done_and_its_stop_is_run_all_the_same)
{
	Stage *stage = script_new("", "");

	expect_event(stage, "exited done: exit status 0; it left nothing running");
	stage_stop(stage);

	expect_events(
		stage,
		"started\nmain pid\nexited done: exit status 0; it left nothing running\ngone\n");
	expect_calls(stage, "start stop");
	stage_free(stage);
}
END_TEST

START_TEST(a_status_in_success_status_is_explained)
{
	Stage *stage = script_new("start) exit 5 ;;\n", "");

	expect_event(stage, "exited done: exit status 5 (not installed); it left nothing running");
	stage_free(stage);
}
END_TEST

/* A script with Restart= is expected to leave a daemon running. */
static const struct {
	const char *branches;
	const char *reported;
	bool is_held;
} absent_daemons[] = {
	{ "", "exited well: exit status 0; it left nothing running" },
	{ "start) exit 5 ;;\n",
	  "exited well: exit status 5 (not installed); it left nothing running" },
	{ "start) (" HELD ") & ;;\n", "exited well: exit status 0", true },
	{ "start) (" HELD "; exit 3) & ;;\n", "exited badly: exit status 3", true },
};

START_TEST(script_whose_daemon_does_not_run_is_not_done)
{
	Stage *stage = script_new(absent_daemons[_i].branches, "Restart=on-failure\n");

	if (absent_daemons[_i].is_held)
		script_let_go(stage);
	expect_event(stage, "gone");
	ck_assert_msg(has_event(stage, absent_daemons[_i].reported), "%s", stage->events->str);
	ck_assert_ptr_null(strstr(stage->events->str, "done"));
	expect_calls(stage, "start"); /* no daemon is up, so no stop command */
	stage_free(stage);
}
END_TEST

static const struct {
	bool starts_again;
	const char *calls;
} deaths[] = {
	{ true, "start stop" }, /* stop may remove a left pid file */
	{ false, "start" },
};

START_TEST(script_whose_daemon_died_tidies_up_before_it_is_started_again)
{
	Stage *stage =
		script_new("start) keep pid ;; stop) rm -f pid ;;\n", "Restart=on-failure\n");

	stage->starts_again = deaths[_i].starts_again;
	expect_event(stage, "ready");
	run_until(stage, has_main_of, "/pid");
	ck_assert_int_eq(kill(supervisor_main_pid(stage->supervisor), SIGKILL), 0);
	expect_event(stage, "gone");

	ck_assert_msg(has_event(stage, "exited badly: killed by signal KILL"), "%s",
		      stage->events->str);
	expect_calls(stage, deaths[_i].calls);
	stage_free(stage);
}
END_TEST

static const struct {
	const char *end;
	const char *reported;
} failures[] = {
	{ "exit 1", "start failed: start failed: exit status 1" },
	{ "exit 2", "start failed: start failed: exit status 2 (invalid or too many arguments)" },
	{ "exit 3", "start failed: start failed: exit status 3 (it does not support this action)" },
	{ "exit 4", "start failed: start failed: exit status 4 (insufficient privilege)" },
	{ "exit 7", "start failed: start failed: exit status 7 (not running)" },
	{ "exit 150", "start failed: start failed: exit status 150" },
	{ "kill -TERM $$", "start failed: start failed: killed by signal TERM" },
};

START_TEST(failed_start_explains_its_exit_status)
{
	g_autofree char *branches = g_strdup_printf("start) %s ;;\n", failures[_i].end);
	Stage *stage = script_new(branches, "");

	expect_event(stage, "gone");

	ck_assert_msg(has_event(stage, failures[_i].reported), "%s", stage->events->str);
	expect_calls(stage, "start");
	stage_free(stage);
}
END_TEST

START_TEST(script_that_cannot_be_executed_reports_the_reason)
{
	Stage *stage = stage_new(
		"[Service]\nType=script\nExec=/no/such/script start\nStop=/no/such/script stop\n");

	expect_event(stage, "gone");

	expect_events(stage,
		      "started\nstart failed: cannot execute /no/such/script: No such file or "
		      "directory\ngone\n");
	stage_free(stage);
}
END_TEST

START_TEST(daemon_that_dies_at_once_is_noticed)
{
	Stage *stage = script_new("start) (" HELD "; exit 78) & ;;\n", "");

	script_let_go(stage);
	expect_event(stage, "gone");

	ck_assert(has_event(stage, "exited badly: exit status 78"));
	stage_free(stage);
}
END_TEST

START_TEST(when_a_leftover_of_the_start_command_ends_well_the_script_is_done)
{
	Stage *stage = script_new("start) (" HELD ") & ;;\n", "");

	script_let_go(stage);
	expect_event(
		stage,
		"exited done: the processes that its start command left have ended: exit status 0");
	stage_stop(stage);

	expect_calls(stage, "start stop");
	stage_free(stage);
}
END_TEST

START_TEST(process_in_between_is_not_taken_for_the_daemon)
{
	Stage *stage = script_new("start) (keep a; " HELD ") & ;; stop) end a ;;\n", "");

	script_let_go(stage);
	run_until(stage, has_main_of, "/a");
	stage_stop(stage);

	ck_assert(has_event(stage, "exited well: killed by signal TERM"));
	stage_free(stage);
}
END_TEST

/* --- stopping --- */

START_TEST(stop_command_that_does_nothing_is_followed_by_term)
{
	Stage *stage = script_new_up("start) keep pid ;;\n", "");

	stage_stop(stage);

	ck_assert(has_event(stage, "exited well: killed by signal TERM"));
	ck_assert_uint_eq(fake_keeper_count(stage->keeper, "signal main TERM"), 1);
	stage_free(stage);
}
END_TEST

START_TEST(stop_command_that_hangs_is_killed_after_its_limit_with_the_main_process)
{
	Stage *stage = script_new_up("start) keep pid ;; stop) exec sleep 1000 ;;\n",
				     "StopTimeout=300ms\n");

	stage_stop(stage);

	ck_assert(has_event(
		stage,
		"exited badly: killed by signal KILL: still running 300 ms after it was asked to "
		"stop"));
	stage_free(stage);
}
END_TEST

static bool is_gone(const Stage *stage, const char *path)
{
	return kill(pid_in(stage, path), 0) < 0;
}

START_TEST(with_kill_mode_process_what_the_main_process_left_behind_stays)
{
	Stage *stage = script_new_up("start) keep pid; keep session ;;\n", "KillMode=process\n");
	g_autofree char *cgroup = NULL;

	cgroup = g_strdup(supervisor_cgroup(stage->supervisor));
	stage_stop(stage);
	ck_assert(!is_gone(stage, "/session"));

	ck_assert_int_eq(kill(pid_in(stage, "/session"), SIGKILL), 0);
	run_until(stage, is_gone, "/session");
	ck_assert_int_eq(rmdir(cgroup), 0);
	stage_free(stage);
}
END_TEST

START_TEST(what_a_dead_daemon_leaves_is_reported)
{
	Stage *stage = script_new_up("start) keep pid; keep child ;; stop) end pid ;;\n",
				     "Restart=on-failure\nKillMode=process\n");

	g_autofree char *cgroup = g_strdup(supervisor_cgroup(stage->supervisor));

	ck_assert_int_eq(kill(pid_in(stage, "/pid"), SIGKILL), 0);
	expect_event(stage, "gone");
	ck_assert_msg(
		has_event(stage,
			  "exited badly: killed by signal KILL; its other processes still run"),
		"%s", stage->events->str);
	ck_assert_int_eq(kill(pid_in(stage, "/child"), SIGKILL), 0);
	run_until(stage, is_gone, "/child");
	ck_assert_int_eq(rmdir(cgroup), 0);
	stage_free(stage);
}
END_TEST

START_TEST(what_the_stop_command_left_is_ended_with_the_group)
{
	Stage *stage = script_new("start) keep a; keep b ;;\n", "");

	expect_event(stage, "ready");
	stage_stop(stage);

	run_until(stage, is_gone, "/a"); /* it is a zombie until its parent reaps it */
	run_until(stage, is_gone, "/b");
	stage_free(stage);
}
END_TEST

START_TEST(start_that_hangs_is_ended_and_its_stop_command_undoes_what_it_did)
{
	Stage *stage = script_new("start) keep a; wait ;; stop) end a ;;\n", "StartTimeout=2s\n");

	expect_event(stage, "gone");

	expect_events(stage, "started\nstart failed: start not finished after 2.0 s\ngone\n");
	expect_calls(stage, "start stop");
	stage_free(stage);
}
END_TEST

START_TEST(stop_in_the_middle_of_a_start_undoes_it)
{
	Stage *stage = script_new("start) keep a; wait ;; stop) end a ;;\n", "");

	expect_file(stage, "/a");
	stage_stop(stage);

	expect_calls(stage, "start stop");
	ck_assert_ptr_null(strstr(stage->events->str, "ready"));
	stage_free(stage);
}
END_TEST

/* These need cgroup v2 (docs/processes.md). */
static void add_cases_with_cgroups(Suite *suite)
{
	ADD_CASE(suite, "left", one_process_that_is_left_is_the_main_process,
		 several_processes_that_are_left_live_as_long_as_the_last_of_them,
		 daemon_that_dies_at_once_is_noticed,
		 when_a_leftover_of_the_start_command_ends_well_the_script_is_done,
		 process_in_between_is_not_taken_for_the_daemon,
		 what_a_dead_daemon_leaves_is_reported);
	suite_add_loop(suite, "daemon", script_whose_daemon_does_not_run_is_not_done,
		       G_N_ELEMENTS(absent_daemons));
	suite_add_loop(suite, "death",
		       script_whose_daemon_died_tidies_up_before_it_is_started_again,
		       G_N_ELEMENTS(deaths));
	ADD_CASE(suite, "stop", stop_command_that_does_nothing_is_followed_by_term,
		 stop_command_that_hangs_is_killed_after_its_limit_with_the_main_process,
		 with_kill_mode_process_what_the_main_process_left_behind_stays,
		 what_the_stop_command_left_is_ended_with_the_group);
}

Suite *make_suite(void)
{
	Suite *suite = suite_create("supervise-script");

	ADD_CASE(suite, "start",
		 script_that_leaves_nothing_is_done_and_its_stop_is_run_all_the_same,
		 a_status_in_success_status_is_explained,
		 script_that_cannot_be_executed_reports_the_reason,
		 start_that_hangs_is_ended_and_its_stop_command_undoes_what_it_did,
		 stop_in_the_middle_of_a_start_undoes_it);
	suite_add_loop(suite, "start that fails", failed_start_explains_its_exit_status,
		       G_N_ELEMENTS(failures));
	if (has_cgroups())
		add_cases_with_cgroups(suite);
	return suite;
}
