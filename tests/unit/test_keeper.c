/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A real keeper (svcd --user), with the test as its manager.
 */
#include "config.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/lib/link-client.h"
#include "tests/lib/suite.h"

static KeeperRun run;
static Manager manager;

static const char *const sleep_argv[] = { "/bin/sleep", "1000", NULL };
static const char *const exit7_argv[] = { "/bin/sh", "-c", "exit 7", NULL };

static void set_up(void)
{
	keeper_run_start(&run, 0);
	manager_accept_replayed(&run, &manager, NULL);
}

static void set_up_hasty(void)
{
	keeper_run_start(&run, 100);
	manager_accept_replayed(&run, &manager, NULL);
}

static void tear_down(void)
{
	manager_drop(&manager);
	keeper_run_stop(&run);
}

/* Spawns and waits for the answer. */
static struct MessageSpawned spawn(const char *service, uint64_t invocation, const char *const *argv, const char *note)
{
	const Spawn s = { .service = service, .invocation = invocation, .argv = argv, .note = note };
	Message m;

	ck_assert(manager_spawn(&manager, &s));
	manager_expect(&manager, MESSAGE_SPAWNED, &m);
	ck_assert_str_eq(m.spawned.id.service, service);
	ck_assert_uint_eq(m.spawned.id.invocation, invocation);
	return m.spawned;
}

static void next_manager(struct MessageWelcome *ret_welcome)
{
	Manager old = manager;

	manager_accept_replayed(&run, &manager, ret_welcome);
	manager_drop(&old);
}

/* What a service printed, up to its end. */
static const char *output_of(Spawn *s)
{
	static char text[4096];
	int output[2];
	int fds[8];
	size_t used = 0;
	ssize_t n;

	ck_assert_int_eq(pipe2(output, O_CLOEXEC), 0);
	fds[0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
	fds[1] = fds[2] = output[1];
	for (uint32_t i = 0; i < s->n_fds; i++)
		fds[3 + i] = s->fds[i];
	s->fds = fds;
	s->n_fds += 3;
	s->flags |= SPAWN_STDIO;
	ck_assert(manager_spawn(&manager, s));
	(void)close(output[1]);
	(void)close(fds[0]);
	while ((n = read(output[0], text + used, sizeof(text) - 1 - used)) > 0)
		used += (size_t)n;
	(void)close(output[0]);
	text[used] = '\0';
	return text;
}

START_TEST(a_service_runs_exits_and_its_row_is_free_after_the_ack)
{
	struct MessageSpawned spawned = spawn("ssh", 1, exit7_argv, NULL);
	Message m;

	ck_assert_int_eq(spawned.error, 0);
	ck_assert_int_gt(spawned.pid, 0);

	manager_expect(&manager, MESSAGE_EXITED, &m);
	ck_assert_int_eq(m.exited.pid, spawned.pid);
	ck_assert_int_eq(m.exited.code, CLD_EXITED);
	ck_assert_int_eq(m.exited.status, 7);
	ck_assert_uint_ge(m.exited.at_us, spawned.at_us);

	ck_assert_int_eq(spawn("ssh", 2, exit7_argv, NULL).error, EBUSY);
	manager_ack(&manager, &m.exited.id, "");
	ck_assert_int_eq(spawn("ssh", 3, exit7_argv, NULL).error, 0);
}
END_TEST

START_TEST(a_running_service_is_not_started_twice_but_may_have_a_control_process)
{
	const Spawn control = { .service = "a", .invocation = 1, .role = ROLE_CONTROL, .argv = sleep_argv };
	Message m;

	ck_assert_int_eq(spawn("a", 1, sleep_argv, NULL).error, 0);

	ck_assert_int_eq(spawn("a", 1, sleep_argv, NULL).error, EBUSY);
	ck_assert_int_eq(spawn("a", 2, sleep_argv, NULL).error, EBUSY);
	ck_assert(manager_spawn(&manager, &control));
	manager_expect(&manager, MESSAGE_SPAWNED, &m);
	ck_assert_int_eq(m.spawned.error, 0);
	ck_assert_uint_eq(m.spawned.id.role, ROLE_CONTROL);
}
END_TEST

START_TEST(a_signal_reaches_exactly_the_invocation_it_is_meant_for)
{
	struct MessageSpawned spawned = spawn("a", 5, sleep_argv, NULL);
	struct ProcessId other = spawned.id;
	Message m;

	other.invocation = 4;
	manager_signal(&manager, &other, SIGKILL);
	manager_signal(&manager, &spawned.id, SIGTERM);

	manager_expect(&manager, MESSAGE_EXITED, &m);
	ck_assert_int_eq(m.exited.code, CLD_KILLED);
	ck_assert_int_eq(m.exited.status, SIGTERM);
}
END_TEST

START_TEST(a_request_that_makes_no_sense_is_refused)
{
	const char *const relative[] = { "sleep", "1", NULL };
	const Spawn no_command = { .service = "a", .invocation = 1 };
	const Spawn without_fds = { .service = "a", .invocation = 1, .argv = sleep_argv, .flags = SPAWN_STDIO };
	Message m;

	ck_assert_int_eq(spawn("a", 1, relative, NULL).error, EINVAL);
	ck_assert(manager_spawn(&manager, &no_command));
	manager_expect(&manager, MESSAGE_SPAWNED, &m);
	ck_assert_int_eq(m.spawned.error, EINVAL);
	ck_assert(manager_spawn(&manager, &without_fds));
	manager_expect(&manager, MESSAGE_SPAWNED, &m);
	ck_assert_int_eq(m.spawned.error, EINVAL);

	ck_assert_int_eq(spawn("a", 1, sleep_argv, NULL).error, 0);
}
END_TEST

START_TEST(what_cannot_be_executed_says_so_through_the_status_pipe)
{
	const char *const absent[] = { "/no/such/program", NULL };
	struct ExecStatus status;
	int ends[2];
	Message m;

	ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
	{
		const Spawn s = { .service = "a", .invocation = 1, .argv = absent, .flags = SPAWN_STATUS,
				  .fds = &ends[1], .n_fds = 1 };

		ck_assert(manager_spawn(&manager, &s));
	}
	(void)close(ends[1]);

	ck_assert_int_eq(read(ends[0], &status, sizeof(status)), sizeof(status));
	ck_assert_int_eq(status.step, EXEC_STEP_EXEC);
	ck_assert_int_eq(status.error, ENOENT);
	manager_expect(&manager, MESSAGE_SPAWNED, &m);
	ck_assert_int_eq(m.spawned.error, 0);
	manager_expect(&manager, MESSAGE_EXITED, &m);
	ck_assert_int_eq(m.exited.status, 127);
	(void)close(ends[0]);
}
END_TEST

START_TEST(an_executed_service_closes_the_status_pipe_in_silence)
{
	struct ExecStatus status;
	int ends[2];

	ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
	{
		const Spawn s = { .service = "a", .invocation = 1, .argv = sleep_argv, .flags = SPAWN_STATUS,
				  .fds = &ends[1], .n_fds = 1 };

		ck_assert(manager_spawn(&manager, &s));
	}
	(void)close(ends[1]);

	ck_assert_int_eq(read(ends[0], &status, sizeof(status)), 0);
	(void)close(ends[0]);
}
END_TEST

START_TEST(a_service_gets_exactly_what_was_asked_for)
{
	const char *const argv[] = { "/bin/sh", "-c",
		"echo $A; umask; ulimit -Sn; ulimit -Hc; pwd; nice; cat /proc/self/oom_score_adj; "
		"env | grep -c -v -e ^PWD= -e ^_= -e ^OLDPWD= -e ^SHLVL=; grep -E 'Sig(Blk|Ign)' /proc/self/status", NULL };
	const char *const environment[] = { "A=x y", NULL };
	const struct SpawnRlimit rlimits[] = { { RLIMIT_NOFILE, 0, 77, 88 }, { RLIMIT_CORE, 0, 0, 0 } };
	Spawn s = {
		.service = "a", .invocation = 1, .argv = argv, .environment = environment, .umask = 027, .nice = 3,
		.oom_score_adj = 200, .directory = "/usr", .rlimits = rlimits, .n_rlimits = 2,
		.flags = SPAWN_SET_UMASK | SPAWN_SET_NICE | SPAWN_SET_OOM | SPAWN_SET_DIRECTORY,
	};

	ck_assert_str_eq(output_of(&s), "x y\n0027\n77\n0\n/usr\n3\n200\n1\n"
					"SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
}
END_TEST

START_TEST(a_service_gets_the_ids_that_were_asked_for)
{
	const char *const argv[] = { "/usr/bin/id", NULL };
	const uint32_t groups[] = { 4, 20 };
	Spawn s = {
		.service = "a", .invocation = 1, .argv = argv, .uid = 65534, .gid = 65534, .groups = groups, .n_groups = 2,
		.flags = SPAWN_SET_UID | SPAWN_SET_GID | SPAWN_SET_GROUPS,
	};
	const char *said;

	if (geteuid() != 0)
		return; /* only root can become somebody else */
	said = output_of(&s);
	ck_assert_ptr_nonnull(strstr(said, "uid=65534"));
	ck_assert_ptr_nonnull(strstr(said, "gid=65534"));
	ck_assert_ptr_nonnull(strstr(said, "4("));
	ck_assert_ptr_nonnull(strstr(said, "20("));
	ck_assert_ptr_null(strstr(said, "0(root)"));
}
END_TEST

START_TEST(inherited_descriptors_are_found_from_three_on_and_no_others)
{
	const char *const argv[] = { "/bin/sh", "-c", "cat <&3; cat <&4; ls /proc/self/fd | wc -l", NULL };
	int first[2];
	int second[2];
	int inherited[2];
	Spawn s = { .service = "a", .invocation = 1, .argv = argv, .n_inherited = 2 };

	ck_assert_int_eq(pipe2(first, O_CLOEXEC) | pipe2(second, O_CLOEXEC), 0);
	ck_assert_int_eq(write(first[1], "first\n", 6) + write(second[1], "second\n", 7), 13);
	(void)close(first[1]);
	(void)close(second[1]);
	inherited[0] = first[0];
	inherited[1] = second[0];
	s.fds = inherited;
	s.n_fds = 2;

	ck_assert_str_eq(output_of(&s), "first\nsecond\n6\n"); /* 0 to 4, and the directory that ls reads */
	(void)close(first[0]);
	(void)close(second[0]);
}
END_TEST

START_TEST(exits_while_there_is_no_manager_are_learnt_from_the_replay)
{
	const char *const waits_argv[] = { "/bin/sh", "-c", "read x; exit 9", NULL };
	int input[2];
	int fds[3];
	Spawn s = { .service = "a", .invocation = 1, .argv = waits_argv, .flags = SPAWN_STDIO, .fds = fds, .n_fds = 3,
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
	ck_assert_int_eq(poll(&(struct pollfd){ .fd = input[1], .events = 0 }, 1, 20000), 1); /* POLLERR: it has exited */
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
	struct MessageSpawned spawned = spawn("a", 1, sleep_argv, "state=ready");
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

	for (manager_next(&manager, &m, &kept); m.header.type != MESSAGE_REPLAYED; manager_next(&manager, &m, &kept)) {
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
	struct MessageSpawned spawned = spawn("a", 1, sleep_argv, "n=1");
	struct MessageWelcome welcome;

	for (int i = 0; i < 20; i++) {
		(void)manager_answer_ping(&manager, 0); /* it has settled */
		ck_assert_int_eq(kill(manager.pid, signals[i % 3]), 0);
		next_manager(&welcome);
		ck_assert_uint_eq(welcome.generation, (uint32_t)i + 1);
		ck_assert_uint_eq(welcome.flags & (WELCOME_WITHOUT_NOTES | WELCOME_WITHOUT_LOCAL_FILES), 0);
		ck_assert_int_eq(kill(spawned.pid, 0), 0);
	}
	ck_assert_int_eq(spawn("a", 2, sleep_argv, NULL).error, EBUSY);
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
			ck_assert_int_eq(poll(&(struct pollfd){ .fd = manager.link_fd, .events = POLLOUT }, 1, 20000), 1);
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
	ck_assert_int_eq(spawn("s42", 2, sleep_argv, NULL).error, EBUSY);
}
END_TEST

START_TEST(a_manager_that_answers_no_ping_is_replaced)
{
	struct MessageSpawned spawned = spawn("a", 1, sleep_argv, NULL);
	struct MessageWelcome welcome;

	next_manager(&welcome); /* nobody answers meanwhile */

	ck_assert_int_eq(welcome.last_status, SIGKILL);
	ck_assert_int_eq(kill(spawned.pid, 0), 0);
}
END_TEST

/* Answers pings until none has come for ten times as long as there is between two. */
static void let_it_grow_quiet(void)
{
	struct pollfd p = { .fd = manager.link_fd, .events = POLLIN };

	do
		(void)manager_answer_ping(&manager, 0);
	while (poll(&p, 1, 1000) == 1);
}

START_TEST(a_manager_that_was_told_nothing_is_not_pinged)
{
	Message m;

	let_it_grow_quiet();

	(void)spawn("a", 1, exit7_argv, NULL);
	manager_expect(&manager, MESSAGE_EXITED, &m);
	let_it_grow_quiet(); /* which a ping begins */
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

	next_manager(&welcome); /* nobody answers */
	ck_assert_int_eq(welcome.last_status, SIGKILL);
}
END_TEST

START_TEST(a_manager_that_was_stopped_is_pinged_and_then_replaced)
{
	struct MessageWelcome welcome;

	let_it_grow_quiet();
	ck_assert_int_eq(kill(manager.pid, SIGSTOP), 0);

	next_manager(&welcome);
	ck_assert_int_eq(welcome.last_status, SIGKILL);
}
END_TEST

START_TEST(an_orphan_can_be_adopted_and_a_stranger_cannot)
{
	const char *const forks[] = { "/bin/sh", "-c", "sleep 1000 & echo $!", NULL };
	Spawn s = { .service = "a", .invocation = 1, .argv = forks };
	struct MessageAdopt adopt = { .header = { MESSAGE_ADOPT, sizeof(adopt) } };
	Message m;

	s.flags = SPAWN_STDIO;
	{
		int output[2];
		int fds[3];
		char text[16] = "";

		ck_assert_int_eq(pipe2(output, O_CLOEXEC), 0);
		fds[0] = fds[2] = STDERR_FILENO;
		fds[1] = output[1];
		s.fds = fds;
		s.n_fds = 3;
		ck_assert(manager_spawn(&manager, &s));
		ck_assert_int_gt(read(output[0], text, sizeof(text) - 1), 0);
		adopt.pid = atoi(text);
		(void)close(output[0]);
		(void)close(output[1]);
	}
	manager_expect(&manager, MESSAGE_SPAWNED, &m);
	manager_expect(&manager, MESSAGE_EXITED, &m);
	adopt.id = m.exited.id;
	manager_send(&manager, &adopt, sizeof(adopt), -1);
	manager_expect(&manager, MESSAGE_ADOPTED, &m);
	ck_assert_int_eq(m.adopted.error, EBUSY);

	manager_ack(&manager, &adopt.id, "");
	manager_send(&manager, &adopt, sizeof(adopt), -1);
	manager_expect(&manager, MESSAGE_ADOPTED, &m);
	ck_assert_int_eq(m.adopted.error, 0);
	manager_signal(&manager, &adopt.id, SIGTERM);
	manager_expect(&manager, MESSAGE_EXITED, &m);
	ck_assert_int_eq(m.exited.pid, adopt.pid);
	ck_assert_int_eq(m.exited.status, SIGTERM);

	manager_ack(&manager, &adopt.id, "");
	adopt.pid = getpid();
	manager_send(&manager, &adopt, sizeof(adopt), -1);
	manager_expect(&manager, MESSAGE_ADOPTED, &m);
	ck_assert_int_eq(m.adopted.error, ECHILD);
}
END_TEST

START_TEST(a_re_exec_keeps_pids_notes_exits_and_descriptors)
{
	struct MessageSpawned runs = spawn("a", 1, sleep_argv, "kept");
	struct MessageSpawned ended = spawn("b", 2, exit7_argv, NULL);
	struct MessageReexec reexec = { { MESSAGE_REEXEC, sizeof(reexec) } };
	int ends[2];
	int kept;
	Message m;

	manager_expect(&manager, MESSAGE_EXITED, &m);
	ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
	manager_keep(&manager, "a/listen/0", ends[1]);
	(void)close(ends[1]);
	manager_send(&manager, &reexec, sizeof(reexec), -1);
	ck_assert_int_eq(poll(&(struct pollfd){ .fd = manager.link_fd, .events = POLLRDHUP }, 1, 20000), 1);
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

START_TEST(a_fault_in_the_keeper_itself_costs_no_service)
{
	struct MessageSpawned runs = spawn("a", 1, sleep_argv, "kept");
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

START_TEST(a_signal_to_the_keeper_is_a_request_to_the_manager)
{
	Message m;

	ck_assert_int_eq(kill(run.pid, SIGHUP), 0);
	manager_expect(&manager, MESSAGE_REQUEST, &m);
	ck_assert_uint_eq(m.request.kind, REQUEST_RELOAD);
	ck_assert_int_eq(kill(run.pid, SIGRTMIN + 4), 0);
	manager_expect(&manager, MESSAGE_REQUEST, &m);
	ck_assert_uint_eq(m.request.kind, REQUEST_POWEROFF);
}
END_TEST

START_TEST(a_request_to_power_off_survives_the_manager_that_heard_it)
{
	Message m;

	ck_assert_int_eq(kill(run.pid, SIGRTMIN + 4), 0);
	manager_expect(&manager, MESSAGE_REQUEST, &m);
	(void)kill(manager.pid, SIGKILL);
	next_manager(NULL);
	manager_expect(&manager, MESSAGE_REQUEST, &m);
	ck_assert_uint_eq(m.request.kind, REQUEST_POWEROFF);
}
END_TEST

/* The keeper's own exit: it is our child. */
static void expect_keeper_ends(void)
{
	siginfo_t info = { 0 };

	for (int i = 0; i < 400 && info.si_pid == 0; i++) {
		ck_assert_int_eq(waitid(P_PID, (id_t)run.pid, &info, WEXITED | WNOHANG | WNOWAIT), 0);
		if (info.si_pid == 0)
			(void)poll(NULL, 0, 50);
	}
	ck_assert_int_eq(info.si_code, CLD_EXITED);
	ck_assert_int_eq(info.si_status, 0);
}

START_TEST(a_shutdown_is_retold_and_its_deadline_ends_everything)
{
	struct MessageSpawned runs = spawn("a", 1, sleep_argv, NULL);
	struct MessageShutdown intent = { { MESSAGE_SHUTDOWN, sizeof(intent) }, SHUTDOWN_EXIT, 3000 };
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
	intent.deadline_ms = 3600000; /* saying it again gains no time */
	manager_send(&manager, &intent, sizeof(intent), -1);

	expect_keeper_ends();
	ck_assert_int_eq(kill(runs.pid, 0), -1);
}
END_TEST

START_TEST(the_finale_ends_what_ignores_the_asking)
{
	const char *const stubborn[] = { "/bin/sh", "-c", "trap '' TERM; while :; do sleep 1; done", NULL };
	struct MessageSpawned runs = spawn("a", 1, stubborn, NULL);
	struct MessageShutdown finale = { { MESSAGE_FINALE, sizeof(finale) }, SHUTDOWN_EXIT, 0 };

	manager_send(&manager, &finale, sizeof(finale), -1);

	expect_keeper_ends();
	ck_assert_int_eq(kill(runs.pid, 0), -1);
}
END_TEST

static TCase *make_case(const char *name, void (*before)(void))
{
	TCase *t = tcase_create(name);

	tcase_add_checked_fixture(t, before, tear_down);
	tcase_set_timeout(t, 60);
	return t;
}

Suite *make_suite(void)
{
	Suite *s = suite_create("keeper");
	TCase *children = make_case("children", set_up);
	TCase *managers = make_case("managers", set_up);
	TCase *hasty = make_case("pings", set_up_hasty);

	tcase_add_test(children, a_service_runs_exits_and_its_row_is_free_after_the_ack);
	tcase_add_test(children, a_running_service_is_not_started_twice_but_may_have_a_control_process);
	tcase_add_test(children, a_signal_reaches_exactly_the_invocation_it_is_meant_for);
	tcase_add_test(children, a_request_that_makes_no_sense_is_refused);
	tcase_add_test(children, what_cannot_be_executed_says_so_through_the_status_pipe);
	tcase_add_test(children, an_executed_service_closes_the_status_pipe_in_silence);
	tcase_add_test(children, a_service_gets_exactly_what_was_asked_for);
	tcase_add_test(children, a_service_gets_the_ids_that_were_asked_for);
	tcase_add_test(children, inherited_descriptors_are_found_from_three_on_and_no_others);
	tcase_add_test(children, an_orphan_can_be_adopted_and_a_stranger_cannot);
	suite_add_tcase(s, children);
	tcase_add_test(managers, exits_while_there_is_no_manager_are_learnt_from_the_replay);
	tcase_add_test(managers, the_next_manager_gets_children_notes_and_kept_descriptors);
	tcase_add_test(managers, a_manager_killed_twenty_times_costs_no_service_and_is_back_at_once);
	tcase_add_test(managers, managers_that_never_settle_lose_notes_then_local_files);
	tcase_add_test(managers, a_manager_that_reads_nothing_loses_nothing);
	tcase_add_test(managers, what_a_manager_sent_before_it_died_is_done_once);
	tcase_add_test(managers, a_re_exec_keeps_pids_notes_exits_and_descriptors);
	tcase_add_test(managers, a_fault_in_the_keeper_itself_costs_no_service);
	tcase_add_test(managers, a_signal_to_the_keeper_is_a_request_to_the_manager);
	tcase_add_test(managers, a_request_to_power_off_survives_the_manager_that_heard_it);
	tcase_add_test(managers, a_shutdown_is_retold_and_its_deadline_ends_everything);
	tcase_add_test(managers, the_finale_ends_what_ignores_the_asking);
	suite_add_tcase(s, managers);
	tcase_add_test(hasty, a_manager_that_answers_no_ping_is_replaced);
	tcase_add_test(hasty, a_manager_that_was_told_nothing_is_not_pinged);
	tcase_add_test(hasty, a_manager_that_is_awake_for_long_is_pinged_and_then_replaced);
	tcase_add_test(hasty, a_manager_that_was_stopped_is_pinged_and_then_replaced);
	suite_add_tcase(s, hasty);
	return s;
}
