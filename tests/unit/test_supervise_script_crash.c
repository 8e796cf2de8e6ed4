/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Supervise, Type=script: the manager dies in the middle, and the next manager may read another
 * file.
 */
#include "config.h"

#include <check.h>
#include <signal.h>
#include <string.h>

#include "tests/lib/script-stage.h"
#include "tests/lib/suite.h"

START_TEST(manager_that_dies_all_the_time_runs_each_command_once)
{
	Stage *stage = script_new(
		"start) keep pid ;; restart) end pid; keep pid ;; stop) end pid ;;\n", "");
	unsigned n_crashes;

	n_crashes = run_with_crashes(stage, "ready", _i + 2, NULL);
	run_until(stage, has_main_of, "/pid");
	supervisor_restart(stage->supervisor);
	n_crashes +=
		run_with_crashes(stage, "restarted: exit status 0", _i + 2, supervisor_restart);
	run_until(stage, has_main_of, "/pid");
	supervisor_stop(stage->supervisor);
	n_crashes += run_with_crashes(stage, "gone", _i + 2, supervisor_stop);
	if (_i < 4)
		/* on a busy machine a turn handles more events, so there are fewer turns */
		ck_assert_uint_gt(n_crashes, 0);

	expect_calls(stage, "start restart stop");
	ck_assert_uint_eq(fake_keeper_count(stage->keeper, "spawn"), 3);
	stage_free(stage);
}
END_TEST

START_TEST(manager_that_dies_all_the_time_runs_start_and_stop_of_a_done_script_once)
{
	Stage *stage = script_new("", "");

	(void)run_with_crashes(stage, "exited done: exit status 0; it left nothing running", _i + 2,
			       false);
	supervisor_stop(stage->supervisor);
	(void)run_with_crashes(stage, "gone", _i + 2, supervisor_stop);

	expect_calls(stage, "start stop");
	stage_free(stage);
}
END_TEST

static bool has_no_main(const Stage *stage, const char *unused)
{
	(void)unused;
	return supervisor_main_pid(stage->supervisor) == 0;
}

START_TEST(several_processes_are_still_up_for_the_next_manager)
{
	Stage *stage = script_new("start) keep a; keep b ;; stop) end a; end b ;;\n", "");

	expect_event(stage, "ready");
	stage_crash(stage);
	run_until(stage, has_no_main, NULL);
	stage_stop(stage);

	ck_assert_ptr_null(strstr(stage->events->str, "exited"));
	expect_calls(stage, "start stop");
	stage_free(stage);
}
END_TEST

START_TEST(exit_while_no_manager_looked_is_learnt)
{
	Stage *stage = script_new_up("start) keep pid ;;\n", "");

	ck_assert_int_eq(kill(supervisor_main_pid(stage->supervisor), SIGKILL), 0);
	stage_crash(stage);
	expect_event(stage, "gone");

	ck_assert(has_event(stage, "exited badly: killed by signal KILL"));
	stage_free(stage);
}
END_TEST

START_TEST(lost_note_means_that_what_lives_is_ready)
{
	Stage *stage = script_new_up("start) keep pid ;; stop) end pid ;;\n", "");

	keeper_link_note(stage->context.link, STAGE_SERVICE, "garbage");
	stage_crash(stage);
	run_until(stage, has_main_of, "/pid");
	stage_stop(stage);

	expect_calls(stage, "start stop");
	stage_free(stage);
}
END_TEST

/* --- another file --- */

/* The file changes while the command runs, and the next manager reads the new version. */
static void lose_commands(ServiceDef *def)
{
	g_clear_pointer(&def->restart_command, command_free);
	g_clear_pointer(&def->reload.command, command_free);
	def->reload.kind = ACTION_NONE;
	g_clear_pointer(&def->stop.command, command_free);
	def->stop.kind = ACTION_SIGNAL;
	def->stop.signal = SIGTERM;
}

static const struct {
	void (*request)(Supervisor *supervisor);
	const char *branches;
	const char *event;
	const char *calls;
	/* clang-format off */
} lost_commands[] = {
	{ supervisor_restart, "restart) " HELD " ;;\n", "restarted: exit status 0", "start restart" },
	{ supervisor_restart, "restart) " HELD "; exit 1 ;;\n", "restart failed: exit status 1", "start restart" },
	{ supervisor_reload, "reload) " HELD "; exit 1 ;;\n", "reload failed: exit status 1", "start reload" },
	{ supervisor_stop, "stop) " HELD "; exit 1 ;;\n", "gone", "start stop" },
};
/* clang-format on */

START_TEST(command_that_is_not_in_the_file_any_more_ends_as_it_would_have)
{
	Stage *stage = script_new(lost_commands[_i].branches, "");

	expect_event(stage, "exited done: exit status 0; it left nothing running");
	lost_commands[_i].request(stage->supervisor);
	expect_file(stage, "/here");
	lose_commands(stage->def);
	stage_crash(stage);
	tree_write(stage->tree, "/go", "");
	expect_event(stage, lost_commands[_i].event);

	expect_calls(stage, lost_commands[_i].calls);
	stage_free(stage);
}
END_TEST

START_TEST(reload_command_that_hangs_and_is_not_in_the_file_any_more_is_ended)
{
	Stage *stage = script_new("reload) " HELD " ;;\n", "StartTimeout=2s\n");

	expect_event(stage, "exited done: exit status 0; it left nothing running");
	supervisor_reload(stage->supervisor);
	expect_file(stage, "/here");
	lose_commands(stage->def);
	stage_crash(stage);
	expect_event(stage, "reload failed: its command not finished after 2.0 s");

	stage_free(stage);
}
END_TEST

START_TEST(newest_stop_command_is_run_though_it_came_in_the_middle_of_a_restart)
{
	Stage *stage = script_new("restart) " HELD " ;;\n", "");
	Command *stop = stage->def->stop.command;

	expect_event(stage, "exited done: exit status 0; it left nothing running");
	supervisor_restart(stage->supervisor);
	expect_file(stage, "/here");
	g_free(stop->argv[2]);
	stop->argv[2] = g_strdup("new-stop");
	supervisor_redefine(stage->supervisor, stage->def);
	supervisor_stop(stage->supervisor);
	tree_write(stage->tree, "/go", "");
	expect_event(stage, "gone");

	expect_calls(stage, "start restart new-stop");
	stage_free(stage);
}
END_TEST

/* These need cgroup v2 (docs/processes.md). */
static void add_cases_with_cgroups(Suite *suite)
{
	ADD_CASE(suite, "crash", several_processes_are_still_up_for_the_next_manager,
		 exit_while_no_manager_looked_is_learnt, lost_note_means_that_what_lives_is_ready);
	suite_add_loop(suite, "crash, all the time",
		       manager_that_dies_all_the_time_runs_each_command_once, 40);
}

Suite *make_suite(void)
{
	Suite *suite = suite_create("supervise-script-crash");

	suite_add_loop(suite, "crash of a done one",
		       manager_that_dies_all_the_time_runs_start_and_stop_of_a_done_script_once,
		       40);
	suite_add_loop(suite, "crash and another file",
		       command_that_is_not_in_the_file_any_more_ends_as_it_would_have,
		       G_N_ELEMENTS(lost_commands));
	ADD_CASE(suite, "another file",
		 reload_command_that_hangs_and_is_not_in_the_file_any_more_is_ended,
		 newest_stop_command_is_run_though_it_came_in_the_middle_of_a_restart);
	if (has_cgroups())
		add_cases_with_cgroups(suite);
	return suite;
}
