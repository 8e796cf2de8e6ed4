/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Supervise, stopping: the steps from the stop request to the end of all processes. The processes
 * are real, and the keeper is a fake.
 */
#include "config.h"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/lib/stage.h"
#include "tests/lib/suite.h"

/* --- stopping --- */

START_TEST(one_that_ignores_term_is_killed_after_its_limit)
{
	Stage *stage = stage_new(
		"[Service]\nExec=/bin/sh -c 'trap \"\" TERM; echo >&3; while :; do sleep 1; done'\n"
		"Ready=fd:3\nStopTimeout=300ms\n");

	expect_event(stage, "ready");
	stage_stop(stage);

	ck_assert(has_event(
		stage,
		"exited badly: killed by signal KILL: still running 300 ms after it was asked to "
		"stop"));
	stage_free(stage);
}
END_TEST

START_TEST(stop_signal_is_the_one_that_was_asked_for)
{
	Stage *stage = stage_new("[Service]\nExec=/bin/sleep 1000\nStop=signal:INT\n");

	expect_event(stage, "ready");
	stage_stop(stage);

	ck_assert_uint_eq(fake_keeper_count(stage->keeper, "signal main INT"), 1);
	ck_assert(has_event(stage, "exited well: killed by signal INT"));
	stage_free(stage);
}
END_TEST

START_TEST(stop_command_knows_the_main_process)
{
	Stage *stage = stage_new_in_directory(
		"[Service]\nExec=/bin/sleep 1000\n"
		"Stop=/bin/sh -c 'echo $0 $MAINPID >{DIR}/said; kill -KILL $0' $MAINPID\n");
	g_autofree char *expected = NULL;
	g_autofree char *message = NULL;
	pid_t pid;

	expect_event(stage, "ready");
	pid = supervisor_main_pid(stage->supervisor);
	stage_stop(stage);

	expected = g_strdup_printf("%d %d", (int)pid, (int)pid);
	message = read_text(stage, "/said");
	ck_assert_str_eq(message, expected);
	stage_free(stage);
}
END_TEST

START_TEST(stop_command_that_does_nothing_is_followed_by_term)
{
	Stage *stage = stage_new("[Service]\nExec=/bin/sleep 1000\nStop=/bin/true\n");

	expect_event(stage, "ready");
	stage_stop(stage);

	ck_assert(has_event(stage, "exited well: killed by signal TERM"));
	stage_free(stage);
}
END_TEST

START_TEST(processes_left_behind_are_ended_too)
{
	Stage *stage = stage_new(
		"[Service]\nExec=/bin/sh -c 'setsid setsid sh -c \"trap : TERM; while :; do sleep "
		"0.1; done\" "
		"& echo >&3; exec sleep 1000'\nReady=fd:3\nStopTimeout=300ms\n");

	expect_event(stage, "ready");
	stage_stop(stage);

	/* stage_free() finds no cgroup, and therefore no processes. */
	stage_free(stage);
}
END_TEST

START_TEST(control_group_below_its_own_is_removed_with_it)
{
	Stage *stage = stage_set("[Service]\nExec=/bin/sleep 1000\n");
	g_autofree char *below = g_strdup_printf("%s/" STAGE_SERVICE "/a", stage->cgroup_root);
	g_autofree char *further = g_strdup_printf("%s/b", below);

	stage_start(stage);
	expect_event(stage, "ready");
	ck_assert_int_eq(mkdir(below, 0755), 0);
	ck_assert_int_eq(mkdir(further, 0755), 0);
	stage_stop(stage);

	stage_free(stage);
}
END_TEST

START_TEST(stop_during_preparation_reports_no_failure)
{
	Stage *stage = stage_new_in_directory(
		"[Service]\nPrepare=/bin/sh -c 'touch {DIR}/begun; exec sleep 1000'\n"
		"Exec=/bin/true\n");

	expect_file(stage, "/begun");
	stage_stop(stage);

	expect_events(stage, "gone\n");
	stage_free(stage);
}
END_TEST

START_TEST(clean_up_that_hangs_is_killed)
{
	Stage *stage = stage_new(
		"[Service]\nExec=/bin/sleep 1000\nCleanup=/bin/sleep 1000\nStopTimeout=200ms\n");

	expect_event(stage, "ready");
	stage_stop(stage);

	stage_free(stage);
}
END_TEST

#define WORK_STANDS                                                               \
	"[Service]\nType=task\nExec=/bin/true\nStopTimeout=300ms\n[Conditions]\n" \
	"DoneWhile=mounted:/x\n[Service]\n"

static void remove_file(const Stage *stage, const char *path)
{
	g_autofree char *file = tree_path(stage->tree, path);

	ck_assert_int_eq(unlink(file), 0);
}

START_TEST(a_task_whose_stop_fails_goes_on_until_one_succeeds)
{
	Stage *stage = stage_new_in_directory(
		WORK_STANDS
		"Stop=/bin/sh -c 'test ! -e {DIR}/held || { echo it is busy; exit 3; }'\n");

	expect_event(stage, "exited well: exit status 0");
	touch_file(stage, "/held");
	supervisor_stop(stage->supervisor);
	expect_event(stage, "stop failed: exit status 3 (it wrote: it is busy)");

	remove_file(stage, "/held");
	stage_stop(stage);
	stage_free(stage);
}
END_TEST

START_TEST(a_stop_command_that_hangs_has_failed)
{
	Stage *stage = stage_new_in_directory(
		WORK_STANDS "Stop=/bin/sh -c 'test ! -e {DIR}/held || exec sleep 1000'\n");

	expect_event(stage, "exited well: exit status 0");
	touch_file(stage, "/held");
	supervisor_stop(stage->supervisor);
	expect_event(stage, "stop failed: killed by signal KILL: not finished after 300 ms");

	remove_file(stage, "/held");
	stage_stop(stage);
	stage_free(stage);
}
END_TEST

static bool is_ending(void *data)
{
	(void)data;
	return true;
}

START_TEST(a_shutdown_goes_on_without_a_stop_that_fails)
{
	Stage *stage = stage_new(WORK_STANDS "Stop=/bin/false\n");

	expect_event(stage, "exited well: exit status 0");
	stage->context.is_ending = is_ending;
	stage_stop(stage);
	stage_free(stage);
}
END_TEST

START_TEST(a_stop_that_may_fail_is_a_stop)
{
	Stage *stage = stage_new(WORK_STANDS "Stop=-/bin/false\n");

	expect_event(stage, "exited well: exit status 0");
	stage_stop(stage);
	stage_free(stage);
}
END_TEST

START_TEST(kill_signal_comes_before_kill)
{
	Stage *stage = stage_set(
		"[Service]\nExec=/bin/sh -c 'trap \"\" TERM; echo >&3; while :; do sleep 0.05; "
		"done'\n"
		"Ready=fd:3\nStopTimeout=200ms\n");

	stage->def->kill_signal = SIGUSR1;
	stage_start(stage);
	expect_event(stage, "ready");
	supervisor_stop(stage->supervisor);
	/* from now on, KILL follows USR1 after this time */
	stage->def->stop_limit_us = 5 * G_USEC_PER_SEC;
	expect_event(stage, "gone");

	ck_assert_uint_eq(fake_keeper_count(stage->keeper, "signal main USR1"), 1);
	ck_assert_uint_eq(fake_keeper_count(stage->keeper, "signal main KILL"), 0);
	stage_free(stage);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("supervise: stop");

	ADD_CASE(suite, "stop", one_that_ignores_term_is_killed_after_its_limit,
		 stop_signal_is_the_one_that_was_asked_for, stop_command_knows_the_main_process,
		 stop_command_that_does_nothing_is_followed_by_term,
		 a_task_whose_stop_fails_goes_on_until_one_succeeds,
		 a_stop_command_that_hangs_has_failed, a_shutdown_goes_on_without_a_stop_that_fails,
		 a_stop_that_may_fail_is_a_stop, stop_during_preparation_reports_no_failure,
		 clean_up_that_hangs_is_killed, kill_signal_comes_before_kill);
	if (has_cgroups()) /* the rest needs cgroup v2 (docs/processes.md) */
		ADD_CASE(suite, "cgroup", processes_left_behind_are_ended_too,
			 control_group_below_its_own_is_removed_with_it);
	return suite;
}
