/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Supervise, Type=script: the choice of the main process. The pid file is a hint with cgroup v2,
 * and the only source without it.
 */
#include "config.h"

#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/lib/script-stage.h"
#include "tests/lib/suite.h"
#include "loop/loop.h"
#include "process/process-stat.h"

START_TEST(pid_file_names_the_main_process_among_several)
{
	Stage *stage = script_new_up(
		"start) keep a; keep pid; keep b ;; stop) end a; end b; end pid ;;\n", "");

	ck_assert_int_eq(kill(pid_in(stage, "/pid"), SIGKILL), 0);
	expect_event(stage, "gone");

	ck_assert(has_event(stage, "exited badly: killed by signal KILL"));
	stage_free(stage);
}
END_TEST

START_TEST(pid_file_may_appear_later)
{
	Stage *stage = script_new("start) keep a; keep b ;; stop) end a; end b ;;\n", "");
	g_autofree char *from = tree_path(stage->tree, "/b");
	g_autofree char *to = tree_path(stage->tree, "/pid");

	expect_event(stage, "ready");
	ck_assert_int_eq(supervisor_main_pid(stage->supervisor), 0);
	ck_assert_int_eq(link(from, to), 0);
	run_until(stage, has_main_of, "/pid");

	stage_free(stage);
}
END_TEST

static const char *const strange_pid_files[] = { "1", "$PPID", "4194000", "nonsense", "" };

START_TEST(pid_file_that_names_a_stranger_is_not_believed)
{
	g_autofree char *branches =
		g_strdup_printf("start) keep a; keep b; echo %s >pid ;; stop) end a; end b ;;\n",
				strange_pid_files[_i]);
	Stage *stage = script_new(branches, "");

	expect_event(stage, "ready");
	ck_assert_int_eq(supervisor_main_pid(stage->supervisor), 0);
	stage_stop(stage);

	ck_assert_int_eq(kill(getpid(), 0), 0);
	ck_assert_uint_eq(fake_keeper_count(stage->keeper, "adopt"), 0);
	stage_free(stage);
}
END_TEST

START_TEST(daemon_that_replaces_itself_is_followed_by_its_pid_file)
{
	Stage *stage = script_new_up("start) keep a; keep pid ;; stop) end a; end pid ;;\n", "");
	pid_t before;

	before = supervisor_main_pid(stage->supervisor);
	g_autofree char *a = tree_path(stage->tree, "/a");
	g_autofree char *pid = tree_path(stage->tree, "/pid");
	ck_assert_int_eq(rename(a, pid), 0);
	ck_assert_int_eq(kill(before, SIGKILL), 0);
	run_until(stage, has_main_of, "/pid");

	ck_assert_int_ne(supervisor_main_pid(stage->supervisor), before);
	ck_assert_ptr_null(strstr(stage->events->str, "exited"));
	stage_free(stage);
}
END_TEST

START_TEST(daemon_that_replaces_itself_is_followed_without_a_pid_file)
{
	/* On USR2 the daemon starts another process, and ends with success. */
	Stage *stage = script_new_without_pid_file(
		"start) (trap 'keep b; exit 0' USR2; >trapped; while :; do sleep 0.02; done) & "
		"echo $! >a ;;\n"
		"stop) end b ;;\n");

	expect_event(stage, "ready");
	run_until(stage, has_main_of, "/a");
	/*
	 * Without its note, the next manager assumes that the service has been up for long.
	 */
	keeper_link_note(stage->context.link, STAGE_SERVICE, "garbage");
	stage_crash(stage);
	run_until(stage, has_main_of, "/a");
	expect_file(stage, "/trapped");
	ck_assert_int_eq(kill(supervisor_main_pid(stage->supervisor), SIGUSR2), 0);
	run_until(stage, has_main_of, "/b");

	ck_assert_ptr_null(strstr(stage->events->str, "exited"));
	stage_stop(stage);
	stage_free(stage);
}
END_TEST

/* --- without cgroup v2 --- */

START_TEST(without_cgroups_the_pid_file_alone_names_what_runs)
{
	Stage *stage = script_new_without_cgroups("start) keep pid ;; stop) end pid ;;\n");

	expect_event(stage, "ready");
	run_until(stage, has_main_of, "/pid");
	stage_stop(stage);

	ck_assert(has_event(stage, "exited well: killed by signal TERM"));
	stage_free(stage);
}
END_TEST

START_TEST(without_cgroups_and_pid_file_a_script_is_done)
{
	Stage *stage = script_new_without_cgroups("start) keep a ;; stop) end a ;;\n");

	expect_event(stage, "exited done: exit status 0; it left nothing running");
	stage_stop(stage);

	expect_calls(stage, "start stop");
	stage_free(stage);
}
END_TEST

static bool is_older_than_a_tick(const Stage *stage, const char *pid)
{
	ProcessStat stat;

	(void)stage;
	return process_stat_read((pid_t)atoi(pid), &stat) &&
	       loop_now() > stat.started_us + 100 * G_TIME_SPAN_MILLISECOND;
}

START_TEST(without_cgroups_a_process_older_than_the_start_is_a_stranger)
{
	Stage *stage = script_set("start) cp older pid ;;\n", "");
	pid_t older = fork();

	if (older == 0) {
		execl("/bin/sleep", "sleep", "1000", NULL);
		_exit(127);
	}
	g_autofree char *text = g_strdup_printf("%d\n", (int)older);
	tree_write(stage->tree, "/older", text);
	run_until(stage, is_older_than_a_tick, text);
	stage->context.cgroup_root = NULL;
	stage_start(stage);
	expect_event(stage, "exited done: exit status 0; it left nothing running");
	stage_stop(stage);

	ck_assert_uint_eq(fake_keeper_count(stage->keeper, "adopt"), 0);
	ck_assert_int_eq(kill(older, SIGKILL), 0);
	stage_free(stage);
}
END_TEST

START_TEST(without_cgroups_a_restart_is_followed_by_the_pid_file)
{
	Stage *stage = script_new_without_cgroups(
		"start) keep pid ;; restart) end pid; keep pid ;; stop) end pid ;;\n");

	expect_event(stage, "ready");
	run_until(stage, has_main_of, "/pid");
	supervisor_restart(stage->supervisor);
	expect_event(stage, "restarted: exit status 0");
	run_until(stage, has_main_of, "/pid");
	ck_assert(!has_event(stage, "exited well: killed by signal TERM"));
	stage_stop(stage);

	expect_calls(stage, "start restart stop");
	stage_free(stage);
}
END_TEST

static bool has_lost_main_twice(const Stage *stage, const char *unused)
{
	(void)unused;
	return count_lines(stage->events->str, "main pid") == 2;
}

/* The pid file is found to be wrong only after the limit. */
START_TEST(pid_file_of_a_done_script_that_proves_wrong_late_leaves_it_done)
{
	Stage *stage = script_new_without_cgroups("");

	expect_event(stage, "exited done: exit status 0; it left nothing running");
	keeper_link_note(stage->context.link, STAGE_SERVICE, "adopt:4194000:1:-x");
	stage_crash(stage);
	run_until(stage, has_lost_main_twice, NULL);
	ck_assert_uint_eq(fake_keeper_count(stage->keeper, "adopt "), 1);
	stage_stop(stage);

	expect_calls(stage, "start stop");
	stage_free(stage);
}
END_TEST

/* These need cgroup v2 (docs/processes.md). */
static void add_cases_with_cgroups(Suite *suite)
{
	ADD_CASE(suite, "pid file", pid_file_names_the_main_process_among_several,
		 pid_file_may_appear_later, daemon_that_replaces_itself_is_followed_by_its_pid_file,
		 daemon_that_replaces_itself_is_followed_without_a_pid_file);
	suite_add_loop(suite, "strange pid files", pid_file_that_names_a_stranger_is_not_believed,
		       G_N_ELEMENTS(strange_pid_files));
}

Suite *make_suite(void)
{
	Suite *suite = suite_create("supervise-script-pid-file");

	ADD_CASE(suite, "without cgroups", without_cgroups_the_pid_file_alone_names_what_runs,
		 without_cgroups_and_pid_file_a_script_is_done,
		 without_cgroups_a_process_older_than_the_start_is_a_stranger,
		 without_cgroups_a_restart_is_followed_by_the_pid_file,
		 pid_file_of_a_done_script_that_proves_wrong_late_leaves_it_done);
	if (has_cgroups())
		add_cases_with_cgroups(suite);
	return suite;
}
