/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The last close of a descriptor. close(2) of a lingering socket waits; meanwhile a real keeper
 * answers, and the other descriptors are closed.
 */
#include "config.h"

#include <arpa/inet.h>
#include <check.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/lib/deadline.h"
#include "tests/lib/link-client.h"
#include "tests/lib/suite.h"

#define LINGER_S 1000 /* longer than any test; it ends when the test closes the peer */

static KeeperRun run;
static Manager manager;

static void set_up(void)
{
	keeper_run_start(&run, 0);
	manager_accept_replayed(&run, &manager, NULL);
}

static void tear_down(void)
{
	manager_drop(&manager);
	keeper_run_stop(&run);
}

/* Returns: a socket whose buffer is full, because its peer reads nothing. */
static int open_lingering(void)
{
	static const char bytes[65536];
	const struct linger linger = { .l_onoff = 1, .l_linger = LINGER_S };
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_addr = { htonl(INADDR_LOOPBACK) } };
	socklen_t length = sizeof(address);
	const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	ck_assert_int_eq(bind(listener, (struct sockaddr *)&address, sizeof(address)), 0);
	ck_assert_int_eq(listen(listener, 1), 0);
	ck_assert_int_eq(getsockname(listener, (struct sockaddr *)&address, &length), 0);
	ck_assert_int_eq(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	ck_assert_int_ge(accept4(listener, NULL, NULL, SOCK_CLOEXEC), 0);
	ck_assert_int_eq(setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger)), 0);
	while (send(fd, bytes, sizeof(bytes), MSG_DONTWAIT) > 0)
		;
	return fd;
}

static void dispose(int fd)
{
	struct MessageDispose message = { .header = { MESSAGE_DISPOSE, sizeof(message) } };

	manager_send(&manager, &message, sizeof(message), fd);
}

static void await_end_of(int pipe_fd)
{
	struct pollfd seen = { .fd = pipe_fd };

	ck_assert_int_eq(poll(&seen, 1, DEADLINE_MS), 1);
	ck_assert(seen.revents & POLLHUP);
}

static bool has_ended(int pipe_fd)
{
	struct pollfd seen = { .fd = pipe_fd };

	return poll(&seen, 1, 0) == 1;
}

static void check_answers(void)
{
	static const char *const argv[] = { "/bin/true", NULL };
	static uint64_t invocation;
	const Spawn s = { .service = "a", .invocation = ++invocation, .argv = argv };
	Message m;

	ck_assert(manager_spawn(&manager, &s));
	manager_expect(&manager, MESSAGE_SPAWNED, &m);
	manager_expect(&manager, MESSAGE_EXITED, &m);
	manager_ack(&manager, &m.exited.id, "");
}

START_TEST(a_close_that_waits_delays_neither_the_keeper_nor_other_closes)
{
	const unsigned before = keeper_run_count_open(&run);
	int first[2];
	int second[2];
	int lingering = open_lingering();

	ck_assert_int_eq(pipe2(first, O_CLOEXEC), 0);
	ck_assert_int_eq(pipe2(second, O_CLOEXEC), 0);
	manager_keep(&manager, "a/pipe/0", first[1]);
	manager_keep(&manager, "a/socket/0", lingering);
	manager_keep(&manager, "a/pipe/1", second[1]);
	(void)close(first[1]);
	(void)close(lingering);
	(void)close(second[1]);

	manager_forget(&manager, "a/pipe/0");
	manager_forget(&manager, "a/socket/0");
	manager_forget(&manager, "a/pipe/1");

	check_answers();
	await_end_of(first[0]);
	await_end_of(second[0]);
	ck_assert_uint_eq(keeper_run_count_open(&run), before);
	check_answers();
}
END_TEST

/* The keeper handles messages in their order, so it closes the channel before the next answer. */
START_TEST(an_ended_channel_is_closed_at_once)
{
	int ends[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
	manager_keep(&manager, "a/log/0", ends[0]);
	(void)close(ends[0]);
	check_answers();
	ck_assert(!has_ended(ends[1]));

	manager_forget_ended(&manager, "a/log/0");
	check_answers();

	ck_assert(has_ended(ends[1]));
}
END_TEST

START_TEST(a_passed_descriptor_is_closed_when_the_manager_has_closed_its_own)
{
	int pipe_fds[2];

	ck_assert_int_eq(pipe2(pipe_fds, O_CLOEXEC), 0);
	dispose(pipe_fds[1]);
	(void)close(pipe_fds[1]);
	check_answers();
	ck_assert(!has_ended(pipe_fds[0]));

	dispose(-1);
	await_end_of(pipe_fds[0]);
}
END_TEST

START_TEST(descriptors_passed_by_a_dead_manager_are_closed)
{
	int pipe_fds[2];

	ck_assert_int_eq(pipe2(pipe_fds, O_CLOEXEC), 0);
	dispose(pipe_fds[1]);
	(void)close(pipe_fds[1]);

	manager_exit(&manager, 1);
	manager_drop(&manager);
	manager_accept_replayed(&run, &manager, NULL);
	await_end_of(pipe_fds[0]);
}
END_TEST

START_TEST(descriptors_of_an_unknown_message_are_closed)
{
	struct MessageHeader unknown = { .type = 99, .size = sizeof(unknown) };
	int pipe_fds[2];

	ck_assert_int_eq(pipe2(pipe_fds, O_CLOEXEC), 0);
	manager_send(&manager, &unknown, sizeof(unknown), pipe_fds[1]);
	(void)close(pipe_fds[1]);

	await_end_of(pipe_fds[0]);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("keeper disposal");

	ADD_CASE_AROUND(suite, "keeper", set_up, tear_down,
			a_close_that_waits_delays_neither_the_keeper_nor_other_closes,
			an_ended_channel_is_closed_at_once,
			a_passed_descriptor_is_closed_when_the_manager_has_closed_its_own,
			descriptors_passed_by_a_dead_manager_are_closed,
			descriptors_of_an_unknown_message_are_closed);
	return suite;
}
