/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Supervise without cgroup v2: the reduced guarantees (docs/processes.md). The processes are real,
 * and the keeper is a fake.
 */
#include "config.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/lib/stage.h"
#include "tests/lib/suite.h"

/* --- without cgroup v2 --- */

static Stage *stage_set_without_cgroups(const char *text)
{
	Stage *stage = stage_set_in_directory(text);

	if (stage->cgroup_root)
		ck_assert_int_eq(rmdir(stage->cgroup_root), 0);
	g_clear_pointer(&stage->cgroup_root, g_free);
	stage->context.cgroup_root = NULL;
	return stage;
}

static Stage *stage_new_without_cgroups(const char *text)
{
	Stage *stage = stage_set_without_cgroups(text);

	stage_start(stage);
	return stage;
}

START_TEST(without_cgroups_a_daemon_starts_and_stops)
{
	Stage *stage = stage_new_without_cgroups(
		"[Service]\nExec=/bin/sleep 1000\nPrepare=/bin/true\nCleanup=/bin/true\n");

	expect_event(stage, "ready");
	ck_assert_ptr_null(supervisor_cgroup(stage->supervisor));
	stage_stop(stage);

	expect_events(stage, "started\nready\nexited well: killed by signal TERM\ngone\n");
	stage_free(stage);
}
END_TEST

START_TEST(without_cgroups_a_signal_for_all_is_refused)
{
	Stage *stage = stage_new_without_cgroups("[Service]\nExec=/bin/sleep 1000\n");
	g_autoptr(GError) error = NULL;

	expect_event(stage, "ready");
	ck_assert(!supervisor_send_signal(stage->supervisor, SIGTERM, true, &error));
	ck_assert_str_eq(error->message,
			 STAGE_SERVICE ": without cgroup v2 only its main process is known");
	ck_assert(supervisor_send_signal(stage->supervisor, SIGTERM, false, NULL));

	expect_event(stage, "exited well: killed by signal TERM");
	stage_free(stage);
}
END_TEST

START_TEST(without_cgroups_one_that_ignores_term_is_killed)
{
	Stage *stage = stage_new_without_cgroups(
		"[Service]\nExec=/bin/sh -c 'trap \"\" TERM; echo >&3; while :; do sleep 0.1; "
		"done'\n"
		"Ready=fd:3\nStopTimeout=200ms\n");

	expect_event(stage, "ready");
	stage_stop(stage);

	ck_assert_uint_ge(fake_keeper_count(stage->keeper, "signal main KILL"), 1);
	stage_free(stage);
}
END_TEST

START_TEST(without_cgroups_notify_works_within_the_session)
{
	Stage *stage = stage_new_without_cgroups(stage_notifying);

	expect_event(stage, "ready");

	stage_free(stage);
}
END_TEST

START_TEST(without_cgroups_a_pid_file_names_the_daemon)
{
	Stage *stage =
		stage_new_without_cgroups("[Service]\nReady=fork\nPidFile={DIR}/pid\n"
					  "Exec=/bin/sh -c 'sleep 1000 & echo $! >{DIR}/pid'\n");

	expect_event(stage, "ready");
	stage_stop(stage);

	expect_events(stage,
		      "started\nmain pid\nready\nexited well: killed by signal TERM\ngone\n");
	stage_free(stage);
}
END_TEST

START_TEST(without_cgroups_a_fork_needs_a_pid_file)
{
	Stage *stage = stage_new_without_cgroups("[Service]\nReady=fork\nExec=/bin/true\n");

	expect_event(stage, "gone");

	expect_events(
		stage,
		"started\nstart failed: Ready=fork without PidFile= needs cgroup v2, which this "
		"machine does not have\ngone\n");
	stage_free(stage);
}
END_TEST

static pid_t pid_in_file(const Stage *stage, const char *path)
{
	g_autofree char *text = read_text(stage, path);

	return (pid_t)atoi(text);
}

/* CVE-2018-16888: the named process belongs to root, and would be killed with the service. */
START_TEST(without_cgroups_a_pid_file_of_a_user_does_not_name_a_process_of_root)
{
	Stage *stage = stage_new_without_cgroups(
		"[Service]\nReady=fork\nPidFile={DIR}/pid\nStartTimeout=300ms\n"
		"Exec=/bin/sh -c 'sleep 1000 & echo $! >{DIR}/pid; chown 65534 {DIR}/pid'\n");

	expect_event(stage, "gone");

	ck_assert_uint_eq(fake_keeper_count(stage->keeper, "adopt"), 0);
	ck_assert_ptr_nonnull(strstr(stage->events->str, "was written by user 65534"));
	ck_assert_int_eq(kill(pid_in_file(stage, "/pid"), SIGKILL), 0);
	stage_free(stage);
}
END_TEST

START_TEST(without_cgroups_a_pid_file_of_a_user_names_its_own_process)
{
	Stage *stage = stage_set_without_cgroups(
		"[Service]\nReady=fork\nPidFile={DIR}/pid\nUser=65534\nGroup=65534\n"
		"Exec=/bin/sh -c 'sleep 1000 & echo $! >{DIR}/pid'\n");

	ck_assert_int_eq(chown(stage->tree->root, 65534, 65534), 0);
	stage_start(stage);
	expect_event(stage, "ready");
	stage_stop(stage);

	expect_events(stage,
		      "started\nmain pid\nready\nexited well: killed by signal TERM\ngone\n");
	stage_free(stage);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("supervise: without cgroups");

	ADD_CASE(suite, "without cgroups", without_cgroups_a_daemon_starts_and_stops,
		 without_cgroups_a_signal_for_all_is_refused,
		 without_cgroups_one_that_ignores_term_is_killed,
		 without_cgroups_notify_works_within_the_session,
		 without_cgroups_a_pid_file_names_the_daemon,
		 without_cgroups_a_fork_needs_a_pid_file);
	if (geteuid() == 0)
		ADD_CASE(suite, "users",
			 without_cgroups_a_pid_file_of_a_user_does_not_name_a_process_of_root,
			 without_cgroups_a_pid_file_of_a_user_names_its_own_process);
	return suite;
}
