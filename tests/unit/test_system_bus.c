/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The connection to the system bus, with a real dbus-daemon that comes, goes and stops, and with
 * other servers.
 */
#include "config.h"

#include <check.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/limits.h"
#include "tests/lib/bus-daemon.h"
#include "loop/loop.h"
#include "loop/system-bus.h"
#include "loop/wire.h"
#include "tests/lib/deadline.h"
#include "tests/lib/socket-look.h"
#include "tests/lib/suite.h"

#define NAME "org.example.Test"
#define OWNER_RULE \
	"type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='" NAME "'"

typedef struct Fixture {
	BusDaemon daemon;
	SystemBus *bus;
	unsigned n_connected;
	unsigned n_disconnected;
	unsigned n_signals;
	unsigned n_replies; /* including NULL answers */
	unsigned n_null; /* NULL answers among them */
	unsigned listener;
} Fixture;

static void on_connected(void *data)
{
	Fixture *f = data;

	ck_assert(system_bus_is_connected(f->bus));
	ck_assert_int_eq(system_bus_unique_name(f->bus)[0], ':');
	f->n_connected++;
}

static void on_disconnected(void *data)
{
	Fixture *f = data;

	ck_assert(!system_bus_is_connected(f->bus));
	ck_assert_ptr_null(system_bus_unique_name(f->bus));
	f->n_disconnected++;
}

static void on_message(void *data, DBusMessage *message)
{
	Fixture *f = data;

	if (dbus_message_is_signal(message, DBUS_INTERFACE_DBUS, "NameOwnerChanged") ||
	    dbus_message_is_signal(message, "org.example.Test", "Ping"))
		f->n_signals++;
}

static const SystemBusListener listener = {
	.connected = on_connected,
	.disconnected = on_disconnected,
	.message = on_message,
};

static void on_reply(void *data, DBusMessage *reply)
{
	Fixture *f = data;

	f->n_replies++;
	f->n_null += !reply;
}

static void open_bus(Fixture *f)
{
	g_autoptr(GError) error = NULL;

	f->bus = system_bus_new(f->daemon.socket, &socket_look, &error);
	ck_assert_ptr_nonnull(f->bus);
	f->listener = system_bus_add_listener(f->bus, &listener, f);
}

static void fixture_init(Fixture *f)
{
	*f = (Fixture){ 0 };
	bus_daemon_init(&f->daemon);
}

static void fixture_clear(Fixture *f)
{
	system_bus_free(f->bus);
	bus_daemon_clear(&f->daemon);
}

/* Runs the main loop until the condition is true. No iteration may block. */
#define until(condition)                                                               \
	do {                                                                           \
		const int64_t until_us = loop_now() + DEADLINE_US;                     \
		while (!(condition)) {                                                 \
			const int64_t turn_us = loop_now();                            \
			g_main_context_iteration(NULL, FALSE);                         \
			ck_assert_msg(loop_now() - turn_us < 5 * G_USEC_PER_SEC,       \
				      "a turn took too long");                         \
			ck_assert_msg(loop_now() < until_us, "never: %s", #condition); \
			g_usleep(500);                                                 \
		}                                                                      \
	} while (0)

/* Starts a bus daemon, and connects to it. */
static void fixture_init_connected(Fixture *f)
{
	fixture_init(f);
	bus_daemon_start(&f->daemon);
	open_bus(f);
	until(f->n_connected == 1);
}

/* Is there no work left, and no timer that would wake us? */
static bool sleeps(void)
{
	GMainContext *context = g_main_context_default();
	GPollFD fds[64];
	int priority;
	int timeout_ms;

	while (g_main_context_iteration(NULL, FALSE))
		;
	ck_assert(g_main_context_acquire(context));
	(void)g_main_context_prepare(context, &priority);
	(void)g_main_context_query(context, priority, &timeout_ms, fds, G_N_ELEMENTS(fds));
	g_main_context_release(context);
	return timeout_ms == -1;
}

static DBusMessage *bus_call(const char *method, const char *argument)
{
	DBusMessage *message = wire_must(dbus_message_new_method_call(
		DBUS_SERVICE_DBUS, DBUS_PATH_DBUS, DBUS_INTERFACE_DBUS, method));
	DBusMessageIter out;

	dbus_message_iter_init_append(message, &out);
	if (argument)
		wire_string(&out, argument);
	return message;
}

static unsigned call_bus(Fixture *f, const char *method, const char *argument, int64_t timeout_us)
{
	DBusMessage *message = bus_call(method, argument);
	unsigned id;

	if (strcmp(method, "RequestName") == 0) {
		DBusMessageIter out;

		dbus_message_iter_init_append(message, &out);
		wire_uint32(&out, DBUS_NAME_FLAG_DO_NOT_QUEUE);
	}
	id = system_bus_call(f->bus, message, timeout_us, on_reply, f);
	dbus_message_unref(message);
	return id;
}

/* --- connecting --- */

START_TEST(it_connects_to_a_bus_that_is_there)
{
	Fixture f;

	fixture_init_connected(&f);

	until(sleeps());
	fixture_clear(&f);
}
END_TEST

START_TEST(it_sleeps_until_there_is_a_bus)
{
	Fixture f;

	fixture_init(&f);
	open_bus(&f);
	ck_assert(sleeps());
	ck_assert_uint_eq(call_bus(&f, "ListNames", NULL, DEADLINE_US), 0);

	bus_daemon_make_directory(&f.daemon);
	ck_assert(sleeps());
	bus_daemon_start(&f.daemon);
	until(f.n_connected == 1);

	ck_assert_uint_eq(f.n_disconnected, 0);
	fixture_clear(&f);
}
END_TEST

/* As after a crash: the socket exists without a listener. */
START_TEST(it_sleeps_beside_a_dead_socket)
{
	Fixture f;

	fixture_init_connected(&f);

	bus_daemon_kill(&f.daemon);
	until(f.n_disconnected == 1);
	until(sleeps());
	ck_assert_int_eq(access(f.daemon.socket, F_OK), 0);

	bus_daemon_start(&f.daemon);
	until(f.n_connected == 2);
	fixture_clear(&f);
}
END_TEST

START_TEST(it_comes_back_each_time_the_bus_does)
{
	Fixture f;

	fixture_init(&f);
	open_bus(&f);
	system_bus_add_match(f.bus, OWNER_RULE);
	for (unsigned i = 1; i <= 10; i++) {
		bus_daemon_start(&f.daemon);
		until(f.n_connected == i);

		f.n_signals = 0;
		ck_assert_uint_ne(call_bus(&f, "RequestName", NAME, DEADLINE_US), 0);
		until(f.n_replies == i && f.n_signals == 1);

		bus_daemon_kill(&f.daemon);
		until(f.n_disconnected == i);
	}
	ck_assert_uint_eq(f.n_null, 0);
	fixture_clear(&f);
}
END_TEST

START_TEST(a_directory_that_is_replaced_is_found_again)
{
	g_autofree char *old = NULL;
	g_autofree char *directory = NULL;
	g_autofree char *aside = NULL;
	Fixture f;

	fixture_init(&f);
	bus_daemon_make_directory(&f.daemon);
	open_bus(&f);
	ck_assert(sleeps());

	directory = g_path_get_dirname(f.daemon.socket);
	aside = g_build_filename(f.daemon.directory, "aside", NULL);
	ck_assert_int_eq(rename(directory, aside), 0);
	ck_assert(sleeps());
	ck_assert_int_eq(rmdir(aside), 0);
	bus_daemon_start(&f.daemon);
	until(f.n_connected == 1);
	fixture_clear(&f);
}
END_TEST

START_TEST(a_path_has_a_maximum_length)
{
	g_autofree char *path = g_strnfill(108, '/');
	g_autoptr(GError) error = NULL;

	ck_assert_ptr_null(system_bus_new(path, &socket_look, &error));
	ck_assert(g_str_has_suffix(error->message, "is too long for the path of a socket"));
}
END_TEST

/* --- calls, matches, listeners --- */

START_TEST(calls_in_flight_end_when_the_bus_goes)
{
	Fixture f;

	fixture_init_connected(&f);

	ck_assert_int_eq(kill(f.daemon.pid, SIGSTOP), 0);
	for (unsigned i = 0; i < 20; i++)
		ck_assert_uint_ne(call_bus(&f, "ListNames", NULL, DEADLINE_US), 0);
	ck_assert_uint_eq(f.n_replies, 0);
	bus_daemon_kill(&f.daemon);
	until(f.n_disconnected == 1);

	ck_assert_uint_eq(f.n_replies, 20);
	ck_assert_uint_eq(f.n_null, 20);
	fixture_clear(&f);
}
END_TEST

START_TEST(a_call_has_a_time_limit_and_its_late_answer_is_nobodys)
{
	Fixture f;

	fixture_init_connected(&f);

	ck_assert_int_eq(kill(f.daemon.pid, SIGSTOP), 0);
	ck_assert_uint_ne(call_bus(&f, "ListNames", NULL, 50 * G_TIME_SPAN_MILLISECOND), 0);
	until(f.n_replies == 1);
	ck_assert_uint_eq(f.n_null, 1);

	ck_assert_int_eq(kill(f.daemon.pid, SIGCONT), 0);
	ck_assert_uint_ne(call_bus(&f, "ListNames", NULL, DEADLINE_US), 0);
	until(f.n_replies == 2);
	ck_assert_uint_eq(f.n_null, 1);
	ck_assert_uint_eq(f.n_disconnected, 0);
	fixture_clear(&f);
}
END_TEST

START_TEST(a_cancelled_call_gets_no_reply)
{
	Fixture f;
	unsigned id;

	fixture_init_connected(&f);

	id = call_bus(&f, "ListNames", NULL, DEADLINE_US);
	system_bus_cancel(f.bus, id);
	system_bus_cancel(f.bus, id);
	ck_assert_uint_ne(call_bus(&f, "GetId", NULL, DEADLINE_US), 0);
	until(f.n_replies > 0);
	ck_assert(sleeps());

	ck_assert_uint_eq(f.n_replies, 1);
	fixture_clear(&f);
}
END_TEST

START_TEST(a_match_rule_lasts_as_long_as_its_users)
{
	Fixture f;

	fixture_init_connected(&f);

	system_bus_add_match(f.bus, OWNER_RULE);
	system_bus_add_match(f.bus, OWNER_RULE);
	system_bus_remove_match(f.bus, OWNER_RULE);
	(void)call_bus(&f, "RequestName", NAME, DEADLINE_US);
	until(f.n_replies == 1);
	ck_assert_uint_eq(f.n_signals, 1);

	system_bus_remove_match(f.bus, OWNER_RULE);
	system_bus_remove_match(f.bus, OWNER_RULE); /* once too often: no effect */
	(void)call_bus(&f, "ReleaseName", NAME, DEADLINE_US);
	until(f.n_replies == 2);
	ck_assert_uint_eq(f.n_signals, 1);
	fixture_clear(&f);
}
END_TEST

typedef struct Leaver {
	SystemBus *bus;
	unsigned id;
	unsigned n_reported;
} Leaver;

static void on_connected_leave(void *data)
{
	Leaver *l = data;

	l->n_reported++;
	system_bus_remove_listener(l->bus, l->id);
}

static const SystemBusListener leaver = { .connected = on_connected_leave };

START_TEST(a_late_listener_is_notified_in_a_later_turn_and_may_leave_at_once)
{
	Leaver l = { 0 };
	Fixture f;

	fixture_init_connected(&f);

	l.bus = f.bus;
	l.id = system_bus_add_listener(f.bus, &leaver, &l);
	ck_assert_uint_eq(l.n_reported, 0);
	until(l.n_reported == 1);

	bus_daemon_kill(&f.daemon);
	bus_daemon_start(&f.daemon);
	until(f.n_connected == 2);
	ck_assert_uint_eq(l.n_reported, 1);
	fixture_clear(&f);
}
END_TEST

/* --- buses that behave badly --- */

static void send_ping(SystemBus *from, SystemBus *to, size_t n_bytes)
{
	DBusMessage *message = wire_must(dbus_message_new_signal("/", "org.example.Test", "Ping"));
	g_autofree char *text = g_strnfill(n_bytes, 'x');
	DBusMessageIter out;

	dbus_message_set_destination(message, system_bus_unique_name(to));
	dbus_message_iter_init_append(message, &out);
	wire_string(&out, text);
	system_bus_send(from, message);
	dbus_message_unref(message);
}

/* Any user may send such a message: it must not make svcd lose the bus. */
START_TEST(too_long_a_message_is_passed_over)
{
	Fixture f;
	SystemBus *other;

	fixture_init(&f);
	bus_daemon_start(&f.daemon);
	open_bus(&f);
	other = system_bus_new(f.daemon.socket, &socket_look, NULL);
	until(f.n_connected == 1 && system_bus_is_connected(other));

	send_ping(other, f.bus, LIMIT_SYSTEM_BUS_MESSAGE_BYTES - 1024);
	send_ping(other, f.bus, LIMIT_SYSTEM_BUS_MESSAGE_BYTES);
	send_ping(other, f.bus, 3 * LIMIT_SYSTEM_BUS_MESSAGE_BYTES);
	send_ping(other, f.bus, 3);
	until(f.n_signals == 2);
	ck_assert(sleeps());

	ck_assert_uint_eq(f.n_signals, 2);
	ck_assert_uint_eq(f.n_disconnected, 0);
	system_bus_free(other);
	fixture_clear(&f);
}
END_TEST

START_TEST(a_stopped_bus_delays_nothing_and_is_closed_when_its_queue_is_full)
{
	Fixture f;
	unsigned n_sent = 0;

	fixture_init_connected(&f);

	ck_assert_int_eq(kill(f.daemon.pid, SIGSTOP), 0);
	for (; f.n_disconnected == 0 && n_sent < 1000; n_sent++) {
		send_ping(f.bus, f.bus, 64 * 1024);
		while (g_main_context_iteration(NULL, FALSE))
			;
	}
	ck_assert_uint_gt(n_sent, LIMIT_SYSTEM_BUS_QUEUE_BYTES / (65 * 1024));
	ck_assert_uint_lt(n_sent, LIMIT_SYSTEM_BUS_QUEUE_BYTES / (64 * 1024) + 20);

	ck_assert_int_eq(kill(f.daemon.pid, SIGCONT), 0);
	until(f.n_connected == 2);
	fixture_clear(&f);
}
END_TEST

static int listen_at(const char *path, int backlog)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	g_strlcpy(address.sun_path, path, sizeof address.sun_path);
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
	if (backlog >= 0)
		ck_assert_int_eq(listen(fd, backlog), 0);
	return fd;
}

static int connect_to(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	g_strlcpy(address.sun_path, path, sizeof address.sun_path);
	if (connect(fd, (struct sockaddr *)&address, sizeof address) < 0)
		fd_close(&fd);
	return fd;
}

START_TEST(a_full_backlog_is_tried_again)
{
	const int64_t begun_us = loop_now();
	GArray *others = g_array_new(FALSE, FALSE, sizeof(int));
	Fixture f;
	int fd;

	fixture_init_connected(&f);
	system_bus_free(g_steal_pointer(&f.bus));
	ck_assert_int_eq(kill(f.daemon.pid, SIGSTOP), 0);
	while ((fd = connect_to(f.daemon.socket)) >= 0)
		g_array_append_val(others, fd);
	ck_assert_int_eq(errno, EAGAIN);

	open_bus(&f); /* a blocking connect(2) would hang here */
	while (loop_now() < begun_us + G_USEC_PER_SEC / 4)
		g_main_context_iteration(NULL, TRUE);
	ck_assert_uint_eq(f.n_connected, 1);
	for (guint i = 0; i < others->len; i++)
		(void)close(g_array_index(others, int, i));
	ck_assert_int_eq(kill(f.daemon.pid, SIGCONT), 0);
	until(f.n_connected == 2);

	g_array_unref(others);
	fixture_clear(&f);
}
END_TEST

/* svcd notices bind(2), but not listen(2), which changes nothing in the directory. */
START_TEST(a_socket_that_listens_a_little_later_is_found)
{
	Fixture f;
	int server;
	int fd = -1;

	fixture_init(&f);
	bus_daemon_make_directory(&f.daemon);
	open_bus(&f);
	ck_assert(sleeps());

	server = listen_at(f.daemon.socket, -1);
	until(!sleeps());
	ck_assert_int_eq(listen(server, 1), 0);
	until((fd = accept(server, NULL, NULL)) >= 0);

	(void)close(fd);
	(void)close(server);
	fixture_clear(&f);
}
END_TEST

#define OK_LINE "OK 0123456789abcdef0123456789abcdef\r\n"

/* The answers of a server that is not a bus, and the result. */
static const struct {
	const char *bytes;
	size_t length;
} answers[] = {
	{ "REJECTED EXTERNAL\r\n", 19 },
	{ "HTTP/1.1 400 Bad Request\r\n\r\n", 28 },
	{ "\r\n", 2 },
	{ "OK\n", 3 },
	{ "", 0 }, /* closed at once */
	{ OK_LINE "GET / HTTP/1.1\r\nHost: here\r\n\r\n", sizeof OK_LINE - 1 + 30 },
	{ OK_LINE "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", sizeof OK_LINE - 1 + 16 },
	{ OK_LINE "l\2\1\1\xff\xff\xff\x7f\1\0\0\0\xff\xff\xff\x7f", sizeof OK_LINE - 1 + 16 },
	/* closed in the middle */
	{ OK_LINE "l\2\1\1\20\0\0\0\1\0\0\0", sizeof OK_LINE - 1 + 12 },
};

START_TEST(a_server_that_is_not_a_bus_is_given_up_and_a_later_bus_is_found)
{
	Fixture f;
	int server;
	int fd = -1;
	char authentication[512];

	fixture_init(&f);
	bus_daemon_make_directory(&f.daemon);
	server = listen_at(f.daemon.socket, 5);
	open_bus(&f);
	for (unsigned i = 0; i < 3; i++) { /* svcd tries again, later each time */
		until((fd = accept(server, NULL, NULL)) >= 0);
		ck_assert_int_eq(write(fd, answers[_i].bytes, answers[_i].length),
				 (ssize_t)answers[_i].length);
		until(recv(fd, authentication, sizeof authentication, MSG_DONTWAIT) > 0);
		if (answers[_i].length == 0 || answers[_i].bytes[answers[_i].length - 1] == '\0')
			(void)shutdown(fd, SHUT_RDWR);
		until(recv(fd, authentication, sizeof authentication, MSG_DONTWAIT) == 0 ||
		      errno == ECONNRESET);
		(void)close(fd);
	}
	ck_assert_uint_eq(f.n_connected, 0);
	(void)close(server);

	bus_daemon_start(&f.daemon);
	until(f.n_connected == 1);
	fixture_clear(&f);
}
END_TEST

/* A line without an end. */
START_TEST(a_greeting_has_a_maximum_length)
{
	g_autofree char *line = g_strnfill(LIMIT_AUTH_LINE_BYTES + 1, 'x');
	char authentication[512];
	Fixture f;
	int server;
	int fd = -1;

	fixture_init(&f);
	bus_daemon_make_directory(&f.daemon);
	server = listen_at(f.daemon.socket, 5);
	open_bus(&f);
	until((fd = accept(server, NULL, NULL)) >= 0);
	ck_assert_int_eq(write(fd, line, LIMIT_AUTH_LINE_BYTES + 1), LIMIT_AUTH_LINE_BYTES + 1);
	until(recv(fd, authentication, sizeof authentication, MSG_DONTWAIT) == 0 ||
	      errno == ECONNRESET);

	(void)close(fd);
	(void)close(server);
	fixture_clear(&f);
}
END_TEST

/*
 * The kernel accepts a connection for a stopped daemon. This must not delay the connection to a new
 * daemon.
 */
START_TEST(a_new_bus_is_taken_at_once_while_the_old_one_keeps_us_waiting)
{
	const int64_t begun_us = loop_now();
	Fixture f;
	int server;
	int fd = -1;

	fixture_init(&f);
	bus_daemon_make_directory(&f.daemon);
	server = listen_at(f.daemon.socket, 5);
	open_bus(&f);
	until((fd = accept(server, NULL, NULL)) >= 0);

	bus_daemon_start(&f.daemon);
	until(f.n_connected == 1);
	ck_assert_int_lt(loop_now() - begun_us, LIMIT_AUTH_US);

	(void)close(fd);
	(void)close(server);
	fixture_clear(&f);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("system bus");

	ADD_CASE(suite, "connecting", it_connects_to_a_bus_that_is_there,
		 it_sleeps_until_there_is_a_bus, it_sleeps_beside_a_dead_socket,
		 it_comes_back_each_time_the_bus_does, a_directory_that_is_replaced_is_found_again,
		 a_path_has_a_maximum_length);
	ADD_CASE(suite, "talking", calls_in_flight_end_when_the_bus_goes,
		 a_call_has_a_time_limit_and_its_late_answer_is_nobodys,
		 a_cancelled_call_gets_no_reply, a_match_rule_lasts_as_long_as_its_users,
		 a_late_listener_is_notified_in_a_later_turn_and_may_leave_at_once);
	ADD_CASE(suite, "bad", too_long_a_message_is_passed_over,
		 a_stopped_bus_delays_nothing_and_is_closed_when_its_queue_is_full,
		 a_full_backlog_is_tried_again, a_socket_that_listens_a_little_later_is_found,
		 a_greeting_has_a_maximum_length,
		 a_new_bus_is_taken_at_once_while_the_old_one_keeps_us_waiting);
	suite_add_loop(suite, "bad",
		       a_server_that_is_not_a_bus_is_given_up_and_a_later_bus_is_found,
		       G_N_ELEMENTS(answers));
	return suite;
}
