/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The listening socket: which processes may connect, and how many client faults are logged.
 */
#include "config.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/log.h"
#include "bus/client-socket.h"
#include "loop/loop.h"
#include "tests/lib/deadline.h"
#include "tests/lib/suite.h"
#include "tests/lib/tree.h"

typedef struct Fixture {
	Tree *tree;
	char *path;
	ClientSocket *socket;
	int log_fd;
	GString *log;
	unsigned n_gone;
	unsigned n_disposed;
} Fixture;

static void on_message(void *data, BusClient *client, DBusMessage *message)
{
	(void)data;
	(void)client;
	(void)message;
	ck_abort_msg("no client here sends a valid message");
}

static void on_gone(void *data, BusClient *client)
{
	Fixture *f = data;

	(void)client;
	f->n_gone++;
}

static void on_dispose(void *data, int fd)
{
	Fixture *f = data;

	f->n_disposed++;
	fd_close(&fd);
}

static const SocketListener listener = { .message = on_message,
					 .gone = on_gone,
					 .dispose = on_dispose };

static void fixture_init_kind(Fixture *f, ClientSocketKind kind)
{
	int ends[2];
	int fd;

	*f = (Fixture){ .tree = tree_new(), .log = g_string_new(NULL) };
	ck_assert_int_eq(pipe(ends), 0);
	ck_assert(fd_set_nonblocking(ends[0], true));
	f->log_fd = ends[0];
	log_open("test", ends[1], FALSE);
	f->path = tree_path(f->tree, "/private");
	fd = client_socket_open(kind, f->path, NULL);
	ck_assert_int_ge(fd, 0);
	f->socket = client_socket_new(kind, fd, &listener, f);
}

static void fixture_init(Fixture *f)
{
	fixture_init_kind(f, CLIENT_SOCKET_OF_USER);
}

static void fixture_clear(Fixture *f)
{
	client_socket_free(f->socket);
	log_open("test", -1, FALSE);
	fd_close(&f->log_fd);
	g_string_free(f->log, TRUE);
	g_free(f->path);
	tree_free(f->tree);
}

/* The linker redirects these socket calls (ld(1), --wrap). */
int __real_accept4(int fd, struct sockaddr *address, socklen_t *size, int flags);
int __wrap_accept4(int fd, struct sockaddr *address, socklen_t *size, int flags);

static bool has_no_files;
static unsigned n_refused;

int __wrap_accept4(int fd, struct sockaddr *address, socklen_t *size, int flags)
{
	if (!has_no_files)
		return __real_accept4(fd, address, size, flags);
	n_refused++;
	errno = ENFILE;
	return -1;
}

/* A client that sends invalid D-Bus and is therefore disconnected. */
static void one_that_talks_nonsense(Fixture *f)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	auto_fd int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	const int64_t deadline_us = loop_now() + DEADLINE_US;
	const unsigned n_gone = f->n_gone;

	g_strlcpy(address.sun_path, f->path, sizeof address.sun_path);
	ck_assert_int_eq(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
	ck_assert_int_eq(write(fd, "GET / HTTP/1.1\r\n\r\n", 18), 18);
	while (f->n_gone == n_gone) {
		ck_assert_int_lt(loop_now(), deadline_us);
		g_main_context_iteration(NULL, TRUE);
	}
}

static unsigned count_lines(Fixture *f)
{
	char text[4096];
	unsigned n = 0;
	ssize_t length;

	while ((length = read(f->log_fd, text, sizeof text)) > 0)
		g_string_append_len(f->log, text, length);
	for (const char *c = f->log->str; *c; c++)
		n += *c == '\n';
	return n;
}

START_TEST(a_client_disconnected_for_its_message_is_logged)
{
	Fixture f;

	fixture_init(&f);
	one_that_talks_nonsense(&f);

	ck_assert_uint_eq(count_lines(&f), 1);
	ck_assert_msg(strstr(f.log->str, "a client of the private socket (pid "), "%s", f.log->str);
	fixture_clear(&f);
}
END_TEST

/* Any user may connect, but must not be able to fill the log. */
START_TEST(a_flood_of_bad_clients_is_one_line)
{
	Fixture f;

	fixture_init(&f);
	for (int i = 0; i < 500; i++)
		one_that_talks_nonsense(&f);

	ck_assert_msg(count_lines(&f) == 1, "%.500s", f.log->str);
	fixture_clear(&f);
}
END_TEST

static void on_time(void *data)
{
	*(bool *)data = true;
}

/* Closing a spare descriptor does not help, because other processes take it first. */
START_TEST(a_client_that_waits_for_a_free_descriptor_causes_no_busy_loop)
{
	bool is_over = false;
	Timer *timer = timer_new(on_time, &is_over);
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	auto_fd int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	Fixture f;

	fixture_init(&f);
	has_no_files = true;
	g_strlcpy(address.sun_path, f.path, sizeof address.sun_path);
	ck_assert_int_eq(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
	timer_arm(timer, loop_now() + G_USEC_PER_SEC / 2);
	while (!is_over)
		g_main_context_iteration(NULL, TRUE);
	ck_assert_uint_ge(n_refused, 2);
	ck_assert_uint_le(n_refused, 12); /* 5 in 0.5 s, and 1 per client */

	has_no_files = false;
	one_that_talks_nonsense(&f);
	fixture_clear(&f);
	timer_free(timer);
}
END_TEST

/* --- which processes may connect --- */

static void drop_capability(unsigned capability)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { 0 };

	ck_assert_int_eq((int)syscall(SYS_capget, &header, data), 0);
	data[CAP_TO_INDEX(capability)].effective &= ~CAP_TO_MASK(capability);
	ck_assert_int_eq((int)syscall(SYS_capset, &header, data), 0);
}

/*
 * Connects without @capability and sends the start of the authentication. Returns: the pid; -1:
 * connect(2) failed.
 */
static pid_t connect_without(Fixture *f, unsigned capability)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int ready[2];
	char word = 0;
	pid_t child;

	g_strlcpy(address.sun_path, f->path, sizeof address.sun_path);
	ck_assert_int_eq(pipe2(ready, O_CLOEXEC), 0);
	child = fork();
	ck_assert_int_ge(child, 0);
	if (child == 0) {
		const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

		drop_capability(capability);
		word = connect(fd, (struct sockaddr *)&address, sizeof address) == 0 ? 'y' : 'n';
		(void)!write(fd, "\0AUTH EXTERNAL 30\r\n", 20);
		(void)!write(ready[1], &word, 1);
		pause();
		_exit(0);
	}
	ck_assert_int_eq(read(ready[0], &word, 1), 1);
	(void)close(ready[0]);
	(void)close(ready[1]);
	if (word == 'y')
		return child;
	(void)kill(child, SIGKILL);
	(void)waitpid(child, NULL, 0);
	return -1;
}

static void end_client(pid_t child)
{
	(void)kill(child, SIGKILL);
	(void)waitpid(child, NULL, 0);
}

static void run_for(int64_t duration_us)
{
	bool is_over = false;
	Timer *timer = timer_new(on_time, &is_over);

	timer_arm(timer, loop_now() + duration_us);
	while (!is_over)
		g_main_context_iteration(NULL, TRUE);
	timer_free(timer);
}

START_TEST(root_without_the_capability_to_override_modes_cannot_connect)
{
	Fixture f;

	if (geteuid() != 0)
		return;
	fixture_init_kind(&f, CLIENT_SOCKET_OF_MACHINE);
	ck_assert_int_eq(connect_without(&f, CAP_DAC_OVERRIDE), -1);
	fixture_clear(&f);
}
END_TEST

START_TEST(root_without_its_capabilities_is_disconnected_unread)
{
	const int64_t deadline_us = loop_now() + DEADLINE_US;
	Fixture f;
	pid_t child;

	if (geteuid() != 0)
		return;
	fixture_init_kind(&f, CLIENT_SOCKET_OF_MACHINE);
	child = connect_without(&f, CAP_SYS_ADMIN);
	ck_assert_int_gt(child, 0);
	while (f.n_disposed == 0) {
		ck_assert_int_lt(loop_now(), deadline_us);
		g_main_context_iteration(NULL, TRUE);
	}
	ck_assert_uint_eq(f.n_gone, 0);
	ck_assert_uint_eq(count_lines(&f), 1);
	ck_assert_msg(strstr(f.log->str, "uid 0 (pid ") &&
			      strstr(f.log->str, "capabilities of root"),
		      "%s", f.log->str);
	end_client(child);
	fixture_clear(&f);
}
END_TEST

START_TEST(root_with_its_capabilities_may_connect)
{
	Fixture f;
	pid_t child;

	if (geteuid() != 0)
		return;
	fixture_init_kind(&f, CLIENT_SOCKET_OF_MACHINE);
	child = connect_without(&f, CAP_SYS_TIME);
	ck_assert_int_gt(child, 0);
	run_for(G_USEC_PER_SEC / 10);
	ck_assert_uint_eq(f.n_disposed, 0);
	end_client(child);
	while (f.n_gone == 0)
		g_main_context_iteration(NULL, TRUE);
	fixture_clear(&f);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("client socket");

	ADD_CASE(suite, "rights", root_without_the_capability_to_override_modes_cannot_connect,
		 root_without_its_capabilities_is_disconnected_unread,
		 root_with_its_capabilities_may_connect);

	ADD_CASE(suite, "log", a_client_disconnected_for_its_message_is_logged,
		 a_flood_of_bad_clients_is_one_line);
	ADD_CASE(suite, "files", a_client_that_waits_for_a_free_descriptor_causes_no_busy_loop);
	return suite;
}
