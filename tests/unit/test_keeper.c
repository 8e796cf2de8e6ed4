/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A real keeper (svcd --user) and its children: spawning, environment, exits.
 */
#include "config.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/lib/keeper-stage.h"

START_TEST(a_service_runs_exits_and_its_row_is_free_after_the_ack)
{
	struct MessageSpawned spawned = keeper_spawn("ssh", 1, exit7_argv, NULL);
	Message m;

	ck_assert_int_eq(spawned.error, 0);
	ck_assert_int_gt(spawned.pid, 0);

	manager_expect(&manager, MESSAGE_EXITED, &m);
	ck_assert_int_eq(m.exited.pid, spawned.pid);
	ck_assert_int_eq(m.exited.code, CLD_EXITED);
	ck_assert_int_eq(m.exited.status, 7);
	ck_assert_uint_ge(m.exited.at_us, spawned.at_us);

	ck_assert_int_eq(keeper_spawn("ssh", 2, exit7_argv, NULL).error, EBUSY);
	manager_ack(&manager, &m.exited.id, "");
	ck_assert_int_eq(keeper_spawn("ssh", 3, exit7_argv, NULL).error, 0);
}
END_TEST

START_TEST(a_running_service_is_not_started_twice_but_may_have_a_control_process)
{
	const Spawn control = {
		.service = "a", .invocation = 1, .role = ROLE_CONTROL, .argv = sleep_argv
	};
	Message m;

	ck_assert_int_eq(keeper_spawn("a", 1, sleep_argv, NULL).error, 0);

	ck_assert_int_eq(keeper_spawn("a", 1, sleep_argv, NULL).error, EBUSY);
	ck_assert_int_eq(keeper_spawn("a", 2, sleep_argv, NULL).error, EBUSY);
	ck_assert(manager_spawn(&manager, &control));
	manager_expect(&manager, MESSAGE_SPAWNED, &m);
	ck_assert_int_eq(m.spawned.error, 0);
	ck_assert_uint_eq(m.spawned.id.role, ROLE_CONTROL);
}
END_TEST

START_TEST(a_signal_reaches_exactly_the_invocation_it_is_meant_for)
{
	struct MessageSpawned spawned = keeper_spawn("a", 5, sleep_argv, NULL);
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
	const Spawn without_fds = {
		.service = "a", .invocation = 1, .argv = sleep_argv, .flags = SPAWN_STDIO
	};
	Message m;

	ck_assert_int_eq(keeper_spawn("a", 1, relative, NULL).error, EINVAL);
	ck_assert(manager_spawn(&manager, &no_command));
	manager_expect(&manager, MESSAGE_SPAWNED, &m);
	ck_assert_int_eq(m.spawned.error, EINVAL);
	ck_assert(manager_spawn(&manager, &without_fds));
	manager_expect(&manager, MESSAGE_SPAWNED, &m);
	ck_assert_int_eq(m.spawned.error, EINVAL);

	ck_assert_int_eq(keeper_spawn("a", 1, sleep_argv, NULL).error, 0);
}
END_TEST

START_TEST(a_failed_exec_is_reported_through_the_status_pipe)
{
	const char *const absent[] = { "/no/such/program", NULL };
	struct ExecStatus status;
	int ends[2];
	Message m;

	ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
	{
		const Spawn s = { .service = "a",
				  .invocation = 1,
				  .argv = absent,
				  .flags = SPAWN_STATUS,
				  .fds = &ends[1],
				  .n_fds = 1 };

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
		const Spawn s = { .service = "a",
				  .invocation = 1,
				  .argv = sleep_argv,
				  .flags = SPAWN_STATUS,
				  .fds = &ends[1],
				  .n_fds = 1 };

		ck_assert(manager_spawn(&manager, &s));
	}
	(void)close(ends[1]);

	ck_assert_int_eq(read(ends[0], &status, sizeof(status)), 0);
	(void)close(ends[0]);
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

/* --- environment of a service --- */

/* The complete output of a service. */
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

START_TEST(a_service_gets_exactly_what_was_asked_for)
{
	const char *const argv[] = {
		"/bin/sh", "-c",
		"echo $A; umask; ulimit -Sn; ulimit -Hc; pwd; nice; cat /proc/self/oom_score_adj; "
		"env | grep -c -v -e ^PWD= -e ^_= -e ^OLDPWD= -e ^SHLVL=; grep -E 'Sig(Blk|Ign)' "
		"/proc/self/status",
		NULL
	};
	const char *const environment[] = { "A=x y", NULL };
	const struct SpawnRlimit rlimits[] = { { RLIMIT_NOFILE, 0, 77, 88 },
					       { RLIMIT_CORE, 0, 0, 0 } };
	Spawn s = {
		.service = "a",
		.invocation = 1,
		.argv = argv,
		.environment = environment,
		.umask = 027,
		.nice = 3,
		.oom_score_adj = 200,
		.directory = "/usr",
		.rlimits = rlimits,
		.n_rlimits = 2,
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
		.service = "a",
		.invocation = 1,
		.argv = argv,
		.uid = 65534,
		.gid = 65534,
		.groups = groups,
		.n_groups = 2,
		.flags = SPAWN_SET_UID | SPAWN_SET_GID | SPAWN_SET_GROUPS,
	};
	const char *output;

	if (geteuid() != 0)
		return; /* only root can change its uid */
	output = output_of(&s);
	ck_assert_ptr_nonnull(strstr(output, "uid=65534"));
	ck_assert_ptr_nonnull(strstr(output, "gid=65534"));
	ck_assert_ptr_nonnull(strstr(output, "4("));
	ck_assert_ptr_nonnull(strstr(output, "20("));
	ck_assert_ptr_null(strstr(output, "0(root)"));
}
END_TEST

START_TEST(inherited_descriptors_are_found_from_three_on_and_no_others)
{
	const char *const argv[] = { "/bin/sh", "-c", "cat <&3; cat <&4; ls /proc/self/fd | wc -l",
				     NULL };
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

	/* 0 to 4, and the directory that ls reads */
	ck_assert_str_eq(output_of(&s), "first\nsecond\n6\n");
	(void)close(first[0]);
	(void)close(second[0]);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("keeper");

	ADD_CASE_AROUND(suite, "children", keeper_set_up, keeper_tear_down,
			a_service_runs_exits_and_its_row_is_free_after_the_ack,
			a_running_service_is_not_started_twice_but_may_have_a_control_process,
			a_signal_reaches_exactly_the_invocation_it_is_meant_for,
			a_request_that_makes_no_sense_is_refused,
			a_failed_exec_is_reported_through_the_status_pipe,
			an_executed_service_closes_the_status_pipe_in_silence,
			an_orphan_can_be_adopted_and_a_stranger_cannot);
	ADD_CASE_AROUND(suite, "what it gets", keeper_set_up, keeper_tear_down,
			a_service_gets_exactly_what_was_asked_for,
			a_service_gets_the_ids_that_were_asked_for,
			inherited_descriptors_are_found_from_three_on_and_no_others);
	return suite;
}
