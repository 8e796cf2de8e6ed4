/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Channel: bytes that are peeked at, bytes that are read, and bytes that are never read.
 */
#include "config.h"

#include <check.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/lib/descriptors.h"
#include "base/channel.h"
#include "base/fd.h"
#include "tests/lib/suite.h"

/* A pipe holds 51 lines of 80 bytes per page, and has 16 pages. */
#define LINE_BYTES 80
#define PIPE_LINES (51 * 16)

static int ends[2];
static int ours;
static int writer;

static void set_up(void)
{
	ck_assert_int_eq(channel_pair(ends), 0);
	ours = ends[0];
	writer = ends[1];
}

static void tear_down(void)
{
	fd_close(&ours);
	fd_close(&writer);
}

static void write_text(const char *text)
{
	ck_assert_int_eq(write(writer, text, strlen(text)), (ssize_t)strlen(text));
}

static void expect(ChannelState state, const char *text)
{
	char bytes[256];
	size_t n;

	ck_assert_int_eq(channel_peek(ours, bytes, sizeof bytes - 1, &n), state);
	bytes[n] = '\0';
	ck_assert_str_eq(bytes, text);
}

static void take(size_t n)
{
	char bytes[256];

	channel_take(ours, bytes, n);
}

START_TEST(bytes_stay_until_they_are_taken)
{
	expect(CHANNEL_NOTHING, "");
	write_text("one ");
	write_text("two");
	expect(CHANNEL_BYTES, "one two");
	expect(CHANNEL_BYTES, "one two");

	take(4);
	expect(CHANNEL_BYTES, "two");
	fd_close(&writer);
	expect(CHANNEL_BYTES, "two");
	take(3);
	expect(CHANNEL_END, "");
}
END_TEST

START_TEST(peek_ends_with_the_first_descriptor)
{
	write_text("one ");
	send_descriptor(writer, ours, "two ", 0);
	write_text("three");

	expect(CHANNEL_DESCRIPTORS, "one two ");
	expect(CHANNEL_DESCRIPTORS, "one two ");
}
END_TEST

START_TEST(take_does_not_reach_descriptors_that_came_after_the_peek)
{
	write_text("one ");
	expect(CHANNEL_BYTES, "one ");
	send_descriptor(writer, ours, "two", 0);

	take(4);
	expect(CHANNEL_DESCRIPTORS, "two");
}
END_TEST

/* A kernel without AF_UNIX_OOB refuses urgent data. */
static bool has_urgent_data(void)
{
	int fds[2];
	bool has;

	ck_assert_int_eq(channel_pair(fds), 0);
	has = send(fds[1], "x", 1, MSG_OOB) == 1;
	(void)close(fds[0]);
	(void)close(fds[1]);
	return has;
}

START_TEST(urgent_byte_does_not_hide_its_descriptor)
{
	if (!has_urgent_data())
		return;
	write_text("one ");
	send_descriptor(writer, ours, "!", MSG_OOB);
	write_text("two");

	expect(CHANNEL_BYTES, "one ");
	take(4);
	expect(CHANNEL_DESCRIPTORS, "!");
}
END_TEST

START_TEST(urgent_byte_first_does_not_hide_its_descriptor)
{
	if (!has_urgent_data())
		return;
	send_descriptor(writer, ours, "!", MSG_OOB);
	write_text("two");

	expect(CHANNEL_DESCRIPTORS, "!");
}
END_TEST

START_TEST(kernel_that_can_refuses_descriptors)
{
	const int on = 1;
	int fds[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	if (setsockopt(fds[0], SOL_SOCKET, 83, &on, sizeof on) == 0) { /* SO_PASSRIGHTS */
		socklen_t size = sizeof on;
		int is_on = 1;

		ck_assert_int_eq(getsockopt(ours, SOL_SOCKET, 83, &is_on, &size), 0);
		ck_assert_int_eq(is_on, 0);
	}
	(void)close(fds[0]);
	(void)close(fds[1]);
}
END_TEST

START_TEST(pipe_is_no_channel)
{
	int fds[2];

	fd_close(&ours);
	ck_assert_int_eq(pipe(fds), 0);
	ours = fds[0];
	expect(CHANNEL_END, "");
	(void)close(fds[1]);
}
END_TEST

START_TEST(wide_channel_holds_as_many_lines_as_a_pipe)
{
	char line[LINE_BYTES] = { 0 };
	unsigned n = 0;

	channel_widen(writer);
	while (send(writer, line, sizeof line, MSG_DONTWAIT) == sizeof line)
		n++;

	ck_assert_uint_ge(n, PIPE_LINES);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("channel");

	ADD_CASE_AROUND(suite, "channel", set_up, tear_down, bytes_stay_until_they_are_taken,
			peek_ends_with_the_first_descriptor,
			take_does_not_reach_descriptors_that_came_after_the_peek,
			urgent_byte_does_not_hide_its_descriptor,
			urgent_byte_first_does_not_hide_its_descriptor,
			kernel_that_can_refuses_descriptors, pipe_is_no_channel);
	if (geteuid() == 0) /* needs CAP_NET_ADMIN */
		ADD_CASE_AROUND(suite, "as root", set_up, tear_down,
				wide_channel_holds_as_many_lines_as_a_pipe);
	return suite;
}
