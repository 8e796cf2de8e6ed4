/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Supervise: one invocation of a service with real processes, through a fake keeper.
 */
#include "config.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../lib/stage.h"
#include "base/fd.h"
#include "process/cgroup.h"

/* --- starting --- */

START_TEST(daemon_is_ready_once_it_is_executed)
{
	Stage *stage = stage_new("[Service]\nExec=/bin/sleep 1000\n");

	expect_event(stage, "ready");
	ck_assert_int_eq(supervisor_main_pid(stage->supervisor), fake_keeper_pid(stage->keeper, STAGE_SERVICE, ROLE_MAIN));
	stage_stop(stage);

	expect_events(stage, "started\nready\nexited well: killed by signal TERM\ngone\n");
	stage_free(stage);
}
END_TEST

START_TEST(missing_program_is_said_with_its_path)
{
	Stage *stage = stage_new("[Service]\nExec=/usr/sbin/no-such-program -x\n");

	expect_event(stage, "gone");

	expect_events(stage, "started\nstart failed: cannot execute /usr/sbin/no-such-program: No such file or directory\ngone\n");
	stage_free(stage);
}
END_TEST

START_TEST(task_that_succeeds_stays_until_it_is_stopped)
{
	Stage *stage = stage_new_in_directory("[Service]\nType=task\nExec=/bin/true\nStop=/bin/touch {DIR}/stopped\n");

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
	Stage *stage = stage_new("[Service]\nType=task\nExec=/bin/sh -c 'exit 3'\nSuccessStatus=3\n");

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

	expect_events(stage, "started\nstart failed: ended before it was ready: exit status 0\ngone\n");
	stage_free(stage);
}
END_TEST

START_TEST(start_that_takes_too_long_fails_and_is_stopped)
{
	Stage *stage = stage_new("[Service]\nExec=/bin/sleep 1000\nReady=notify\nStartTimeout=200ms\n");

	expect_event(stage, "gone");

	expect_events(stage, "started\nstart failed: not ready after 200 ms\ngone\n");
	stage_free(stage);
}
END_TEST

START_TEST(keeper_that_cannot_fork_is_said)
{
	Stage *stage = stage_set("[Service]\nExec=/bin/sleep 1000\n");

	fake_keeper_refuse(stage->keeper, EAGAIN);
	stage_start(stage);
	expect_event(stage, "gone");

	expect_events(stage, "start failed: cannot start a process: Resource temporarily unavailable\ngone\n");
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
	Stage *stage = stage_new_in_directory("[Service]\n"
					      "Prepare=/bin/sh -c 'echo one >>{DIR}/log'\n"
					      "Prepare=/bin/sh -c 'echo two >>{DIR}/log'\n"
					      "Exec=/bin/sh -c 'trap \"echo end >>{DIR}/log; exit 0\" TERM; echo main >>{DIR}/log; "
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
	Stage *stage = stage_new_in_directory("[Service]\nPrepare=/bin/sh -c 'exit 4'\nExec=/bin/touch {DIR}/ran\n"
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

START_TEST(preparation_that_cannot_be_executed_says_why)
{
	Stage *stage = stage_new("[Service]\nPrepare=/no/such/program\nExec=/bin/sleep 1000\n");

	expect_event(stage, "gone");

	expect_events(stage, "start failed: preparation failed: /no/such/program: cannot execute its program: "
			     "No such file or directory\ngone\n");
	stage_free(stage);
}
END_TEST

START_TEST(preparation_has_a_time_limit)
{
	Stage *stage = stage_new("[Service]\nPrepare=/bin/sleep 1000\nExec=/bin/true\nStartTimeout=100ms\n");

	expect_event(stage, "gone");

	expect_events(stage, "start failed: preparation not finished after 100 ms: /bin/sleep\ngone\n");
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
	supervisor_on_level(stage->supervisor, stage->watched, LEVEL_UNKNOWN, "the system bus is not there");
	supervisor_on_level(stage->supervisor, stage->watched, LEVEL_FALSE, "has no owner on the system bus");
	ck_assert(!has_event(stage, "ready"));
	supervisor_on_level(stage->supervisor, stage->watched, LEVEL_TRUE, "owned by :1.42");

	expect_events(stage, "started\nready\n");
	ck_assert_ptr_null(stage->watched);
	supervisor_on_level(stage->supervisor, g_intern_string(name_key), LEVEL_FALSE, "has no owner on the system bus");
	expect_events(stage, "started\nready\n");
	stage_free(stage);
}
END_TEST

START_TEST(readiness_by_path_is_a_condition_too)
{
	Stage *stage = stage_new("[Service]\nExec=/bin/sleep 1000\nReady=path:/run/probe//socket\n");

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
	supervisor_on_level(stage->supervisor, stage->watched, LEVEL_FALSE, "has no owner on the system bus");
	expect_event(stage, "gone");

	ck_assert(has_event(stage, "start failed: not ready after 300 ms: dbus:org.example.Probe: has no owner on the system bus"));
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
	Stage *stage = stage_new("[Service]\nExec=/no/such/program\nReady=dbus:org.example.Probe\n");

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
	Stage *stage = stage_new("[Service]\nExec=/bin/sh -c 'echo >&3; exec 3>&-; exec sleep 1000'\nReady=fd:3\n");

	expect_event(stage, "ready");

	ck_assert_uint_eq(fake_keeper_count(stage->keeper, "forget probe/ready/0"), 1);
	stage_free(stage);
}
END_TEST

START_TEST(readiness_descriptor_may_have_any_number)
{
	Stage *stage = stage_new("[Service]\nExec=/bin/bash -c 'echo >&9; exec sleep 1000'\nReady=fd:9\n");

	expect_event(stage, "ready");

	stage_free(stage);
}
END_TEST

static const char notify_ready[] =
	"[Service]\n"
	"Exec=/usr/bin/python3 -c 'import socket,os,time;s=socket.socket(socket.AF_UNIX,socket.SOCK_DGRAM);"
	"s.connect(os.environ[\"NOTIFY_SOCKET\"]);s.send(b\"STATUS=warming up\");"
	"s.send(b\"READY=1\\nSTATUS=serving\");time.sleep(1000)'\n"
	"Ready=notify\n";

START_TEST(notify_makes_it_ready_and_tells_its_status)
{
	Stage *stage = stage_new(notify_ready);

	expect_event(stage, "ready");

	ck_assert(has_event(stage, "status: warming up"));
	expect_event(stage, "status: serving");
	stage_free(stage);
}
END_TEST

START_TEST(strangers_word_on_the_notify_socket_counts_for_nothing)
{
	Stage *stage = stage_new("[Service]\nExec=/bin/sleep 1000\nReady=notify\nStartTimeout=400ms\n");
	g_autofree char *path = g_strdup_printf("%s/notify/" STAGE_SERVICE, stage->runtime_dir);
	g_autofree char *command = g_strdup_printf(
		"/usr/bin/python3 -c 'import socket;s=socket.socket(socket.AF_UNIX,socket.SOCK_DGRAM);"
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

START_TEST(what_it_said_before_it_died_is_heard_first)
{
	Stage *stage = stage_new(
		"[Service]\nExec=/usr/bin/python3 -c 'import socket,os;s=socket.socket(socket.AF_UNIX,socket.SOCK_DGRAM);"
		"s.connect(os.environ[\"NOTIFY_SOCKET\"]);s.send(b\"READY=1\");os._exit(5)'\nReady=notify\n");

	expect_event(stage, "gone");

	expect_events(stage, "started\nready\nexited badly: exit status 5\ngone\n");
	stage_free(stage);
}
END_TEST

/* --- forking --- */

START_TEST(pid_file_names_the_daemon_behind_a_fork)
{
	Stage *stage = stage_new_in_directory("[Service]\nReady=fork\nPidFile={DIR}/pid\n"
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
	Stage *stage = stage_new_in_directory("[Service]\nReady=fork\nPidFile={DIR}/pid\n"
					      "Exec=/bin/sh -c '(sleep 0.3; echo $PPID >/dev/null; exec sh -c \"echo \\$\\$ >{DIR}/pid; exec sleep 1000\") &'\n");

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

START_TEST(fork_that_leaves_nobody_behind_fails)
{
	Stage *stage = stage_new("[Service]\nReady=fork\nExec=/bin/true\n");

	expect_event(stage, "gone");

	expect_events(stage, "started\nstart failed: its first process ended and left none behind\ngone\n");
	stage_free(stage);
}
END_TEST

START_TEST(pid_file_that_nobody_is_left_to_write_is_not_waited_for)
{
	Stage *stage = stage_new_in_directory("[Service]\nReady=fork\nPidFile={DIR}/pid\nExec=/bin/true\n");

	expect_event(stage, "gone");

	ck_assert(!has_event(stage, "ready"));
	ck_assert_pstr_ne(strstr(stage->events->str, "start failed: its first process ended and left none behind: "), NULL);
	stage_free(stage);
}
END_TEST

START_TEST(pid_file_that_names_a_stranger_is_not_believed)
{
	Stage *stage = stage_new_in_directory("[Service]\nReady=fork\nPidFile={DIR}/pid\nStartTimeout=300ms\n"
					      "Exec=/bin/sh -c 'sleep 1000 & echo 1000000 >{DIR}/pid'\n");
	g_autofree char *text = NULL;

	expect_event(stage, "gone");

	text = g_strdup_printf("start failed: not ready after 300 ms: process 1000000 in %s/pid is not one of this service's",
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

	expect_events(stage, "started\nmain pid\nready\nexited badly: killed by signal KILL\ngone\n");
	stage_free(stage);
}
END_TEST

/* --- stopping --- */

START_TEST(one_that_ignores_term_is_killed_after_its_limit)
{
	Stage *stage = stage_new("[Service]\nExec=/bin/sh -c 'trap \"\" TERM; echo >&3; while :; do sleep 1; done'\n"
				 "Ready=fd:3\nStopTimeout=300ms\n");

	expect_event(stage, "ready");
	stage_stop(stage);

	ck_assert(has_event(stage, "exited badly: killed by signal KILL: still running 300 ms after it was told to stop"));
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
	Stage *stage = stage_new_in_directory("[Service]\nExec=/bin/sleep 1000\n"
					      "Stop=/bin/sh -c 'echo $0 $MAINPID >{DIR}/said; kill -KILL $0' $MAINPID\n");
	g_autofree char *expected = NULL;
	g_autofree char *said = NULL;
	pid_t pid;

	expect_event(stage, "ready");
	pid = supervisor_main_pid(stage->supervisor);
	stage_stop(stage);

	expected = g_strdup_printf("%d %d", (int)pid, (int)pid);
	said = read_text(stage, "/said");
	ck_assert_str_eq(said, expected);
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
	Stage *stage = stage_new("[Service]\nExec=/bin/sh -c 'setsid setsid sh -c \"trap : TERM; while :; do sleep 0.1; done\" "
				 "& echo >&3; exec sleep 1000'\nReady=fd:3\nStopTimeout=300ms\n");

	expect_event(stage, "ready");
	stage_stop(stage);

	/* stage_free() finds its cgroup gone, and so nobody in it. */
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
	Stage *stage = stage_new_in_directory("[Service]\nPrepare=/bin/sh -c 'touch {DIR}/begun; exec sleep 1000'\nExec=/bin/true\n");

	expect_file(stage, "/begun");
	stage_stop(stage);

	expect_events(stage, "gone\n");
	stage_free(stage);
}
END_TEST

START_TEST(clean_up_that_hangs_is_killed)
{
	Stage *stage = stage_new("[Service]\nExec=/bin/sleep 1000\nCleanup=/bin/sleep 1000\nStopTimeout=200ms\n");

	expect_event(stage, "ready");
	stage_stop(stage);

	stage_free(stage);
}
END_TEST

START_TEST(kill_signal_comes_before_kill)
{
	Stage *stage = stage_set("[Service]\nExec=/bin/sh -c 'trap \"\" TERM; echo >&3; while :; do sleep 0.05; done'\n"
				 "Ready=fd:3\nStopTimeout=200ms\n");

	stage->def->kill_signal = SIGUSR1;
	stage_start(stage);
	expect_event(stage, "ready");
	stage_stop(stage);

	ck_assert_uint_eq(fake_keeper_count(stage->keeper, "signal main USR1"), 1);
	ck_assert_uint_eq(fake_keeper_count(stage->keeper, "signal main KILL"), 0);
	stage_free(stage);
}
END_TEST

/* --- reload --- */

START_TEST(reload_by_signal)
{
	Stage *stage = stage_new_in_directory("[Service]\nExec=/bin/sh -c 'trap \"touch {DIR}/reloaded\" HUP; echo >&3; "
					      "while :; do sleep 0.05; done'\nReady=fd:3\nReload=signal:HUP\n");

	expect_event(stage, "ready");
	supervisor_reload(stage->supervisor);
	expect_event(stage, "reloaded");

	expect_file(stage, "/reloaded");
	stage_free(stage);
}
END_TEST

START_TEST(reload_command_that_fails_is_said_and_harms_nothing)
{
	Stage *stage = stage_new("[Service]\nExec=/bin/sleep 1000\nReload=/bin/sh -c 'exit 9'\n");

	expect_event(stage, "ready");
	supervisor_reload(stage->supervisor);
	expect_event(stage, "reload failed: exit status 9");

	ck_assert_int_gt(supervisor_main_pid(stage->supervisor), 0);
	stage_free(stage);
}
END_TEST

START_TEST(stop_in_the_middle_of_a_reload_wins)
{
	Stage *stage = stage_new_in_directory("[Service]\nExec=/bin/sleep 1000\nReload=/bin/sh -c 'touch {DIR}/begun; exec sleep 1000'\n"
					      "Stop=/bin/touch {DIR}/stopped\n");

	expect_event(stage, "ready");
	supervisor_reload(stage->supervisor);
	expect_file(stage, "/begun");
	stage_stop(stage);

	ck_assert(has_file(stage, "/stopped"));
	stage_free(stage);
}
END_TEST

/* --- MAINPID --- */

static const char main_pid_handover[] =
	"[Service]\nReady=notify\n"
	"Exec=/usr/bin/python3 -c 'import socket,os,time;child=os.fork();child==0 and time.sleep(1000);"
	"s=socket.socket(socket.AF_UNIX,socket.SOCK_DGRAM);s.connect(os.environ[\"NOTIFY_SOCKET\"]);"
	"s.send(b\"READY=1\\nMAINPID=%d\" % child);os._exit(0)'\n";

START_TEST(main_process_is_followed_to_the_one_it_names)
{
	Stage *stage = stage_new(main_pid_handover);

	expect_event(stage, "main pid");

	ck_assert(has_event(stage, "ready"));
	ck_assert_int_eq(kill(supervisor_main_pid(stage->supervisor), SIGKILL), 0);
	expect_event(stage, "gone");
	expect_events(stage, "started\nready\nmain pid\nexited badly: killed by signal KILL\ngone\n");
	stage_free(stage);
}
END_TEST

START_TEST(stop_right_after_a_fork_stops_the_daemon_too)
{
	Stage *stage = stage_new("[Service]\nReady=fork\nExec=/bin/sh -c 'sleep 1000 &'\n");

	/* As soon as the keeper is asked to adopt, before it has answered. */
	while (fake_keeper_count(stage->keeper, "adopt main") == 0)
		g_main_context_iteration(NULL, TRUE);
	supervisor_stop(stage->supervisor);
	expect_event(stage, "gone");

	stage_free(stage);
}
END_TEST

/* --- without cgroup v2 --- */

static Stage *stage_new_without_cgroups(const char *text)
{
	Stage *stage = stage_set_in_directory(text);

	if (stage->cgroup_root)
		ck_assert_int_eq(rmdir(stage->cgroup_root), 0);
	g_clear_pointer(&stage->cgroup_root, g_free);
	stage->context.cgroup_root = NULL;
	stage_start(stage);
	return stage;
}

START_TEST(without_cgroups_a_daemon_starts_and_stops)
{
	Stage *stage = stage_new_without_cgroups("[Service]\nExec=/bin/sleep 1000\nPrepare=/bin/true\nCleanup=/bin/true\n");

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
	ck_assert_str_eq(error->message, STAGE_SERVICE ": without cgroup v2 only its main process is known");
	ck_assert(supervisor_send_signal(stage->supervisor, SIGTERM, false, NULL));

	expect_event(stage, "exited well: killed by signal TERM");
	stage_free(stage);
}
END_TEST

START_TEST(without_cgroups_one_that_ignores_term_is_killed)
{
	Stage *stage = stage_new_without_cgroups("[Service]\nExec=/bin/sh -c 'trap \"\" TERM; echo >&3; while :; do sleep 0.1; done'\n"
						 "Ready=fd:3\nStopTimeout=200ms\n");

	expect_event(stage, "ready");
	stage_stop(stage);

	ck_assert_uint_ge(fake_keeper_count(stage->keeper, "signal main KILL"), 1);
	stage_free(stage);
}
END_TEST

START_TEST(without_cgroups_notify_works_within_the_session)
{
	Stage *stage = stage_new_without_cgroups(notify_ready);

	expect_event(stage, "ready");

	stage_free(stage);
}
END_TEST

START_TEST(without_cgroups_a_pid_file_names_the_daemon)
{
	Stage *stage = stage_new_without_cgroups("[Service]\nReady=fork\nPidFile={DIR}/pid\n"
						 "Exec=/bin/sh -c 'sleep 1000 & echo $! >{DIR}/pid'\n");

	expect_event(stage, "ready");
	stage_stop(stage);

	expect_events(stage, "started\nmain pid\nready\nexited well: killed by signal TERM\ngone\n");
	stage_free(stage);
}
END_TEST

START_TEST(without_cgroups_a_fork_needs_a_pid_file)
{
	Stage *stage = stage_new_without_cgroups("[Service]\nReady=fork\nExec=/bin/true\n");

	expect_event(stage, "gone");

	expect_events(stage, "started\nstart failed: Ready=fork without PidFile= needs cgroup v2, which this machine has not\ngone\n");
	stage_free(stage);
}
END_TEST

/* --- the manager dies --- */

START_TEST(ready_daemon_survives_a_crash_of_the_manager)
{
	Stage *stage = stage_new("[Service]\nExec=/bin/sleep 1000\n");
	pid_t pid;

	expect_event(stage, "ready");
	pid = supervisor_main_pid(stage->supervisor);
	stage_crash(stage);
	stage_stop(stage);

	ck_assert_int_gt(pid, 0);
	expect_events(stage, "started\nready\nexited well: killed by signal TERM\ngone\n");
	stage_free(stage);
}
END_TEST

START_TEST(start_goes_on_after_a_crash_of_the_manager)
{
	Stage *stage = stage_new("[Service]\nExec=/bin/sh -c 'sleep 0.3; echo >&3; exec sleep 1000'\nReady=fd:3\n");

	expect_event(stage, "started");
	stage_crash(stage);
	expect_event(stage, "ready");

	ck_assert_uint_eq(fake_keeper_count(stage->keeper, "spawn main"), 1);
	stage_free(stage);
}
END_TEST

START_TEST(preparation_goes_on_after_a_crash_of_the_manager)
{
	Stage *stage = stage_new_in_directory("[Service]\nPrepare=/bin/sh -c 'echo >>{DIR}/one; sleep 0.2'\n"
					      "Prepare=/bin/sh -c 'echo >>{DIR}/two'\nExec=/bin/sleep 1000\n");
	g_autofree char *one = NULL;

	expect_file(stage, "/one");
	stage_crash(stage);
	expect_event(stage, "ready");

	one = read_text(stage, "/one");
	ck_assert_str_eq(one, "");
	ck_assert_uint_eq(fake_keeper_count(stage->keeper, "spawn control"), 2);
	stage_free(stage);
}
END_TEST

START_TEST(exit_while_no_manager_looked_is_learnt)
{
	Stage *stage = stage_new_in_directory("[Service]\nType=task\nExec=/bin/sh -c 'touch {DIR}/begun; sleep 0.2; exit 6'\n");

	expect_file(stage, "/begun");
	stage_crash(stage);
	expect_event(stage, "gone");

	ck_assert(has_event(stage, "exited badly: exit status 6"));
	ck_assert_uint_eq(fake_keeper_count(stage->keeper, "spawn main"), 1);
	stage_free(stage);
}
END_TEST

START_TEST(stop_limit_survives_a_crash_of_the_manager)
{
	Stage *stage = stage_new("[Service]\nExec=/bin/sh -c 'trap \"\" TERM; echo >&3; while :; do sleep 0.1; done'\n"
				 "Ready=fd:3\nStopTimeout=500ms\n");
	char before[48];
	char after[48];

	expect_event(stage, "ready");
	supervisor_stop(stage->supervisor);
	while (fake_keeper_count(stage->keeper, "signal main TERM") == 0)
		g_main_context_iteration(NULL, TRUE);
	supervisor_phase(stage->supervisor, before, sizeof before);
	stage_crash(stage);
	supervisor_phase(stage->supervisor, after, sizeof after);
	expect_event(stage, "gone");

	ck_assert_str_eq(before, after);
	stage_free(stage);
}
END_TEST

START_TEST(manager_that_dies_all_the_time_runs_each_command_once)
{
	static const char *const said[] = { "one", "two", "main", "stop", "three", "four" };
	Stage *stage = stage_new_in_directory("[Service]\nReady=fd:3\n"
					      "Prepare=/bin/sh -c 'echo one >>{DIR}/log'\n"
					      "Prepare=/bin/sh -c 'echo two >>{DIR}/log'\n"
					      "Exec=/bin/sh -c 'echo main >>{DIR}/log; echo >&3; exec sleep 1000'\n"
					      "Stop=/bin/sh -c 'echo stop >>{DIR}/log'\n"
					      "Cleanup=/bin/sh -c 'echo three >>{DIR}/log'\n"
					      "Cleanup=/bin/sh -c 'echo four >>{DIR}/log'\n");
	g_autofree char *log = NULL;
	unsigned n_crashes;

	n_crashes = run_with_crashes(stage, "ready", _i + 2, NULL);
	supervisor_stop(stage->supervisor);
	n_crashes += run_with_crashes(stage, "gone", _i + 2, supervisor_stop);
	if (_i < 10)
		ck_assert_uint_gt(n_crashes, 0); /* on a busy machine one turn sees more, and there are fewer turns */

	log = read_text(stage, "/log");
	for (size_t i = 0; i < G_N_ELEMENTS(said); i++)
		ck_assert_msg(count_lines(log, said[i]) == 1, "\"%s\" is not there once:\n%s", said[i], log);
	ck_assert_uint_eq(fake_keeper_count(stage->keeper, "spawn"), 6);
	stage_free(stage);
}
END_TEST

START_TEST(lost_note_means_that_what_lives_is_ready)
{
	Stage *stage = stage_new("[Service]\nExec=/bin/sleep 1000\n");
	pid_t pid;

	expect_event(stage, "ready");
	pid = supervisor_main_pid(stage->supervisor);
	keeper_link_note(stage->context.link, STAGE_SERVICE, "garbage");
	stage_crash(stage);
	ck_assert_int_eq(supervisor_main_pid(stage->supervisor), pid);
	stage_stop(stage);

	ck_assert(has_event(stage, "exited well: killed by signal TERM"));
	stage_free(stage);
}
END_TEST

/* --- settings --- */

static const char settings[] =
	"[Service]\nType=task\nUser=65534\nGroup=65534\nSupplementaryGroups=%s\nUMask=0027\nWorkingDirectory=/usr\n"
	"Environment=A=1 \"B=two words\"\nLimitNOFILE=123\nNice=5\n"
	"Exec=/bin/sh -c 'echo $(id -u):$(id -g):$(id -G) $(umask) $(pwd) $A $B $(ulimit -n) $(nice) $LANG [$NOTIFY_SOCKET] >{DIR}/said'\n";

/* Directly from the keeper, and by way of svc-exec when a group has to be looked up. */
START_TEST(settings_reach_the_process)
{
	const char *const groups[] = { "4 24", "adm 24" };
	g_autofree char *text = g_strdup_printf(settings, groups[_i]);
	Stage *stage = stage_set_in_directory(text);
	g_autofree char *said = NULL;

	ck_assert_int_eq(chmod(stage->tree->root, 0777), 0);
	stage_start(stage);
	expect_event(stage, "exited well: exit status 0");

	said = read_text(stage, "/said");
	/* The fake keeper, unlike the real one, does not apply Nice=. */
	ck_assert_str_eq(said, "65534:65534:65534 4 24 0027 /usr 1 two words 123 0 C.UTF-8 []");
	stage_free(stage);
}
END_TEST

START_TEST(unknown_user_never_becomes_root)
{
	Stage *stage = stage_new_in_directory("[Service]\nType=task\nUser=no-such-user\nExec=/bin/touch {DIR}/ran\n");

	expect_event(stage, "gone");

	ck_assert(!has_file(stage, "/ran"));
	ck_assert(has_event(stage, "start failed: there is no user \"no-such-user\""));
	stage_free(stage);
}
END_TEST

START_TEST(large_command_line_goes_by_way_of_a_memfd)
{
	g_autofree char *word = g_strnfill(6000, 'x');
	g_autofree char *text = g_strdup_printf("[Service]\nType=task\nEnvironment=A=%s\nEnvironment=B=%s\nEnvironment=C=%s\n"
						"Exec=/bin/sh -c 'exit $((${#A}+${#B}+${#C}-18000))'\n",
						word, word, word);
	Stage *stage = stage_new(text);

	expect_event(stage, "exited well: exit status 0");

	ck_assert_uint_eq(fake_keeper_count(stage->keeper, "spawn main"), 1);
	stage_free(stage);
}
END_TEST

/* --- suite --- */

static void add_case(Suite *suite, const char *name, const TTest *const *tests, size_t n)
{
	TCase *tcase = tcase_create(name);

	tcase_set_timeout(tcase, 60);
	for (size_t i = 0; i < n; i++)
		tcase_add_test(tcase, tests[i]);
	suite_add_tcase(suite, tcase);
}

static void add_loop_case(Suite *suite, const char *name, const TTest *test, int n)
{
	TCase *tcase = tcase_create(name);

	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, test, 0, n);
	suite_add_tcase(suite, tcase);
}

#define ADD_CASE(suite, name, ...)                                                                 \
	do {                                                                                       \
		const TTest *const tests[] = { __VA_ARGS__ };                                      \
		add_case(suite, name, tests, G_N_ELEMENTS(tests));                                 \
	} while (0)

Suite *make_suite(void);

/* Is not ended by what comes when the main process has. */
#define CHILD "trap \"\" TERM; trap \"echo >{DIR}/told; exit\" USR1; echo >{DIR}/child; while :; do sleep 0.02; done"

START_TEST(a_signal_for_all_reaches_children_too)
{
	Stage *stage = stage_set_in_directory("[Service]\nReady=fd:3\n"
					      "Exec=/bin/sh -c '(" CHILD ") & echo >&3; exec sleep 1000'\n");
	g_autoptr(GError) error = NULL;

	stage_start(stage);
	expect_event(stage, "ready");
	expect_file(stage, "/child");
	ck_assert(supervisor_send_signal(stage->supervisor, SIGUSR1, true, &error));
	/* sleep(1) has no handler: it was told as well, and ended by that. */
	expect_event(stage, "exited badly: killed by signal USR1");
	expect_file(stage, "/told");

	stage_free(stage);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("supervise");

	ADD_CASE(suite, "start", daemon_is_ready_once_it_is_executed, missing_program_is_said_with_its_path,
		 task_that_succeeds_stays_until_it_is_stopped, task_that_fails_is_gone_by_itself,
		 success_status_counts_as_success, daemon_that_crashes_is_gone_with_its_signal,
		 daemon_that_ends_before_it_is_ready_did_not_start, start_that_takes_too_long_fails_and_is_stopped,
		 keeper_that_cannot_fork_is_said, stop_before_the_first_turn_starts_nothing);
	ADD_CASE(suite, "prepare", preparation_runs_in_order_and_clean_up_comes_last,
		 failed_preparation_keeps_the_service_from_starting_but_cleans_up, preparation_with_a_minus_may_fail,
		 preparation_that_cannot_be_executed_says_why, preparation_has_a_time_limit);
	ADD_CASE(suite, "ready as a condition", condition_makes_it_ready_and_is_not_looked_at_any_more,
		 readiness_by_path_is_a_condition_too, condition_that_does_not_come_true_is_the_reason_of_the_failure,
		 stop_ends_the_look_at_the_condition, program_that_cannot_be_executed_looks_at_no_condition,
		 next_manager_looks_at_the_condition_again);
	ADD_CASE(suite, "ready", newline_on_its_descriptor_makes_it_ready,
		 readiness_descriptor_may_have_any_number, notify_makes_it_ready_and_tells_its_status,
		 strangers_word_on_the_notify_socket_counts_for_nothing, what_it_said_before_it_died_is_heard_first);
	ADD_CASE(suite, "fork", pid_file_names_the_daemon_behind_a_fork, late_pid_file_is_waited_for,
		 daemon_behind_a_fork_that_dies_is_gone);
	ADD_CASE(suite, "stop", one_that_ignores_term_is_killed_after_its_limit, stop_signal_is_the_one_that_was_asked_for,
		 stop_command_knows_the_main_process, stop_command_that_does_nothing_is_followed_by_term,
		 stop_during_preparation_reports_no_failure, clean_up_that_hangs_is_killed, kill_signal_comes_before_kill);
	ADD_CASE(suite, "reload", reload_by_signal, reload_command_that_fails_is_said_and_harms_nothing,
		 stop_in_the_middle_of_a_reload_wins);
	ADD_CASE(suite, "crash", ready_daemon_survives_a_crash_of_the_manager, start_goes_on_after_a_crash_of_the_manager,
		 preparation_goes_on_after_a_crash_of_the_manager, exit_while_no_manager_looked_is_learnt,
		 stop_limit_survives_a_crash_of_the_manager, lost_note_means_that_what_lives_is_ready);
	ADD_CASE(suite, "settings", unknown_user_never_becomes_root, large_command_line_goes_by_way_of_a_memfd);
	add_loop_case(suite, "crash, all the time", manager_that_dies_all_the_time_runs_each_command_once, 40);
	add_loop_case(suite, "settings, both ways", settings_reach_the_process, 2);
	ADD_CASE(suite, "without cgroups", without_cgroups_a_daemon_starts_and_stops,
		 without_cgroups_a_signal_for_all_is_refused,
		 without_cgroups_one_that_ignores_term_is_killed, without_cgroups_notify_works_within_the_session,
		 without_cgroups_a_pid_file_names_the_daemon, without_cgroups_a_fork_needs_a_pid_file);
	if (has_cgroups()) /* what follows cannot be promised without cgroup v2 (docs/processes.md) */
		ADD_CASE(suite, "cgroup", fork_without_a_pid_file_is_found_in_the_cgroup, fork_that_leaves_nobody_behind_fails,
			 pid_file_that_nobody_is_left_to_write_is_not_waited_for,
			 pid_file_that_names_a_stranger_is_not_believed, processes_left_behind_are_ended_too,
			 main_process_is_followed_to_the_one_it_names, stop_right_after_a_fork_stops_the_daemon_too,
			 control_group_below_its_own_is_removed_with_it, a_signal_for_all_reaches_children_too);
	return suite;
}
