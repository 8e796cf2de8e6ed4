/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A client of the private socket. Through a socket pair the test sends good, odd and hostile data.
 */
#include "config.h"

#include <check.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/limits.h"
#include "bus/peer.h"
#include "loop/loop.h"
#include "tests/lib/suite.h"

#define GUID "0123456789abcdef0123456789abcdef"
#define AUTHENTICATION "\0AUTH EXTERNAL\r\nDATA\r\nBEGIN\r\n"

typedef struct Fixture {
	Peer *peer;
	int fd; /* the client's end */
	unsigned n_messages;
	char *why; /* "" if the client left without a reason */
} Fixture;

static void on_message(void *data, DBusMessage *message)
{
	Fixture *f = data;

	ck_assert(dbus_message_get_serial(message) != 0);
	f->n_messages++;
}

static void on_closed(void *data, const char *why)
{
	Fixture *f = data;

	ck_assert(f->why == NULL);
	f->why = g_strdup(why ? why : "");
	peer_free(f->peer);
	f->peer = NULL;
}

static const PeerListener listener = { .message = on_message, .closed = on_closed };

static void fixture_init(Fixture *f)
{
	int pair[2];

	*f = (Fixture){ 0 };
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair),
			 0);
	f->fd = pair[1];
	f->peer = peer_new(pair[0], getuid(), GUID, &listener, f);
}

static void fixture_clear(Fixture *f)
{
	peer_free(f->peer);
	fd_close(&f->fd);
	g_free(f->why);
}

static void send_bytes(Fixture *f, const char *bytes, size_t length)
{
	ck_assert_int_eq(write(f->fd, bytes, length), (ssize_t)length);
}

/* Runs the loop until nothing is ready. */
static void turn(void)
{
	while (g_main_context_iteration(NULL, FALSE))
		;
}

static void authenticate(Fixture *f)
{
	char reply[256];

	send_bytes(f, AUTHENTICATION, sizeof AUTHENTICATION - 1);
	turn();
	ck_assert_int_gt(read(f->fd, reply, sizeof reply), 0);
}

/* A call with an argument of @n_bytes, in wire format; dbus_free() it. */
static char *call_bytes(size_t n_bytes, int *ret_length)
{
	DBusMessage *message =
		dbus_message_new_method_call(NULL, "/org/svcd1", "org.svcd1.Manager", "Start");
	g_autofree char *text = g_strnfill(n_bytes, 'x');
	char *bytes;

	ck_assert(dbus_message_append_args(message, DBUS_TYPE_STRING, &text, DBUS_TYPE_INVALID));
	dbus_message_set_serial(message, 1);
	ck_assert(dbus_message_marshal(message, &bytes, ret_length));
	dbus_message_unref(message);
	return bytes;
}

START_TEST(a_call_arrives_whole_or_in_pieces)
{
	Fixture f;
	int length;
	char *bytes = call_bytes(3, &length);

	fixture_init(&f);
	authenticate(&f);

	send_bytes(&f, bytes, (size_t)length);
	turn();
	ck_assert_uint_eq(f.n_messages, 1);

	for (int i = 0; i < length; i++) {
		ck_assert_uint_eq(f.n_messages, 1);
		send_bytes(&f, bytes + i, 1);
		turn();
	}
	ck_assert_uint_eq(f.n_messages, 2);

	dbus_free(bytes);
	fixture_clear(&f);
}
END_TEST

START_TEST(a_call_may_follow_the_greeting_in_the_same_bytes)
{
	Fixture f;
	int length;
	char *bytes = call_bytes(3, &length);
	g_autoptr(GString) all = g_string_new_len(AUTHENTICATION, sizeof AUTHENTICATION - 1);

	g_string_append_len(all, bytes, length);
	fixture_init(&f);
	send_bytes(&f, all->str, all->len);
	turn();

	ck_assert_uint_eq(f.n_messages, 1);

	dbus_free(bytes);
	fixture_clear(&f);
}
END_TEST

START_TEST(only_a_few_calls_are_handled_in_one_turn)
{
	Fixture f;
	int length;
	char *bytes = call_bytes(3, &length);

	fixture_init(&f);
	authenticate(&f);
	for (unsigned i = 0; i < 3 * LIMIT_BUS_BATCH; i++)
		send_bytes(&f, bytes, (size_t)length);

	g_main_context_iteration(NULL, TRUE);
	ck_assert_uint_ge(f.n_messages, 1); /* on a slow machine, fewer */
	ck_assert_uint_le(f.n_messages, LIMIT_BUS_BATCH);
	turn();
	ck_assert_uint_eq(f.n_messages, 3 * LIMIT_BUS_BATCH);

	dbus_free(bytes);
	fixture_clear(&f);
}
END_TEST

START_TEST(a_client_may_leave)
{
	Fixture f;

	fixture_init(&f);
	authenticate(&f);
	fd_close(&f.fd);
	turn();

	ck_assert_str_eq(f.why, "");
	fixture_clear(&f);
}
END_TEST

START_TEST(garbage_disconnects_the_client)
{
	Fixture f;

	fixture_init(&f);
	authenticate(&f);
	send_bytes(&f, "GET / HTTP/1.1\r\nHost: here\r\n\r\n", 30);
	turn();

	ck_assert_str_eq(f.why, "it sent an invalid D-Bus message");
	fixture_clear(&f);
}
END_TEST

/* Each byte of a good message inverted: a message, nothing, or a disconnection; never a crash. */
START_TEST(a_message_with_a_wrong_byte_does_no_harm)
{
	int length;
	char *bytes = call_bytes(3, &length);
	Fixture f;

	fixture_init(&f);
	bytes[_i % length] ^= (char)0xff;
	authenticate(&f);
	send_bytes(&f, bytes, (size_t)length);
	turn();

	ck_assert_uint_le(f.n_messages, 1);

	dbus_free(bytes);
	fixture_clear(&f);
}
END_TEST

START_TEST(a_message_has_a_maximum_size)
{
	Fixture f;
	int length;
	char *bytes = call_bytes(LIMIT_BUS_MESSAGE_BYTES, &length);

	fixture_init(&f);
	authenticate(&f);
	send_bytes(&f, bytes, 4096); /* the header contains the length */
	turn();

	ck_assert_str_eq(f.why, "it sent a message that is too long");
	dbus_free(bytes);
	fixture_clear(&f);
}
END_TEST

START_TEST(a_message_of_nearly_that_size_is_taken)
{
	Fixture f;
	int length;
	char *bytes = call_bytes(LIMIT_BUS_MESSAGE_BYTES - 256, &length);

	fixture_init(&f);
	authenticate(&f);
	send_bytes(&f, bytes, (size_t)length);
	turn();

	ck_assert_uint_eq(f.n_messages, 1);
	dbus_free(bytes);
	fixture_clear(&f);
}
END_TEST

static DBusMessage *big_signal(void)
{
	DBusMessage *message =
		dbus_message_new_signal("/org/svcd1", "org.svcd1.Boot", "BootFinished");
	g_autofree char *text = g_strnfill(64 * 1024, 'x');

	ck_assert(dbus_message_append_args(message, DBUS_TYPE_STRING, &text, DBUS_TYPE_INVALID));
	return message;
}

START_TEST(a_client_that_does_not_read_is_paused_and_then_disconnected)
{
	DBusMessage *message = big_signal();
	int length;
	char *bytes = call_bytes(3, &length);
	unsigned n_sent = 0;
	Fixture f;

	fixture_init(&f);
	authenticate(&f);

	/* Fills the socket, and then the outbox to its first limit. */
	for (unsigned i = 0; i < 10; i++)
		peer_send(f.peer, message);
	send_bytes(&f, bytes, (size_t)length);
	turn();
	ck_assert_uint_eq(f.n_messages, 0);
	ck_assert(f.why == NULL);

	for (; f.peer && n_sent < 100; n_sent++) {
		peer_send(f.peer, message);
		turn();
	}
	ck_assert_str_eq(f.why, "it does not read its messages");
	ck_assert_uint_le(n_sent, LIMIT_BUS_QUEUE_BYTES / (64 * 1024) + 2);

	dbus_message_unref(message);
	dbus_free(bytes);
	fixture_clear(&f);
}
END_TEST

START_TEST(a_client_that_reads_again_is_resumed)
{
	DBusMessage *message = big_signal();
	g_autofree char *buffer = g_malloc(64 * 1024);
	int length;
	char *bytes = call_bytes(3, &length);
	Fixture f;

	fixture_init(&f);
	authenticate(&f);
	for (unsigned i = 0; i < 10; i++)
		peer_send(f.peer, message);
	send_bytes(&f, bytes, (size_t)length);
	turn();
	ck_assert_uint_eq(f.n_messages, 0);

	while (read(f.fd, buffer, 64 * 1024) > 0)
		turn();
	ck_assert_uint_eq(f.n_messages, 1);
	ck_assert(f.why == NULL);

	dbus_message_unref(message);
	dbus_free(bytes);
	fixture_clear(&f);
}
END_TEST

/* The kernel closes the descriptors in a message, because svcd does not receive them. */
START_TEST(descriptors_are_not_received)
{
	Fixture f;
	int length;
	char *bytes = call_bytes(3, &length);
	struct iovec part = { .iov_base = bytes, .iov_len = (size_t)length };
	union {
		struct cmsghdr header;
		char space[CMSG_SPACE(sizeof(int))];
	} control = { 0 };
	struct msghdr message = { .msg_iov = &part,
				  .msg_iovlen = 1,
				  .msg_control = &control,
				  .msg_controllen = sizeof control.space };
	struct cmsghdr *c;
	int pipes[2];
	char byte;

	fixture_init(&f);
	authenticate(&f);
	ck_assert_int_eq(pipe(pipes), 0);
	c = CMSG_FIRSTHDR(&message);
	ck_assert_ptr_nonnull(c);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &pipes[1], sizeof(int));
	ck_assert_int_eq(sendmsg(f.fd, &message, 0), length);
	(void)close(pipes[1]); /* now only the message holds the write end */
	turn();

	ck_assert_uint_eq(f.n_messages, 1);
	ck_assert_int_eq(read(pipes[0], &byte, 1), 0);

	(void)close(pipes[0]);
	dbus_free(bytes);
	fixture_clear(&f);
}
END_TEST

START_TEST(a_refused_greeting_is_answered_and_closed)
{
	Fixture f;
	char reply[64] = "";

	fixture_init(&f);
	send_bytes(&f, "\0AUTH\r\nBEGIN\r\n", 14);
	turn();

	ck_assert_str_eq(f.why, "it did not authenticate as D-Bus requires");
	ck_assert_int_gt(read(f.fd, reply, sizeof reply - 1), 0);
	ck_assert_str_eq(reply, "REJECTED EXTERNAL\r\n");
	ck_assert_int_eq(read(f.fd, reply, sizeof reply), 0);
	fixture_clear(&f);
}
END_TEST

START_TEST(a_greeting_has_a_time_limit)
{
	Fixture f;
	const int64_t begun_us = loop_now();

	fixture_init(&f);
	send_bytes(&f, "\0AUTH EX", 8);
	while (!f.why && loop_now() < begun_us + 3 * LIMIT_AUTH_US)
		g_main_context_iteration(NULL, TRUE);

	ck_assert_str_eq(f.why, "it did not authenticate in time");
	ck_assert_int_ge(loop_now(), begun_us + LIMIT_AUTH_US);
	fixture_clear(&f);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("bus peer");

	ADD_CASE(suite, "good", a_call_arrives_whole_or_in_pieces,
		 a_call_may_follow_the_greeting_in_the_same_bytes,
		 only_a_few_calls_are_handled_in_one_turn, a_client_may_leave,
		 a_message_of_nearly_that_size_is_taken);
	suite_add_loop(suite, "bad", a_message_with_a_wrong_byte_does_no_harm, 128);
	ADD_CASE(suite, "bad", garbage_disconnects_the_client, a_message_has_a_maximum_size,
		 a_client_that_does_not_read_is_paused_and_then_disconnected,
		 a_client_that_reads_again_is_resumed, descriptors_are_not_received,
		 a_refused_greeting_is_answered_and_closed);
	ADD_CASE(suite, "slow", a_greeting_has_a_time_limit);
	return suite;
}
