/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A real keeper's children: which descriptors they inherit, and which of their descriptors the
 * keeper stores.
 */
#include "config.h"

#include <check.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/lib/deadline.h"
#include "tests/lib/keeper-stage.h"

static int open_null(void)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	return fd;
}

static void wait_until_open(unsigned expected)
{
	time_t until = time(NULL) + DEADLINE_S;
	unsigned n;

	while ((n = keeper_run_count_open(&run)) != expected && time(NULL) < until)
		(void)poll(NULL, 0, 10);
	ck_assert_uint_eq(n, expected);
}

/* Starts a service with its output to @fd. The caller does not wait for its end. */
static void start(uint64_t invocation, const char *const *argv, int fd)
{
	const int fds[] = { fd, fd, fd };
	const Spawn s = { .service = "a",
			  .invocation = invocation,
			  .argv = argv,
			  .flags = SPAWN_STDIO,
			  .fds = fds,
			  .n_fds = 3 };

	ck_assert(manager_spawn(&manager, &s));
}

static void await_start(void)
{
	Message m;

	manager_expect(&manager, MESSAGE_SPAWNED, &m);
	ck_assert_int_eq(m.spawned.error, 0);
}

static void await_end(void)
{
	Message m;

	await_start();
	manager_expect(&manager, MESSAGE_EXITED, &m);
	manager_ack(&manager, &m.exited.id, "");
}

START_TEST(nothing_of_a_start_stays_open_in_the_keeper)
{
	static const char *const argv[] = { "/bin/true", NULL };
	const int null_fd = open_null();
	const unsigned before = keeper_run_count_open(&run);

	for (uint64_t i = 1; i <= 100; i++) {
		start(i, argv, null_fd);
		await_end();
	}

	wait_until_open(before);
}
END_TEST

START_TEST(a_child_that_runs_on_holds_nothing_in_the_keeper)
{
	static const char *const argv[] = { "/bin/sleep", "1000", NULL };
	const unsigned before = keeper_run_count_open(&run);

	start(1, argv, open_null());
	await_start();

	wait_until_open(before);
}
END_TEST

START_TEST(a_program_is_executed_only_when_the_keeper_has_closed_its_copies)
{
	static const char *const argv[] = { "/bin/echo", "x", NULL };
	int output[2];
	struct pollfd readable;

	ck_assert_int_eq(pipe2(output, O_CLOEXEC), 0);
	readable = (struct pollfd){ .fd = output[0], .events = POLLIN };
	for (uint64_t i = 1; i <= 50; i++) {
		char text[8];

		start(i, argv, output[1]);
		await_end();
		ck_assert_int_eq(poll(&readable, 1, 0), 1);
		ck_assert_int_gt(read(output[0], text, sizeof(text)), 0);
	}
	(void)close(output[1]);
	/* The keeper keeps no copy, so the pipe ends at once. */
	ck_assert_int_eq(poll(&readable, 1, 0), 1);
	ck_assert(readable.revents & POLLHUP);
}
END_TEST

START_TEST(a_child_inherits_no_kept_descriptor)
{
	static const char *const argv[] = { "/bin/sh", "-c", "ls /proc/self/fd | wc -l", NULL };
	int output[2];
	char text[16] = "";

	ck_assert_int_eq(pipe2(output, O_CLOEXEC), 0);
	for (int i = 0; i < 300; i++) {
		char name[32];

		(void)snprintf(name, sizeof(name), "s%d/log/1", i);
		manager_keep(&manager, name, output[0]);
	}

	start(1, argv, output[1]);
	(void)close(output[1]);
	await_end();

	ck_assert_int_gt(read(output[0], text, sizeof(text) - 1), 0);
	ck_assert_str_eq(text, "4\n"); /* 0, 1, 2 and the directory that ls(1) reads */
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("keeper children");

	ADD_CASE_AROUND(suite, "descriptors", keeper_set_up, keeper_tear_down,
			nothing_of_a_start_stays_open_in_the_keeper,
			a_child_that_runs_on_holds_nothing_in_the_keeper,
			a_program_is_executed_only_when_the_keeper_has_closed_its_copies,
			a_child_inherits_no_kept_descriptor);
	return suite;
}
