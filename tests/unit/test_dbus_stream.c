/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * D-Bus stream over a socket pair. The test reads and writes bytes at the other end.
 */
#include "config.h"

#include <check.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/limits.h"
#include "loop/dbus-stream.h"
#include "loop/loop.h"
#include "loop/wire.h"
#include "tests/lib/suite.h"

#define LARGE_BYTES (300 * 1024)

/* The tested end. It answers the first message with many bytes. */
typedef struct End {
	DBusStream *stream;
	int other;
	uint32_t serial;
	unsigned n_messages;
	int64_t takes_us; /* duration of one message */
	unsigned n_room;
} End;

static const DBusStreamLimits limits = { .message_bytes = 1024 * 1024,
					 .batch = 8,
					 .pause_bytes = 16 * 1024,
					 .queue_bytes = 1024 * 1024 };

static AuthenticationResult on_authenticate(void *data, const guint8 *bytes, size_t length,
					    size_t *ret_used, GString *reply)
{
	(void)data;
	(void)bytes;
	(void)reply;
	*ret_used = MIN(length, 1);
	return length > 0 ? AUTHENTICATION_DONE : AUTHENTICATION_MORE;
}

static void send_text(End *end, const char *text)
{
	DBusMessage *message = wire_must(dbus_message_new_signal("/", "org.example.Any", "Text"));
	DBusMessageIter out;

	dbus_message_iter_init_append(message, &out);
	wire_string(&out, text);
	ck_assert(dbus_stream_send(end->stream, message, dbus_stream_next_serial(&end->serial)));
	dbus_message_unref(message);
}

static void on_message(void *data, DBusMessage *message)
{
	End *end = data;
	g_autofree char *much = g_strnfill(LARGE_BYTES, 'x');

	(void)message;
	g_usleep((gulong)end->takes_us);
	if (end->n_messages++ == 0 && end->takes_us == 0)
		send_text(end, much);
}

static void on_writable(void *data)
{
	((End *)data)->n_room++;
}

static void on_closed(void *data, const char *why)
{
	(void)data;
	ck_abort_msg("closed: %s", why ? why : "");
}

static void write_greeting_and_calls(int fd, unsigned n)
{
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	DBusMessage *call =
		wire_must(dbus_message_new_method_call(NULL, "/", "org.example.Any", "Call"));
	char *raw;
	int length;

	dbus_message_set_serial(call, 1);
	ck_assert(dbus_message_marshal(call, &raw, &length));
	g_byte_array_append(bytes, (const guint8 *)"", 1);
	while (n-- > 0)
		g_byte_array_append(bytes, (const guint8 *)raw, (guint)length);
	ck_assert_int_eq(write(fd, bytes->data, bytes->len), (ssize_t)bytes->len);
	dbus_free(raw);
	dbus_message_unref(call);
}

static void turn(unsigned n)
{
	while (n-- > 0)
		(void)g_main_context_iteration(NULL, FALSE);
}

/* Returns: the number of bytes. */
static size_t read_all(int fd)
{
	static char buffer[64 * 1024];
	size_t total = 0;
	ssize_t n;

	while ((n = recv(fd, buffer, sizeof buffer, MSG_DONTWAIT)) > 0)
		total += (size_t)n;
	return total;
}

/*
 * A signal that is sent meanwhile also writes the rest of the answer. So the main loop does not see
 * that the socket became writable.
 */
START_TEST(calls_held_back_are_handled_when_another_send_makes_room)
{
	static const DBusStreamListener listener = { .authenticate = on_authenticate,
						     .message = on_message,
						     .closed = on_closed };
	int fds[2];
	End end = { 0 };

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds),
			 0);
	end.other = fds[1];
	end.stream = dbus_stream_new(fds[0], &limits, &listener, &end);
	write_greeting_and_calls(end.other, 3);
	turn(10);
	ck_assert_uint_eq(end.n_messages, 1); /* the answer does not fit, so two messages wait */

	ck_assert_uint_lt(read_all(end.other), LARGE_BYTES);
	send_text(&end, "short");
	ck_assert_uint_gt(read_all(end.other), limits.pause_bytes); /* all is written */
	turn(10);

	ck_assert_uint_eq(end.n_messages, 3);
	dbus_stream_free(end.stream);
	(void)close(end.other);
}
END_TEST

/* If each message takes long, other sources wait for one message and not for eight. */
START_TEST(a_message_that_takes_long_is_the_only_one_of_its_turn)
{
	static const DBusStreamListener listener = { .authenticate = on_authenticate,
						     .message = on_message,
						     .closed = on_closed };
	End end = { .takes_us = LIMIT_BUS_TURN_US };
	int fds[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds),
			 0);
	end.stream = dbus_stream_new(fds[0], &limits, &listener, &end);
	write_greeting_and_calls(fds[1], 4);
	for (unsigned i = 1; i <= 4; i++) {
		turn(1);
		ck_assert_uint_eq(end.n_messages, i);
	}
	dbus_stream_free(end.stream);
	(void)close(fds[1]);
}
END_TEST

/*
 * A sender with answers that can wait is notified when the socket is congested, and when it is free
 * again.
 */
START_TEST(a_socket_that_is_full_is_congested_until_all_is_written)
{
	static const DBusStreamListener listener = { .authenticate = on_authenticate,
						     .message = on_message,
						     .closed = on_closed,
						     .on_writable = on_writable };
	End end = { 0 };
	int fds[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds),
			 0);
	end.stream = dbus_stream_new(fds[0], &limits, &listener, &end);
	write_greeting_and_calls(fds[1], 1);
	turn(5);
	ck_assert(dbus_stream_is_congested(end.stream)); /* because of the answer */
	ck_assert_uint_eq(end.n_room, 0);

	for (unsigned i = 0; i < 100 && end.n_room == 0; i++) {
		(void)read_all(fds[1]);
		turn(1);
	}
	turn(5);
	ck_assert_uint_eq(end.n_room, 1);
	ck_assert(!dbus_stream_is_congested(end.stream));
	dbus_stream_free(end.stream);
	(void)close(fds[1]);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("dbus-stream");

	ADD_CASE(suite, "flow", calls_held_back_are_handled_when_another_send_makes_room,
		 a_message_that_takes_long_is_the_only_one_of_its_turn,
		 a_socket_that_is_full_is_congested_until_all_is_written);
	return suite;
}
