/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A real keeper (svcd --user) at shutdown: requests by signal, the intent, the finale.
 */
#include "config.h"

#include <check.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/lib/keeper-stage.h"

START_TEST(a_signal_to_the_keeper_is_a_request_to_the_manager)
{
	Message m;

	ck_assert_int_eq(kill(run.pid, SIGUSR1), 0);
	manager_expect(&manager, MESSAGE_REQUEST, &m);
	ck_assert_uint_eq(m.request.kind, REQUEST_REOPEN);
	ck_assert_int_eq(kill(run.pid, SIGRTMIN + 4), 0);
	manager_expect(&manager, MESSAGE_REQUEST, &m);
	ck_assert_uint_eq(m.request.kind, REQUEST_POWEROFF);
}
END_TEST

static const int ends_of_a_session[] = { SIGTERM, SIGHUP, SIGINT };

START_TEST(whatever_ends_a_session_is_a_request_to_end)
{
	Message m;

	ck_assert_int_eq(kill(run.pid, ends_of_a_session[_i]), 0);
	manager_expect(&manager, MESSAGE_REQUEST, &m);
	ck_assert_uint_eq(m.request.kind, REQUEST_TERMINATE);
}
END_TEST

static void set_up_pinging(void)
{
	keeper_run_start(&run, 700);
	manager_accept_replayed(&run, &manager, NULL);
}

/*
 * The keeper checks for answers 5 s after the request. The manager need not have begun its shutdown
 * by then.
 */
START_TEST(a_manager_that_was_asked_and_answers_pings_may_take_its_time)
{
	Message m;

	ck_assert_int_eq(kill(run.pid, SIGTERM), 0);
	manager_expect(&manager, MESSAGE_REQUEST, &m);
	for (int i = 0; i < 8; i++) {
		(void)manager_answer_ping(&manager, (uint64_t)i);
		ck_assert_int_eq(kill(run.pid, SIGHUP), 0); /* causes a ping */
		manager_expect(&manager, MESSAGE_REQUEST, &m);
	}

	ck_assert_int_eq(keeper_spawn("a", 1, sleep_argv, NULL).error, 0);
}
END_TEST

START_TEST(a_request_to_power_off_survives_the_manager_that_received_it)
{
	Message m;

	ck_assert_int_eq(kill(run.pid, SIGRTMIN + 4), 0);
	manager_expect(&manager, MESSAGE_REQUEST, &m);
	(void)kill(manager.pid, SIGKILL);
	keeper_next_manager(NULL);
	manager_expect(&manager, MESSAGE_REQUEST, &m);
	ck_assert_uint_eq(m.request.kind, REQUEST_POWEROFF);
}
END_TEST

/* Waits for the exit of the keeper, which is our child. */
static void expect_keeper_ends(void)
{
	siginfo_t info = { 0 };

	for (int i = 0; i < 400 && info.si_pid == 0; i++) {
		ck_assert_int_eq(waitid(P_PID, (id_t)run.pid, &info, WEXITED | WNOHANG | WNOWAIT),
				 0);
		if (info.si_pid == 0)
			(void)poll(NULL, 0, 50);
	}
	ck_assert_int_eq(info.si_code, CLD_EXITED);
	ck_assert_int_eq(info.si_status, 0);
}

START_TEST(a_shutdown_is_repeated_to_the_next_manager_and_its_deadline_ends_all)
{
	struct MessageSpawned runs = keeper_spawn("a", 1, sleep_argv, NULL);
	struct MessageShutdown intent = { { MESSAGE_SHUTDOWN, sizeof(intent) },
					  SHUTDOWN_EXIT,
					  3000 };
	Message m;

	manager_send(&manager, &intent, sizeof(intent), -1);
	(void)kill(manager.pid, SIGKILL);
	manager_drop(&manager);
	manager_accept(&run, &manager);
	manager_hello(&manager);
	do
		manager_next(&manager, &m, NULL);
	while (m.header.type != MESSAGE_SHUTDOWN_INTENT);
	ck_assert_uint_eq(m.shutdown.kind, SHUTDOWN_EXIT);
	ck_assert_uint_le(m.shutdown.deadline_ms, 3000);
	intent.deadline_ms = 3600000; /* a second request does not extend the deadline */
	manager_send(&manager, &intent, sizeof(intent), -1);

	expect_keeper_ends();
	ck_assert_int_eq(kill(runs.pid, 0), -1);
}
END_TEST

/* The pid that a process wrote to @path. */
static pid_t read_pid(const char *path)
{
	char text[16] = "";
	pid_t pid = 0;

	for (int i = 0; i < 400 && pid == 0; i++) {
		FILE *file = fopen(path, "re");

		if (file && fgets(text, sizeof(text), file) && strchr(text, '\n'))
			pid = atoi(text);
		if (file)
			(void)fclose(file);
		if (pid == 0)
			(void)poll(NULL, 0, 50);
	}
	ck_assert_int_gt(pid, 0);
	return pid;
}

/* The process writes its pid only after it has begun to ignore the signal. */
START_TEST(the_finale_kills_processes_that_ignore_sigterm)
{
	char command[256];
	const char *const stubborn[] = { "/bin/sh", "-c", command, NULL };
	struct MessageShutdown finale = { { MESSAGE_FINALE, sizeof(finale) }, SHUTDOWN_EXIT, 0 };
	char path[128];
	pid_t pid;

	(void)snprintf(path, sizeof(path), "%s/stubborn", run.directory);
	(void)snprintf(command, sizeof(command),
		       "trap '' TERM; echo $$ >%s; while :; do sleep 1; done", path);
	(void)keeper_spawn("a", 1, stubborn, NULL);
	pid = read_pid(path);

	manager_send(&manager, &finale, sizeof(finale), -1);

	expect_keeper_ends();
	ck_assert_int_eq(kill(pid, 0), -1);
}
END_TEST

/*
 * The logger reads until the last writer of its pipe closes. The fd store holds the write end for
 * the next manager. The logger reports whether the keeper exists.
 */
START_TEST(a_logger_exits_by_itself_at_the_end_of_its_input)
{
	char command[512];
	const char *const argv[] = { "/bin/sh", "-c", command, NULL };
	struct MessageShutdown finale = { { MESSAGE_FINALE, sizeof(finale) }, SHUTDOWN_EXIT, 0 };
	char path[96];
	char over[112];
	int null_fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	int fds[3] = { -1, null_fd, null_fd };
	Message m;
	int ends[2];

	ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
	fds[0] = ends[0];
	(void)snprintf(path, sizeof(path), "%s/logger", run.directory);
	(void)snprintf(over, sizeof(over), "%s.over", path);
	(void)snprintf(command, sizeof(command),
		       "trap '' TERM; echo $$ >%s; read line; test -e /proc/%d/exe && : >%s", path,
		       (int)run.pid, over);
	const Spawn s = { .service = PROTOCOL_LOGGER_SERVICE,
			  .invocation = 1,
			  .argv = argv,
			  .flags = SPAWN_STDIO,
			  .fds = fds,
			  .n_fds = 3 };
	ck_assert(manager_spawn(&manager, &s));
	manager_expect(&manager, MESSAGE_SPAWNED, &m);
	ck_assert_int_eq(m.spawned.error, 0);
	manager_keep(&manager, "logger/pipe", ends[1]);
	(void)close(ends[0]);
	(void)close(ends[1]);
	(void)read_pid(path);

	manager_send(&manager, &finale, sizeof(finale), -1);

	expect_keeper_ends();
	ck_assert_int_eq(access(over, F_OK), 0);
	(void)close(null_fd);
}
END_TEST

START_TEST(the_finale_ends_processes_that_have_left_their_service)
{
	char command[256];
	const char *const argv[] = { "/bin/sh", "-c", command, NULL };
	struct MessageShutdown finale = { { MESSAGE_FINALE, sizeof(finale) }, SHUTDOWN_EXIT, 0 };
	char path[128];
	pid_t left;

	(void)snprintf(path, sizeof(path), "%s/left", run.directory);
	(void)snprintf(command, sizeof(command),
		       "setsid sh -c 'echo $$ >%s; exec sleep 600' & exec sleep 600", path);
	(void)keeper_spawn("a", 1, argv, NULL);
	left = read_pid(path);

	manager_send(&manager, &finale, sizeof(finale), -1);

	expect_keeper_ends();
	ck_assert_int_eq(kill(left, 0), -1);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("keeper-shutdown");

	ADD_CASE_AROUND(suite, "requests", keeper_set_up, keeper_tear_down,
			a_signal_to_the_keeper_is_a_request_to_the_manager,
			a_request_to_power_off_survives_the_manager_that_received_it);
	ADD_CASE_AROUND(suite, "patience", set_up_pinging, keeper_tear_down,
			a_manager_that_was_asked_and_answers_pings_may_take_its_time);
	ADD_CASE_AROUND(suite, "the end", keeper_set_up, keeper_tear_down,
			a_shutdown_is_repeated_to_the_next_manager_and_its_deadline_ends_all,
			the_finale_kills_processes_that_ignore_sigterm,
			a_logger_exits_by_itself_at_the_end_of_its_input,
			the_finale_ends_processes_that_have_left_their_service);
	ADD_LOOP_AROUND(suite, "the end of a session", keeper_set_up, keeper_tear_down,
			whatever_ends_a_session_is_a_request_to_end, 3);
	return suite;
}
