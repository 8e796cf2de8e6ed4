/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Supervise, starting: the steps up to readiness. The processes are real, and the keeper is a fake.
 */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/stage.h"
#include "tests/lib/suite.h"

/* --- starting --- */

START_TEST(daemon_is_ready_once_it_is_executed)
{
	Stage *stage = stage_new("[Service]\nExec=/bin/sleep 1000\n");

	expect_event(stage, "ready");
	ck_assert_int_eq(supervisor_main_pid(stage->supervisor),
			 fake_keeper_pid(stage->keeper, STAGE_SERVICE, ROLE_MAIN));
	stage_stop(stage);

	expect_events(stage, "started\nready\nexited well: killed by signal TERM\ngone\n");
	stage_free(stage);
}
END_TEST

START_TEST(missing_program_is_reported_with_its_path)
{
	Stage *stage = stage_new("[Service]\nExec=/usr/sbin/no-such-program -x\n");

	expect_event(stage, "gone");

	expect_events(
		stage,
		"started\nstart failed: cannot execute /usr/sbin/no-such-program: No such file or "
		"directory\ngone\n");
	stage_free(stage);
}
END_TEST

START_TEST(task_that_succeeds_stays_until_it_is_stopped)
{
	Stage *stage = stage_new_in_directory(
		"[Service]\nType=task\nExec=/bin/true\nStop=/bin/touch {DIR}/stopped\n");

	expect_event(stage, "exited well: exit status 0");
	ck_assert(!has_event(stage, "gone"));
	stage_stop(stage);

	ck_assert(has_file(stage, "/stopped"));
	expect_events(stage, "started\nexited well: exit status 0\ngone\n");
	stage_free(stage);
}
END_TEST

START_TEST(task_that_fails_is_gone_by_itself)
{
	Stage *stage = stage_new("[Service]\nType=task\nExec=/bin/sh -c 'exit 3'\n");

	expect_event(stage, "gone");

	expect_events(stage, "started\nexited badly: exit status 3\ngone\n");
	stage_free(stage);
}
END_TEST

START_TEST(success_status_counts_as_success)
{
	Stage *stage =
		stage_new("[Service]\nType=task\nExec=/bin/sh -c 'exit 3'\nSuccessStatus=3\n");

	expect_event(stage, "exited well: exit status 3");

	stage_free(stage);
}
END_TEST

START_TEST(daemon_that_crashes_is_gone_with_its_signal)
{
	Stage *stage = stage_new("[Service]\nExec=/bin/sh -c 'ulimit -c 0; kill -SEGV $$'\n");

	expect_event(stage, "gone");

	expect_events(stage, "started\nready\nexited badly: killed by signal SEGV\ngone\n");
	stage_free(stage);
}
END_TEST

START_TEST(daemon_that_ends_before_it_is_ready_did_not_start)
{
	Stage *stage = stage_new("[Service]\nExec=/bin/sh -c 'exit 0'\nReady=notify\n");

	expect_event(stage, "gone");

	expect_events(stage,
		      "started\nstart failed: ended before it was ready: exit status 0\ngone\n");
	stage_free(stage);
}
END_TEST

START_TEST(start_that_takes_too_long_fails_and_is_stopped)
{
	Stage *stage =
		stage_new("[Service]\nExec=/bin/sleep 1000\nReady=notify\nStartTimeout=200ms\n");

	expect_event(stage, "gone");

	expect_events(stage, "started\nstart failed: not ready after 200 ms\ngone\n");
	stage_free(stage);
}
END_TEST

START_TEST(failed_fork_of_the_keeper_is_reported)
{
	Stage *stage = stage_set("[Service]\nExec=/bin/sleep 1000\n");

	fake_keeper_refuse(stage->keeper, EAGAIN);
	stage_start(stage);
	expect_event(stage, "gone");

	expect_events(
		stage,
		"start failed for now: cannot start a process: Resource temporarily unavailable\n"
		"gone\n");
	stage_free(stage);
}
END_TEST

START_TEST(stop_before_the_first_turn_starts_nothing)
{
	Stage *stage = stage_new("[Service]\nExec=/bin/sleep 1000\n");

	stage_stop(stage);

	expect_events(stage, "gone\n");
	ck_assert_uint_eq(fake_keeper_count(stage->keeper, "spawn"), 0);
	stage_free(stage);
}
END_TEST

/* --- preparation and clean-up --- */

START_TEST(preparation_runs_in_order_and_clean_up_comes_last)
{
	Stage *stage = stage_new_in_directory(
		"[Service]\n"
		"Prepare=/bin/sh -c 'echo one >>{DIR}/log'\n"
		"Prepare=/bin/sh -c 'echo two >>{DIR}/log'\n"
		"Exec=/bin/sh -c 'trap \"echo end >>{DIR}/log; exit 0\" TERM; echo main "
		">>{DIR}/log; "
		"touch {DIR}/up; while :; do sleep 0.05; done'\n"
		"Cleanup=/bin/sh -c 'echo three >>{DIR}/log'\n"
		"Cleanup=/bin/sh -c 'echo four >>{DIR}/log'\n");
	g_autofree char *log = NULL;

	expect_file(stage, "/up");
	stage_stop(stage);

	log = read_text(stage, "/log");
	ck_assert_str_eq(log, "one\ntwo\nmain\nend\nthree\nfour");
	expect_events(stage, "started\nready\nexited well: exit status 0\ngone\n");
	stage_free(stage);
}
END_TEST

START_TEST(failed_preparation_keeps_the_service_from_starting_but_cleans_up)
{
	Stage *stage = stage_new_in_directory(
		"[Service]\nPrepare=/bin/sh -c 'exit 4'\nExec=/bin/touch {DIR}/ran\n"
		"Cleanup=/bin/touch {DIR}/cleaned\n");

	expect_event(stage, "gone");

	expect_events(stage, "start failed: preparation failed: /bin/sh: exit status 4\ngone\n");
	ck_assert(!has_file(stage, "/ran"));
	ck_assert(has_file(stage, "/cleaned"));
	stage_free(stage);
}
END_TEST

START_TEST(preparation_with_a_minus_may_fail)
{
	Stage *stage = stage_new("[Service]\nPrepare=-/no/such/program\nExec=/bin/sleep 1000\n");

	expect_event(stage, "ready");

	stage_free(stage);
}
END_TEST

START_TEST(preparation_that_cannot_be_executed_reports_the_reason)
{
	Stage *stage = stage_new("[Service]\nPrepare=/no/such/program\nExec=/bin/sleep 1000\n");

	expect_event(stage, "gone");

	expect_events(
		stage,
		"start failed: preparation failed: /no/such/program: cannot execute its program: "
		"No such file or directory\ngone\n");
	stage_free(stage);
}
END_TEST

START_TEST(preparation_has_a_time_limit)
{
	Stage *stage = stage_new(
		"[Service]\nPrepare=/bin/sleep 1000\nExec=/bin/true\nStartTimeout=100ms\n");

	expect_event(stage, "gone");

	expect_events(stage,
		      "start failed: preparation not finished after 100 ms: /bin/sleep\ngone\n");
	stage_free(stage);
}
END_TEST

/* --- readiness --- */

static bool has_watch(const Stage *stage, const char *key)
{
	return g_strcmp0(stage->watched, key) == 0;
}

static const char named_ready[] = "[Service]\nExec=/bin/sleep 1000\nReady=dbus:org.example.Probe\n";
static const char name_key[] = "dbus:org.example.Probe";

START_TEST(condition_makes_it_ready_and_is_not_looked_at_any_more)
{
	Stage *stage = stage_new(named_ready);

	run_until(stage, has_watch, name_key);
	supervisor_on_level(stage->supervisor, stage->watched, LEVEL_UNKNOWN,
			    "there is no system bus");
	supervisor_on_level(stage->supervisor, stage->watched, LEVEL_FALSE,
			    "has no owner on the system bus");
	ck_assert(!has_event(stage, "ready"));
	supervisor_on_level(stage->supervisor, stage->watched, LEVEL_TRUE, "owned by :1.42");

	expect_events(stage, "started\nready\n");
	ck_assert_ptr_null(stage->watched);
	supervisor_on_level(stage->supervisor, g_intern_string(name_key), LEVEL_FALSE,
			    "has no owner on the system bus");
	expect_events(stage, "started\nready\n");
	stage_free(stage);
}
END_TEST

START_TEST(readiness_by_path_is_a_condition_too)
{
	Stage *stage =
		stage_new("[Service]\nExec=/bin/sleep 1000\nReady=path:/run/probe//socket\n");

	run_until(stage, has_watch, "path:/run/probe/socket");
	supervisor_on_level(stage->supervisor, stage->watched, LEVEL_TRUE, "it is there");

	expect_events(stage, "started\nready\n");
	stage_free(stage);
}
END_TEST

START_TEST(condition_that_does_not_come_true_is_the_reason_of_the_failure)
{
	g_autofree char *text = g_strconcat(named_ready, "StartTimeout=300ms\n", NULL);
	Stage *stage = stage_new(text);

	run_until(stage, has_watch, name_key);
	supervisor_on_level(stage->supervisor, stage->watched, LEVEL_FALSE,
			    "has no owner on the system bus");
	expect_event(stage, "gone");

	ck_assert(has_event(
		stage,
		"start failed: not ready after 300 ms: dbus:org.example.Probe: has no owner on "
		"the system bus"));
	stage_free(stage);
}
END_TEST

START_TEST(stop_ends_the_look_at_the_condition)
{
	Stage *stage = stage_new(named_ready);

	run_until(stage, has_watch, name_key);
	supervisor_stop(stage->supervisor);
	run_until(stage, has_watch, NULL);

	expect_event(stage, "gone");
	stage_free(stage);
}
END_TEST

START_TEST(program_that_cannot_be_executed_looks_at_no_condition)
{
	Stage *stage =
		stage_new("[Service]\nExec=/no/such/program\nReady=dbus:org.example.Probe\n");

	expect_event(stage, "gone");

	ck_assert(!has_event(stage, "ready"));
	stage_free(stage);
}
END_TEST

START_TEST(next_manager_looks_at_the_condition_again)
{
	Stage *stage = stage_new(named_ready);

	run_until(stage, has_watch, name_key);
	stage_crash(stage);
	ck_assert_ptr_null(stage->watched);
	run_until(stage, has_watch, name_key);
	supervisor_on_level(stage->supervisor, stage->watched, LEVEL_TRUE, "owned by :1.42");

	expect_event(stage, "ready");
	stage_free(stage);
}
END_TEST

START_TEST(newline_on_its_descriptor_makes_it_ready)
{
	Stage *stage = stage_new(
		"[Service]\nExec=/bin/sh -c 'echo >&3; exec 3>&-; exec sleep 1000'\nReady=fd:3\n");

	expect_event(stage, "ready");

	ck_assert_uint_eq(fake_keeper_count(stage->keeper, "forget probe/ready/0"), 1);
	stage_free(stage);
}
END_TEST

START_TEST(readiness_descriptor_may_have_any_number)
{
	Stage *stage =
		stage_new("[Service]\nExec=/bin/bash -c 'echo >&9; exec sleep 1000'\nReady=fd:9\n");

	expect_event(stage, "ready");

	stage_free(stage);
}
END_TEST

START_TEST(notify_makes_it_ready_and_sets_its_status)
{
	Stage *stage = stage_new(stage_notifying);

	expect_event(stage, "ready");

	ck_assert(has_event(stage, "status: warming up"));
	expect_event(stage, "status: serving");
	stage_free(stage);
}
END_TEST

START_TEST(messages_of_other_processes_on_the_notify_socket_are_ignored)
{
	Stage *stage =
		stage_new("[Service]\nExec=/bin/sleep 1000\nReady=notify\nStartTimeout=400ms\n");
	g_autofree char *path = g_strdup_printf("%s/notify/" STAGE_SERVICE, stage->runtime_dir);
	g_autofree char *command =
		g_strdup_printf("/usr/bin/python3 -c 'import "
				"socket;s=socket.socket(socket.AF_UNIX,socket.SOCK_DGRAM);"
				"s.connect(\"%s\");s.send(b\"READY=1\\nMAINPID=1\")'",
				path);

	expect_event(stage, "started");
	ck_assert_int_eq(system(command), 0);
	expect_event(stage, "gone");

	ck_assert(!has_event(stage, "ready"));
	ck_assert(has_event(stage, "start failed: not ready after 400 ms"));
	stage_free(stage);
}
END_TEST

START_TEST(notifications_of_a_dead_process_are_read_before_its_exit)
{
	Stage *stage = stage_new(
		"[Service]\nExec=/usr/bin/python3 -c 'import "
		"socket,os;s=socket.socket(socket.AF_UNIX,socket.SOCK_DGRAM);"
		"s.connect(os.environ[\"NOTIFY_SOCKET\"]);s.send(b\"READY=1\");os._exit(5)'\n"
		"Ready=notify\n");

	expect_event(stage, "gone");

	expect_events(stage, "started\nready\nexited badly: exit status 5\ngone\n");
	stage_free(stage);
}
END_TEST

/* --- forking --- */

START_TEST(pid_file_names_the_daemon_behind_a_fork)
{
	Stage *stage =
		stage_new_in_directory("[Service]\nReady=fork\nPidFile={DIR}/pid\n"
				       "Exec=/bin/sh -c 'sleep 1000 & echo $! >{DIR}/pid'\n");
	pid_t first;

	expect_event(stage, "ready");

	expect_events(stage, "started\nmain pid\nready\n");
	first = supervisor_main_pid(stage->supervisor);
	ck_assert_int_gt(first, 0);
	ck_assert_int_eq(fake_keeper_pid(stage->keeper, STAGE_SERVICE, ROLE_MAIN), first);
	stage_free(stage);
}
END_TEST

START_TEST(late_pid_file_is_waited_for)
{
	Stage *stage = stage_new_in_directory(
		"[Service]\nReady=fork\nPidFile={DIR}/pid\n"
		"Exec=/bin/sh -c '(sleep 0.3; echo $PPID >/dev/null; exec sh -c \"echo \\$\\$ "
		">{DIR}/pid; exec sleep 1000\") &'\n");

	expect_event(stage, "ready");

	stage_free(stage);
}
END_TEST

START_TEST(fork_without_a_pid_file_is_found_in_the_cgroup)
{
	Stage *stage = stage_new("[Service]\nReady=fork\nExec=/bin/sh -c 'sleep 1000 &'\n");

	expect_event(stage, "ready");

	ck_assert_int_gt(supervisor_main_pid(stage->supervisor), 0);
	stage_free(stage);
}
END_TEST

START_TEST(fork_that_leaves_no_process_fails)
{
	Stage *stage = stage_new("[Service]\nReady=fork\nExec=/bin/true\n");

	expect_event(stage, "gone");

	expect_events(
		stage,
		"started\nstart failed: its first process ended and left none behind\ngone\n");
	stage_free(stage);
}
END_TEST

START_TEST(pid_file_without_a_writer_is_not_waited_for)
{
	Stage *stage = stage_new_in_directory(
		"[Service]\nReady=fork\nPidFile={DIR}/pid\nExec=/bin/true\n");

	expect_event(stage, "gone");

	ck_assert(!has_event(stage, "ready"));
	ck_assert_pstr_ne(strstr(stage->events->str,
				 "start failed: its first process ended and left none behind: "),
			  NULL);
	stage_free(stage);
}
END_TEST

START_TEST(pid_file_that_names_a_stranger_is_not_believed)
{
	Stage *stage = stage_new_in_directory(
		"[Service]\nReady=fork\nPidFile={DIR}/pid\nStartTimeout=300ms\n"
		"Exec=/bin/sh -c 'sleep 1000 & echo 1000000 >{DIR}/pid'\n");
	g_autofree char *text = NULL;

	expect_event(stage, "gone");

	text = g_strdup_printf(
		"start failed: not ready after 300 ms: process 1000000 in %s/pid does not belong "
		"to this service",
		stage->tree->root);
	ck_assert(has_event(stage, text));
	stage_free(stage);
}
END_TEST

START_TEST(daemon_behind_a_fork_that_dies_is_gone)
{
	Stage *stage = stage_new("[Service]\nReady=fork\nExec=/bin/sh -c 'sleep 1000 &'\n");

	expect_event(stage, "ready");
	ck_assert_int_eq(kill(supervisor_main_pid(stage->supervisor), SIGKILL), 0);
	expect_event(stage, "gone");

	expect_events(stage,
		      "started\nmain pid\nready\nexited badly: killed by signal KILL\ngone\n");
	stage_free(stage);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("supervise: start");

	ADD_CASE(suite, "start", daemon_is_ready_once_it_is_executed,
		 missing_program_is_reported_with_its_path,
		 task_that_succeeds_stays_until_it_is_stopped, task_that_fails_is_gone_by_itself,
		 success_status_counts_as_success, daemon_that_crashes_is_gone_with_its_signal,
		 daemon_that_ends_before_it_is_ready_did_not_start,
		 start_that_takes_too_long_fails_and_is_stopped,
		 failed_fork_of_the_keeper_is_reported, stop_before_the_first_turn_starts_nothing);
	ADD_CASE(suite, "prepare", preparation_runs_in_order_and_clean_up_comes_last,
		 failed_preparation_keeps_the_service_from_starting_but_cleans_up,
		 preparation_with_a_minus_may_fail,
		 preparation_that_cannot_be_executed_reports_the_reason,
		 preparation_has_a_time_limit);
	ADD_CASE(suite, "ready as a condition",
		 condition_makes_it_ready_and_is_not_looked_at_any_more,
		 readiness_by_path_is_a_condition_too,
		 condition_that_does_not_come_true_is_the_reason_of_the_failure,
		 stop_ends_the_look_at_the_condition,
		 program_that_cannot_be_executed_looks_at_no_condition,
		 next_manager_looks_at_the_condition_again);
	ADD_CASE(suite, "ready", newline_on_its_descriptor_makes_it_ready,
		 readiness_descriptor_may_have_any_number,
		 notify_makes_it_ready_and_sets_its_status,
		 messages_of_other_processes_on_the_notify_socket_are_ignored,
		 notifications_of_a_dead_process_are_read_before_its_exit);
	ADD_CASE(suite, "fork", pid_file_names_the_daemon_behind_a_fork,
		 late_pid_file_is_waited_for, daemon_behind_a_fork_that_dies_is_gone);
	if (has_cgroups()) /* the rest needs cgroup v2 (docs/processes.md) */
		ADD_CASE(suite, "cgroup", fork_without_a_pid_file_is_found_in_the_cgroup,
			 fork_that_leaves_no_process_fails,
			 pid_file_without_a_writer_is_not_waited_for,
			 pid_file_that_names_a_stranger_is_not_believed);
	return suite;
}
