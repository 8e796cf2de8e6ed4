/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Supervise: one invocation of a service that is up, and managers that die. The processes are real,
 * and the keeper is a fake.
 */
#include "config.h"

#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "tests/lib/stage.h"
#include "tests/lib/suite.h"

/* --- reload --- */

START_TEST(reload_by_signal)
{
	Stage *stage = stage_new_in_directory(
		"[Service]\nExec=/bin/sh -c 'trap \"touch {DIR}/reloaded\" HUP; echo >&3; "
		"while :; do sleep 0.05; done'\nReady=fd:3\nReload=signal:HUP\n");

	expect_event(stage, "ready");
	supervisor_reload(stage->supervisor);
	expect_event(stage, "reloaded");

	expect_file(stage, "/reloaded");
	stage_free(stage);
}
END_TEST

START_TEST(failed_reload_command_is_reported_and_harmless)
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
	Stage *stage = stage_new_in_directory(
		"[Service]\nExec=/bin/sleep 1000\nReload=/bin/sh -c 'touch {DIR}/begun; exec "
		"sleep 1000'\n"
		"Stop=/bin/touch {DIR}/stopped\n");

	expect_event(stage, "ready");
	supervisor_reload(stage->supervisor);
	expect_file(stage, "/begun");
	stage_stop(stage);

	ck_assert(has_file(stage, "/stopped"));
	stage_free(stage);
}
END_TEST

/* --- the main process --- */

static const char main_pid_handover[] =
	"[Service]\nReady=notify\n"
	"Exec=/usr/bin/python3 -c 'import socket,os,time;child=os.fork();child==0 and "
	"time.sleep(1000);"
	"s=socket.socket(socket.AF_UNIX,socket.SOCK_DGRAM);s.connect(os.environ[\"NOTIFY_SOCKET\"]);"
	"s.send(b\"READY=1\\nMAINPID=%d\" % child);os._exit(0)'\n";

START_TEST(main_process_is_followed_to_the_one_it_names)
{
	Stage *stage = stage_new(main_pid_handover);

	expect_event(stage, "main pid");

	ck_assert(has_event(stage, "ready"));
	ck_assert_int_eq(kill(supervisor_main_pid(stage->supervisor), SIGKILL), 0);
	expect_event(stage, "gone");
	expect_events(stage,
		      "started\nready\nmain pid\nexited badly: killed by signal KILL\ngone\n");
	stage_free(stage);
}
END_TEST

START_TEST(stop_right_after_a_fork_stops_the_daemon_too)
{
	Stage *stage = stage_new("[Service]\nReady=fork\nExec=/bin/sh -c 'sleep 1000 &'\n");

	/* The manager dies when the keeper gets the request to adopt, before its answer. */
	while (fake_keeper_count(stage->keeper, "adopt main") == 0)
		g_main_context_iteration(NULL, TRUE);
	supervisor_stop(stage->supervisor);
	expect_event(stage, "gone");

	stage_free(stage);
}
END_TEST

/* --- signals --- */

/* The child survives the signals that follow the end of the main process. */
#define CHILD                                                                                   \
	"trap \"\" TERM; trap \"echo >{DIR}/told; exit\" USR1; echo >{DIR}/child; while :; do " \
	"sleep 0.02; done"

START_TEST(a_signal_for_all_reaches_children_too)
{
	Stage *stage = stage_set_in_directory("[Service]\nReady=fd:3\n"
					      "Exec=/bin/sh -c '(" CHILD
					      ") & echo >&3; exec sleep 1000'\n");
	g_autoptr(GError) error = NULL;

	stage_start(stage);
	expect_event(stage, "ready");
	expect_file(stage, "/child");
	ck_assert(supervisor_send_signal(stage->supervisor, SIGUSR1, true, &error));
	/* sleep(1) has no handler: it got the signal as well, and the signal ended it. */
	expect_event(stage, "exited badly: killed by signal USR1");
	expect_file(stage, "/told");

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
	Stage *stage = stage_new(
		"[Service]\nExec=/bin/sh -c 'sleep 0.3; echo >&3; exec sleep 1000'\nReady=fd:3\n");

	expect_event(stage, "started");
	stage_crash(stage);
	expect_event(stage, "ready");

	ck_assert_uint_eq(fake_keeper_count(stage->keeper, "spawn main"), 1);
	stage_free(stage);
}
END_TEST

/* READY=1 is sent once. The first manager receives it, and dies before the keeper has the note. */
START_TEST(readiness_lost_with_its_manager_is_noticed_again)
{
	Stage *stage = stage_set(stage_notifying);

	stage->keeps_no_notes = true; /* except the note of the spawn */
	stage_start(stage);
	expect_event(stage, "ready");
	g_string_truncate(stage->events, 0);
	stage_crash(stage);
	expect_event(stage, "ready");

	ck_assert_uint_eq(fake_keeper_count(stage->keeper, "spawn main"), 1);
	stage_free(stage);
}
END_TEST

START_TEST(preparation_goes_on_after_a_crash_of_the_manager)
{
	Stage *stage = stage_new_in_directory(
		"[Service]\nPrepare=/bin/sh -c 'echo >>{DIR}/one; sleep 0.2'\n"
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
	Stage *stage = stage_new_in_directory(
		"[Service]\nType=task\nExec=/bin/sh -c 'touch {DIR}/begun; sleep 0.2; exit 6'\n");

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
	Stage *stage = stage_new(
		"[Service]\nExec=/bin/sh -c 'trap \"\" TERM; echo >&3; while :; do sleep 0.1; "
		"done'\n"
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
	static const char *const message[] = { "one", "two", "main", "stop", "three", "four" };
	Stage *stage = stage_new_in_directory(
		"[Service]\nReady=fd:3\n"
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
	if (_i < 3)
		/* on a busy machine one turn handles more events, and there are fewer turns */
		ck_assert_uint_gt(n_crashes, 0);

	log = read_text(stage, "/log");
	for (size_t i = 0; i < G_N_ELEMENTS(message); i++)
		ck_assert_msg(count_lines(log, message[i]) == 1, "\"%s\" is not there once:\n%s",
			      message[i], log);
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
	"[Service]\nType=task\nUser=65534\nGroup=65534\nSupplementaryGroups=%s\nUMask=0027\n"
	"WorkingDirectory=/usr\n"
	"Environment=A=1 \"B=two words\"\nLimitNOFILE=123\nNice=5\n"
	"Exec=/bin/sh -c 'echo $(id -u):$(id -g):$(id -G) $(umask) $(pwd) $A $B $(ulimit -n) "
	"$(nice) $LANG [$NOTIFY_SOCKET] >{DIR}/said'\n";

/* The keeper applies the settings itself. Only if a group's name needs a lookup, svc-exec does. */
START_TEST(settings_reach_the_process)
{
	const char *const groups[] = { "4 24", "adm 24" };
	g_autofree char *text = g_strdup_printf(settings, groups[_i]);
	Stage *stage = stage_set_in_directory(text);
	/* The fake keeper, unlike the real one, does not apply Nice=. */
	g_autofree char *expected =
		g_strdup_printf("65534:65534:65534 4 24 0027 /usr 1 two words 123 %d C.UTF-8 []",
				getpriority(PRIO_PROCESS, 0));
	g_autofree char *message = NULL;

	ck_assert_int_eq(chmod(stage->tree->root, 0777), 0);
	stage_start(stage);
	expect_event(stage, "exited well: exit status 0");

	message = read_text(stage, "/said");
	ck_assert_str_eq(message, expected);
	stage_free(stage);
}
END_TEST

START_TEST(unknown_user_never_becomes_root)
{
	Stage *stage = stage_new_in_directory(
		"[Service]\nType=task\nUser=no-such-user\nExec=/bin/touch {DIR}/ran\n");

	expect_event(stage, "gone");

	ck_assert(!has_file(stage, "/ran"));
	ck_assert(has_event(stage, "start failed: there is no user \"no-such-user\""));
	stage_free(stage);
}
END_TEST

START_TEST(large_command_line_goes_by_way_of_a_memfd)
{
	g_autofree char *token = g_strnfill(6000, 'x');
	g_autofree char *text = g_strdup_printf(
		"[Service]\nType=task\nEnvironment=A=%s\nEnvironment=B=%s\nEnvironment=C=%s\n"
		"Exec=/bin/sh -c 'exit $((${#A}+${#B}+${#C}-18000))'\n",
		token, token, token);
	Stage *stage = stage_new(text);

	expect_event(stage, "exited well: exit status 0");

	ck_assert_uint_eq(fake_keeper_count(stage->keeper, "spawn main"), 1);
	stage_free(stage);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("supervise");

	ADD_CASE(suite, "reload", reload_by_signal, failed_reload_command_is_reported_and_harmless,
		 stop_in_the_middle_of_a_reload_wins);
	ADD_CASE(suite, "crash", ready_daemon_survives_a_crash_of_the_manager,
		 start_goes_on_after_a_crash_of_the_manager,
		 readiness_lost_with_its_manager_is_noticed_again,
		 preparation_goes_on_after_a_crash_of_the_manager,
		 exit_while_no_manager_looked_is_learnt, stop_limit_survives_a_crash_of_the_manager,
		 lost_note_means_that_what_lives_is_ready);
	suite_add_loop(suite, "crash, all the time",
		       manager_that_dies_all_the_time_runs_each_command_once, 40);
	ADD_CASE(suite, "settings", unknown_user_never_becomes_root,
		 large_command_line_goes_by_way_of_a_memfd);
	suite_add_loop(suite, "settings, both ways", settings_reach_the_process, 2);
	if (has_cgroups()) /* the rest needs cgroup v2 (docs/processes.md) */
		ADD_CASE(suite, "cgroup", main_process_is_followed_to_the_one_it_names,
			 stop_right_after_a_fork_stops_the_daemon_too,
			 a_signal_for_all_reaches_children_too);
	return suite;
}
