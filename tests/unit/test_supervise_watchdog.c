/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Supervise, the watchdog: daemons that feed it or do not. The processes are real, and the keeper
 * is a fake.
 */
#include "config.h"

#include <check.h>
#include <string.h>

#include "tests/lib/stage.h"
#include "tests/lib/suite.h"
#include "loop/loop.h"

/* A daemon that can send notifications and look for {DIR}/FILE. */
#define DAEMON(key, program)                                                                                                         \
	"[Service]\n" key "\nReady=notify\nRestart=on-failure\nLimitCORE=0\n"                                                        \
	"Exec=/usr/bin/python3 -c 'import socket,os,time,signal;s=socket.socket(socket.AF_UNIX,socket.SOCK_DGRAM);"                  \
	"s.connect(os.environ[\"NOTIFY_SOCKET\"]);say=lambda w:s.send(w.encode());is_there=lambda n:os.path.exists(\"{DIR}/\"+n);\n" \
	" " program "'\n"

#define ABORTED "exited badly: no WATCHDOG=1 for 300 ms (WatchdogTimeout=), aborted"

START_TEST(daemon_that_stops_feeding_is_aborted)
{
	Stage *stage = stage_new_in_directory(DAEMON(
		"WatchdogTimeout=300ms", "say(\"READY=1\");[(say(\"WATCHDOG=1\"),time.sleep(0.1)) "
					 "for i in range(5)];time.sleep(1000)"));

	expect_event(stage, "gone");

	expect_events(stage, "started\nready\n" ABORTED "\ngone\n");
	ck_assert_uint_eq(fake_keeper_count(stage->keeper, "signal main ABRT"), 1);
	ck_assert_uint_eq(fake_keeper_count(stage->keeper, "signal main KILL"), 0);
	stage_free(stage);
}
END_TEST

START_TEST(one_that_does_not_die_of_abort_is_killed)
{
	Stage *stage = stage_new_in_directory(DAEMON(
		"WatchdogTimeout=300ms\nStopTimeout=200ms",
		"signal.signal(signal.SIGABRT,signal.SIG_IGN);say(\"READY=1\");time.sleep(1000)"));

	expect_event(stage, "gone");

	expect_events(stage, "started\nready\n" ABORTED "\ngone\n");
	ck_assert_uint_gt(fake_keeper_count(stage->keeper, "signal main KILL"), 0);
	stage_free(stage);
}
END_TEST

START_TEST(daemon_gets_watchdog_interval_and_pid)
{
	Stage *stage = stage_new_in_directory(
		DAEMON("WatchdogTimeout=20s",
		       "e=os.environ;say(\"READY=1\\nSTATUS=\"+e[\"WATCHDOG_USEC\"]+"
		       "str(int(e[\"WATCHDOG_PID\"])==os.getpid()));time.sleep(1000)"));

	expect_event(stage, "status: 20000000True");

	stage_free(stage);
}
END_TEST

START_TEST(daemon_may_ask_for_it_itself)
{
	Stage *stage = stage_new_in_directory(
		DAEMON("WatchdogTimeout=20s",
		       "say(\"READY=1\");say(\"WATCHDOG=trigger\");time.sleep(1000)"));

	expect_event(stage, "gone");

	expect_events(
		stage,
		"started\nready\nexited badly: aborted at its own request (WATCHDOG=trigger)\n"
		"gone\n");
	stage_free(stage);
}
END_TEST

START_TEST(daemon_may_change_the_time)
{
	Stage *stage = stage_new_in_directory(
		DAEMON("WatchdogTimeout=20s",
		       "say(\"READY=1\");say(\"WATCHDOG_USEC=300000\");time.sleep(1000)"));

	expect_event(stage, ABORTED);

	stage_free(stage);
}
END_TEST

START_TEST(start_and_stop_are_not_watched)
{
	Stage *stage = stage_new_in_directory(
		DAEMON("WatchdogTimeout=100ms\nStopTimeout=20s",
		       "signal.signal(signal.SIGTERM,lambda *a:(time.sleep(0.4),os._exit(0)));"
		       "time.sleep(0.4);say(\"READY=1\");[(say(\"WATCHDOG=1\"),time.sleep(0.02)) "
		       "for i in iter(int,1)]"));

	expect_event(stage, "ready");
	stage_stop(stage);

	expect_events(stage, "started\nready\nexited well: exit status 0\ngone\n");
	stage_free(stage);
}
END_TEST

START_TEST(time_that_it_asks_for_is_given)
{
	Stage *stage = stage_new_in_directory(DAEMON(
		"WatchdogTimeout=300ms", "say(\"READY=1\\nEXTEND_TIMEOUT_USEC=30000000\");"
					 "time.sleep(0.7);say(\"STATUS=back\");time.sleep(1000)"));

	expect_event(stage, "status: back");

	ck_assert(!has_event(stage, ABORTED));
	stage_free(stage);
}
END_TEST

/* --- no kill because the manager was busy --- */

static const char fed[] = DAEMON("WatchdogTimeout=300ms",
				 "say(\"READY=1\");[(say(\"WATCHDOG=1\"),time.sleep(0.05)) "
				 "for i in iter(lambda:is_there(\"hang\"),True)];time.sleep(1000)");

START_TEST(busy_manager_counts_messages_that_arrived_meanwhile)
{
	Stage *stage = stage_new_in_directory(fed);

	expect_event(stage, "ready");
	for (int i = 0; i < 3; i++) {
		g_usleep(500 * 1000); /* the manager is busy: the deadline passes */
		g_main_context_iteration(NULL, FALSE);
	}
	ck_assert(!has_event(stage, ABORTED));

	touch_file(stage, "/hang");
	expect_event(stage, ABORTED);
	stage_free(stage);
}
END_TEST

START_TEST(manager_that_was_away_gives_the_whole_time_again)
{
	Stage *stage = stage_new_in_directory(fed);

	expect_event(stage, "ready");
	g_usleep(500 * 1000);
	stage_crash(stage);
	touch_file(stage, "/hang");

	expect_event(stage, ABORTED);
	stage_free(stage);
}
END_TEST

START_TEST(time_that_was_changed_is_known_to_the_next_manager)
{
	Stage *stage = stage_new_in_directory(DAEMON(
		"WatchdogTimeout=100ms",
		"say(\"READY=1\\nWATCHDOG_USEC=20000000\");"
		"say(\"STATUS=slow\");time.sleep(0.5);say(\"STATUS=back\");time.sleep(1000)"));

	expect_event(stage, "status: slow");
	stage_crash(stage);

	expect_event(stage, "status: back");
	ck_assert(!has_event(stage, "gone"));
	stage_free(stage);
}
END_TEST

START_TEST(file_that_asks_for_it_later_is_for_the_next_run)
{
	Stage *stage = stage_new_in_directory(DAEMON(
		"", "say(\"READY=1\");time.sleep(0.5);say(\"STATUS=back\");time.sleep(1000)"));

	expect_event(stage, "ready");
	stage->def->watchdog_us = 100 * G_TIME_SPAN_MILLISECOND;
	stage_crash(stage);

	expect_event(stage, "status: back");
	ck_assert(!has_event(stage, "gone"));
	stage_free(stage);
}
END_TEST

/*
 * The child ignores the TERM that follows, because it may come before the interpreter handles the
 * first signal.
 */
START_TEST(children_are_aborted_too)
{
	Stage *stage = stage_new_in_directory(DAEMON(
		"WatchdogTimeout=300ms\nStopTimeout=5s",
		"os.fork()==0 and (signal.signal(signal.SIGTERM,signal.SIG_IGN),"
		"signal.signal(signal.SIGABRT,lambda "
		"*a:(open(\"{DIR}/child\",\"w\").close(),os._exit(0))),"
		"open(\"{DIR}/up\",\"w\").close(),time.sleep(1000));[time.sleep(0.01) for i in "
		"range(9999) if not is_there(\"up\")];"
		"say(\"READY=1\");time.sleep(1000)"));

	expect_event(stage, "gone");

	expect_events(stage, "started\nready\n" ABORTED "\ngone\n");
	ck_assert(has_file(stage, "/child"));
	stage_free(stage);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("supervise: watchdog");

	ADD_CASE(suite, "watchdog", daemon_that_stops_feeding_is_aborted,
		 one_that_does_not_die_of_abort_is_killed, daemon_gets_watchdog_interval_and_pid,
		 daemon_may_ask_for_it_itself, daemon_may_change_the_time,
		 start_and_stop_are_not_watched, time_that_it_asks_for_is_given);
	ADD_CASE(suite, "away", busy_manager_counts_messages_that_arrived_meanwhile,
		 manager_that_was_away_gives_the_whole_time_again,
		 time_that_was_changed_is_known_to_the_next_manager,
		 file_that_asks_for_it_later_is_for_the_next_run);
	if (has_cgroups())
		ADD_CASE(suite, "cgroup", children_are_aborted_too);
	return suite;
}
