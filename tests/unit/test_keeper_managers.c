/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A real keeper (svcd --user) and its managers: they die, hang and return, and services continue
 * undisturbed.
 */
#include "config.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "tests/lib/keeper-stage.h"

START_TEST(exits_while_there_is_no_manager_are_learnt_from_the_replay)
{
	const char *const waits_argv[] = { "/bin/sh", "-c", "read x; exit 9", NULL };
	int input[2];
	int fds[3];
	Spawn s = { .service = "a",
		    .invocation = 1,
		    .argv = waits_argv,
		    .flags = SPAWN_STDIO,
		    .fds = fds,
		    .n_fds = 3,
		    .note = "started" };
	Message m;

	ck_assert_int_eq(pipe2(input, O_CLOEXEC), 0);
	fds[0] = input[0];
	fds[1] = fds[2] = STDERR_FILENO;
	ck_assert(manager_spawn(&manager, &s));
	manager_expect(&manager, MESSAGE_SPAWNED, &m);
	(void)close(input[0]);

	(void)kill(manager.pid, SIGKILL);
	manager_drop(&manager);
	ck_assert_int_eq(write(input[1], "\n", 1), 1);
	manager_accept(&run, &manager);
	/* POLLERR: the service has exited */
	ck_assert_int_eq(poll(&(struct pollfd){ .fd = input[1], .events = 0 }, 1, 20000), 1);
	manager_expect(&manager, MESSAGE_WELCOME, &m);
	ck_assert_uint_eq(m.welcome.generation, 1);
	ck_assert_uint_ne(m.welcome.flags & WELCOME_RECOVERY, 0);
	ck_assert_int_eq(m.welcome.last_status, SIGKILL);
	manager_hello(&manager);

	manager_expect(&manager, MESSAGE_SPAWNED, &m);
	ck_assert_str_eq(m.spawned.id.service, "a");
	do
		manager_next(&manager, &m, NULL);
	while (m.header.type == MESSAGE_NOTE || m.header.type == MESSAGE_REPLAYED);
	ck_assert_uint_eq(m.header.type, MESSAGE_EXITED);
	ck_assert_int_eq(m.exited.status, 9);
	(void)close(input[1]);
}
END_TEST

START_TEST(the_next_manager_gets_children_notes_and_kept_descriptors)
{
	struct MessageSpawned spawned = keeper_spawn("a", 1, sleep_argv, "state=ready");
	int ends[2];
	int kept = -1;
	char text[4] = "";
	bool saw[3] = { false };
	Message m;

	ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
	manager_keep(&manager, "a/log/0", ends[0]);
	manager_keep(&manager, "a/log/1", ends[0]);
	manager_forget(&manager, "a/log/1");
	manager_note(&manager, "b", "forgotten");
	manager_note(&manager, "b", "");
	(void)close(ends[0]);
	(void)kill(manager.pid, SIGSEGV);
	manager_drop(&manager);
	manager_accept(&run, &manager);
	manager_hello(&manager);
	manager_expect(&manager, MESSAGE_WELCOME, &m);

	for (manager_next(&manager, &m, &kept); m.header.type != MESSAGE_REPLAYED;
	     manager_next(&manager, &m, &kept)) {
		if (m.header.type == MESSAGE_SPAWNED) {
			ck_assert_int_eq(m.spawned.pid, spawned.pid);
			saw[0] = true;
		} else if (m.header.type == MESSAGE_NOTE) {
			ck_assert_str_eq(m.note.service, "a");
			ck_assert_str_eq(m.note.note, "state=ready");
			saw[1] = true;
		} else {
			ck_assert_uint_eq(m.header.type, MESSAGE_KEPT);
			ck_assert_str_eq(m.keep.name, "a/log/0");
			ck_assert_int_eq(write(ends[1], "abc", 3), 3);
			ck_assert_int_eq(read(kept, text, 3), 3);
			ck_assert_str_eq(text, "abc");
			(void)close(kept);
			saw[2] = true;
		}
	}
	ck_assert(saw[0] && saw[1] && saw[2]);
	ck_assert_uint_eq(m.replayed.n_children, 1);
	ck_assert_uint_eq(m.replayed.n_notes, 1);
	ck_assert_uint_eq(m.replayed.n_fds, 1);
	(void)close(ends[1]);
}
END_TEST

START_TEST(a_manager_killed_twenty_times_costs_no_service_and_is_back_at_once)
{
	static const int signals[] = { SIGKILL, SIGSEGV, SIGABRT };
	struct MessageSpawned spawned = keeper_spawn("a", 1, sleep_argv, "n=1");
	struct MessageWelcome welcome;

	for (int i = 0; i < 20; i++) {
		if (manager.answered == 0) /* keeper_spawn() may have answered the first ping */
			(void)manager_answer_ping(&manager, 0);
		ck_assert_int_eq(kill(manager.pid, signals[i % 3]), 0);
		keeper_next_manager(&welcome);
		ck_assert_uint_eq(welcome.generation, (uint32_t)i + 1);
		ck_assert_uint_eq(
			welcome.flags & (WELCOME_WITHOUT_NOTES | WELCOME_WITHOUT_LOCAL_FILES), 0);
		ck_assert_int_eq(kill(spawned.pid, 0), 0);
	}
	ck_assert_int_eq(keeper_spawn("a", 2, sleep_argv, NULL).error, EBUSY);
}
END_TEST

START_TEST(managers_that_never_settle_lose_notes_then_local_files)
{
	struct MessageWelcome welcome;

	for (unsigned int i = 1; i <= 6; i++) {
		manager_exit(&manager, 1);
		manager_drop(&manager);
		manager_accept(&run, &manager);
		{
			Message m;

			manager_expect(&manager, MESSAGE_WELCOME, &m);
			welcome = m.welcome;
		}
		ck_assert_uint_eq((welcome.flags & WELCOME_WITHOUT_NOTES) != 0, i >= 3);
		ck_assert_uint_eq((welcome.flags & WELCOME_WITHOUT_LOCAL_FILES) != 0, i >= 6);
	}
}
END_TEST

/* PID 1 may see the end of a dying manager's link before its exit. */
START_TEST(a_kill_from_outside_is_no_failure_though_the_link_ends_before_the_manager)
{
	struct MessageWelcome welcome;

	for (unsigned int i = 1; i <= 4; i++) {
		const unsigned n = keeper_run_count_open(&run);

		ck_assert_int_eq(shutdown(manager.link_fd, SHUT_RDWR), 0);
		while (keeper_run_count_open(&run) >= n)
			sched_yield();
		(void)kill(manager.pid, SIGKILL);
		keeper_next_manager(&welcome);
		ck_assert_uint_eq(welcome.flags & WELCOME_WITHOUT_NOTES, 0);
	}
}
END_TEST

/* On a busy machine a manager may be silent for longer than the limit. */
static void set_up_patient(void)
{
	keeper_run_start(&run, 60000);
	manager_accept_replayed(&run, &manager, NULL);
}

START_TEST(a_manager_that_reads_nothing_loses_nothing)
{
	enum { N = 3000 };
	const char *const absent[] = { "/no/such/program", NULL };
	static bool spawned[N];
	static bool exited[N];
	char name[16];
	int n_spawned = 0;
	int n_exited = 0;
	Message m;

	for (int i = 0; i < N; i++) {
		Spawn s = { .service = name, .invocation = (uint64_t)i + 1, .argv = absent };

		(void)snprintf(name, sizeof(name), "s%d", i);
		while (!manager_spawn(&manager, &s))
			ck_assert_int_eq(
				poll(&(struct pollfd){ .fd = manager.link_fd, .events = POLLOUT },
				     1, 20000),
				1);
	}
	while (n_spawned < N || n_exited < N) {
		unsigned int number;

		manager_next(&manager, &m, NULL);
		ck_assert_int_eq(sscanf(m.spawned.id.service, "s%u", &number), 1);
		if (m.header.type == MESSAGE_SPAWNED) {
			ck_assert(!spawned[number] && m.spawned.error == 0);
			spawned[number] = true;
			n_spawned++;
		} else {
			ck_assert(spawned[number] && !exited[number]);
			exited[number] = true;
			n_exited++;
		}
	}
}
END_TEST

START_TEST(what_a_manager_sent_before_it_died_is_done_once)
{
	char name[16];
	Message m;

	for (int i = 0; i < 100; i++) {
		Spawn s = { .service = name, .invocation = 1, .argv = sleep_argv, .note = "here" };

		(void)snprintf(name, sizeof(name), "s%d", i);
		ck_assert(manager_spawn(&manager, &s));
	}
	(void)kill(manager.pid, SIGKILL);
	manager_drop(&manager);
	manager_accept(&run, &manager);
	manager_hello(&manager);
	do
		manager_next(&manager, &m, NULL);
	while (m.header.type != MESSAGE_REPLAYED);

	ck_assert_uint_eq(m.replayed.n_children, 100);
	ck_assert_uint_eq(m.replayed.n_notes, 100);
	ck_assert_int_eq(keeper_spawn("s42", 2, sleep_argv, NULL).error, EBUSY);
}
END_TEST

/* By the line "ShdPnd:" of proc(5). */
static bool signal_is_pending(pid_t pid, int signo)
{
	unsigned long long pending = 0;
	char line[128];
	FILE *status;

	(void)snprintf(line, sizeof(line), "/proc/%d/status", (int)pid);
	status = fopen(line, "re");
	ck_assert_ptr_nonnull(status);
	while (fgets(line, sizeof(line), status))
		if (sscanf(line, "ShdPnd: %llx", &pending) == 1)
			break;
	(void)fclose(status);
	return pending >> (signo - 1) & 1;
}

START_TEST(a_re_exec_keeps_pids_notes_exits_and_descriptors)
{
	struct MessageSpawned runs = keeper_spawn("a", 1, sleep_argv, "kept");
	struct MessageSpawned ended = keeper_spawn("b", 2, exit7_argv, NULL);
	struct MessageReexec reexec = { { MESSAGE_REEXEC, sizeof(reexec) } };
	int ends[2];
	int kept;
	Message m;

	manager_expect(&manager, MESSAGE_EXITED, &m);
	ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
	manager_keep(&manager, "a/listen/0", ends[1]);
	(void)close(ends[1]);
	manager_send(&manager, &reexec, sizeof(reexec), -1);
	ck_assert_int_eq(
		poll(&(struct pollfd){ .fd = manager.link_fd, .events = POLLRDHUP }, 1, 20000), 1);
	manager_exit(&manager, PROTOCOL_EXIT_REEXEC);
	manager_drop(&manager);

	manager_accept(&run, &manager);
	manager_hello(&manager);
	manager_expect(&manager, MESSAGE_WELCOME, &m);
	ck_assert_uint_eq(m.welcome.generation, 1);
	manager_expect(&manager, MESSAGE_SPAWNED, &m);
	ck_assert_int_eq(m.spawned.pid, runs.pid);
	manager_expect(&manager, MESSAGE_SPAWNED, &m);
	ck_assert_int_eq(m.spawned.pid, ended.pid);
	manager_expect(&manager, MESSAGE_EXITED, &m);
	ck_assert_int_eq(m.exited.status, 7);
	manager_expect(&manager, MESSAGE_NOTE, &m);
	ck_assert_str_eq(m.note.note, "kept");
	manager_next(&manager, &m, &kept);
	ck_assert_str_eq(m.keep.name, "a/listen/0");
	ck_assert_int_eq(write(kept, "x", 1), 1);
	manager_expect(&manager, MESSAGE_REPLAYED, &m);
	ck_assert_int_eq(kill(runs.pid, 0), 0);

	manager_signal(&manager, &runs.id, SIGTERM);
	manager_expect(&manager, MESSAGE_EXITED, &m);
	ck_assert_int_eq(m.exited.pid, runs.pid);
	(void)close(kept);
	(void)close(ends[0]);
}
END_TEST

START_TEST(a_request_during_a_keeper_reexec_is_sent_to_the_next_manager)
{
	struct MessageReexec reexec = { { MESSAGE_REEXEC, sizeof(reexec) } };
	Message m;

	manager_send(&manager, &reexec, sizeof(reexec), -1);
	ck_assert_int_eq(
		poll(&(struct pollfd){ .fd = manager.link_fd, .events = POLLRDHUP }, 1, 20000), 1);
	ck_assert_int_eq(kill(run.pid, SIGUSR1), 0);
	while (signal_is_pending(run.pid, SIGUSR1))
		(void)poll(NULL, 0, 1);
	manager_exit(&manager, PROTOCOL_EXIT_REEXEC);
	manager_drop(&manager);

	manager_accept_replayed(&run, &manager, NULL);
	manager_expect(&manager, MESSAGE_REQUEST, &m);
	ck_assert_uint_eq(m.request.kind, REQUEST_REOPEN);
}
END_TEST

START_TEST(a_fault_in_the_keeper_itself_costs_no_service)
{
	struct MessageSpawned runs = keeper_spawn("a", 1, sleep_argv, "kept");
	Message m;

	ck_assert_int_eq(kill(run.pid, SIGSEGV), 0);
	manager_drop(&manager);
	manager_accept(&run, &manager);
	manager_hello(&manager);
	manager_expect(&manager, MESSAGE_WELCOME, &m);
	manager_expect(&manager, MESSAGE_SPAWNED, &m);

	ck_assert_int_eq(m.spawned.pid, runs.pid);
	ck_assert_int_eq(kill(runs.pid, 0), 0);
}
END_TEST

/* --- pings --- */

START_TEST(a_manager_that_answers_no_ping_is_replaced)
{
	struct MessageSpawned spawned = keeper_spawn("a", 1, sleep_argv, NULL);
	struct MessageWelcome welcome;

	keeper_next_manager(&welcome); /* no manager answers meanwhile */

	ck_assert_int_eq(welcome.last_status, SIGKILL);
	ck_assert_int_eq(kill(spawned.pid, 0), 0);
}
END_TEST

/* Answers pings until none has arrived for ten ping intervals. */
static void let_it_grow_quiet(void)
{
	struct pollfd p = { .fd = manager.link_fd, .events = POLLIN };

	do
		(void)manager_answer_ping(&manager, 0);
	while (poll(&p, 1, 1000) == 1);
}

static void set_up_without_hello(void)
{
	keeper_run_start(&run, 100);
	manager_accept(&run, &manager);
}

START_TEST(a_manager_that_sends_no_hello_is_replaced)
{
	struct MessageWelcome welcome;

	keeper_next_manager(&welcome);

	ck_assert_int_eq(welcome.last_status, SIGKILL);
}
END_TEST

START_TEST(an_incompatible_manager_is_tried_again_later)
{
	struct MessageWelcome welcome;

	manager_exit(&manager, PROTOCOL_EXIT_INCOMPATIBLE);
	keeper_next_manager(&welcome);

	ck_assert_uint_ne(welcome.flags & WELCOME_WITHOUT_NOTES, 0);
}
END_TEST

/*
 * The keeper pauses, as if the machine was paused. It pauses for more than a second, because only
 * such a pause excuses a manager.
 */
START_TEST(a_keeper_that_slept_itself_blames_no_manager)
{
	uint64_t serial = manager_answer_ping(&manager, 0);

	for (int i = 0; i < 2; i++) {
		manager_note(&manager, "a", "a message to replay");
		ck_assert_int_eq(keeper_spawn("a", (uint64_t)i + 1, sleep_argv, NULL).error,
				 i == 0 ? 0 : EBUSY);
		ck_assert_int_eq(kill(run.pid, SIGSTOP), 0);
		(void)poll(NULL, 0, 1200);
		ck_assert_int_eq(kill(run.pid, SIGCONT), 0);
	}

	ck_assert_uint_gt(manager_answer_ping(&manager, serial), serial);
}
END_TEST

START_TEST(a_manager_without_messages_is_not_pinged)
{
	Message m;

	let_it_grow_quiet();

	(void)keeper_spawn("a", 1, exit7_argv, NULL);
	manager_expect(&manager, MESSAGE_EXITED, &m);
	let_it_grow_quiet(); /* a ping comes first */
}
END_TEST

START_TEST(a_manager_that_is_awake_for_long_is_pinged_and_then_replaced)
{
	static const struct itimerspec soon = { .it_value.tv_nsec = 1000 * 1000 };
	struct MessageWelcome welcome;
	int pidfd;
	int clock_fd;

	let_it_grow_quiet();
	pidfd = (int)syscall(SYS_pidfd_open, manager.pid, 0);
	clock_fd = (int)syscall(SYS_pidfd_getfd, pidfd, PROTOCOL_CLOCK_FD, 0);
	ck_assert_int_eq(timerfd_settime(clock_fd, 0, &soon, NULL), 0);
	(void)close(clock_fd);
	(void)close(pidfd);

	keeper_next_manager(&welcome); /* no manager answers */
	ck_assert_int_eq(welcome.last_status, SIGKILL);
}
END_TEST

START_TEST(a_manager_that_was_stopped_is_pinged_and_then_replaced)
{
	struct MessageWelcome welcome;

	let_it_grow_quiet();
	ck_assert_int_eq(kill(manager.pid, SIGSTOP), 0);

	keeper_next_manager(&welcome);
	ck_assert_int_eq(welcome.last_status, SIGKILL);
}
END_TEST

/* The manager has answered the last ping, and the keeper has no reason for another ping. */
START_TEST(a_manager_that_was_stopped_just_after_its_answer_is_replaced)
{
	struct MessageWelcome welcome;

	/* The first ping was sent with the replay, so the test also answers the next one. */
	(void)manager_answer_ping(&manager, manager_answer_ping(&manager, 0));
	ck_assert_int_eq(kill(manager.pid, SIGSTOP), 0);

	keeper_next_manager(&welcome);
	ck_assert_int_eq(welcome.last_status, SIGKILL);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("keeper-managers");

	ADD_CASE_AROUND(suite, "managers", keeper_set_up, keeper_tear_down,
			exits_while_there_is_no_manager_are_learnt_from_the_replay,
			the_next_manager_gets_children_notes_and_kept_descriptors,
			a_manager_killed_twenty_times_costs_no_service_and_is_back_at_once,
			a_kill_from_outside_is_no_failure_though_the_link_ends_before_the_manager,
			managers_that_never_settle_lose_notes_then_local_files,
			what_a_manager_sent_before_it_died_is_done_once,
			a_re_exec_keeps_pids_notes_exits_and_descriptors,
			a_request_during_a_keeper_reexec_is_sent_to_the_next_manager,
			a_fault_in_the_keeper_itself_costs_no_service);
	ADD_CASE_AROUND(suite, "deaf", set_up_patient, keeper_tear_down,
			a_manager_that_reads_nothing_loses_nothing);
	ADD_CASE_AROUND(suite, "hello", set_up_without_hello, keeper_tear_down,
			a_manager_that_sends_no_hello_is_replaced,
			an_incompatible_manager_is_tried_again_later);
	ADD_CASE_AROUND(suite, "pings", keeper_set_up_hasty, keeper_tear_down,
			a_manager_that_answers_no_ping_is_replaced,
			a_keeper_that_slept_itself_blames_no_manager,
			a_manager_without_messages_is_not_pinged,
			a_manager_that_is_awake_for_long_is_pinged_and_then_replaced,
			a_manager_that_was_stopped_is_pinged_and_then_replaced,
			a_manager_that_was_stopped_just_after_its_answer_is_replaced);
	return suite;
}
