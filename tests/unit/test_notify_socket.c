/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Notify socket: valid messages, ignored ones, and floods.
 */
#include "config.h"

#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/lib/deadline.h"
#include "tests/lib/tree.h"
#include "base/channel.h"
#include "base/fd.h"
#include "base/limits.h"
#include "loop/loop.h"
#include "model/service-def.h"
#include "process/notify-socket.h"
#include "process/pidfile.h"
#include "process/ready-fd.h"
#include "tests/lib/suite.h"

/* --- the text --- */

static const struct {
	const char *text;
	NotifyMessage expected;
} texts[] = {
	{ "READY=1", { .ready = true } },
	{ "READY=1\n", { .ready = true } },
	{ "READY=0", { .ready = false } },
	{ "READY=11", { .ready = false } },
	{ "READY", { .ready = false } },
	{ "XREADY=1", { .ready = false } },
	{ " READY=1", { .ready = false } },
	{ "STOPPING=1\nREADY=1", { .ready = true, .stopping = true } },
	{ "RELOADING=1\nMONOTONIC_USEC=5", { .reloading = true } },
	{ "STATUS=", { .status = "" } },
	{ "STATUS=a=b", { .status = "a=b" } },
	{ "STATUS=one\nSTATUS=two", { .status = "two" } },
	{ "MAINPID=42", { .main_pid = 42 } },
	{ "MAINPID=1", { .main_pid = 0 } },
	{ "MAINPID=0", { .main_pid = 0 } },
	{ "MAINPID=-5", { .main_pid = 0 } },
	{ "MAINPID=4x", { .main_pid = 0 } },
	{ "MAINPID=99999999999999999999", { .main_pid = 0 } },
	{ "ERRNO=13", { .errnum = 13 } },
	{ "ERRNO=99999", { .errnum = 0 } },
	{ "EXTEND_TIMEOUT_USEC=5000000", { .extend_us = 5000000 } },
	{ "EXTEND_TIMEOUT_USEC=9223372036854775807", { .extend_us = NOTIFY_EXTEND_MAX_US } },
	{ "EXTEND_TIMEOUT_USEC=-1", { .extend_us = 0 } },
	{ "WATCHDOG=1\nFDSTORE=1\n=\n\n\nX_OWN=1", { .is_alive = true } },
	{ "WATCHDOG=2", { .is_alive = false } },
	{ "WATCHDOG=trigger", { .is_in_trouble = true } },
	{ "WATCHDOG_USEC=20000000", { .has_watchdog = true, .watchdog_us = 20000000 } },
	{ "WATCHDOG_USEC=0", { .has_watchdog = true, .watchdog_us = 0 } },
	{ "WATCHDOG_USEC=9223372036854775807",
	  { .has_watchdog = true, .watchdog_us = WATCHDOG_MAX_US } },
	{ "WATCHDOG_USEC=soon", { .has_watchdog = false } },
};

START_TEST(text_is_understood)
{
	g_autofree char *text = g_strdup(texts[_i].text);
	const NotifyMessage *expected = &texts[_i].expected;
	NotifyMessage message;

	ck_assert(notify_parse(text, strlen(text), &message));

	ck_assert_int_eq(message.ready, expected->ready);
	ck_assert_int_eq(message.stopping, expected->stopping);
	ck_assert_int_eq(message.reloading, expected->reloading);
	ck_assert_int_eq(message.main_pid, expected->main_pid);
	ck_assert_int_eq(message.errnum, expected->errnum);
	ck_assert_int_eq(message.extend_us, expected->extend_us);
	ck_assert_int_eq(message.is_alive, expected->is_alive);
	ck_assert_int_eq(message.is_in_trouble, expected->is_in_trouble);
	ck_assert_int_eq(message.has_watchdog, expected->has_watchdog);
	ck_assert_int_eq(message.watchdog_us, expected->watchdog_us);
	if (expected->status)
		ck_assert_str_eq(message.status, expected->status);
	else
		ck_assert_ptr_null(message.status);
}
END_TEST

START_TEST(longest_text_counts_and_one_byte_more_does_not)
{
	g_autofree char *text = g_strnfill(LIMIT_NOTIFY_BYTES + 1, 'x');
	NotifyMessage message;

	memcpy(text, "READY=1\nSTATUS=", 15);
	ck_assert(!notify_parse(text, LIMIT_NOTIFY_BYTES + 1, &message));
	text[LIMIT_NOTIFY_BYTES] = '\0';
	ck_assert(notify_parse(text, LIMIT_NOTIFY_BYTES, &message));
	ck_assert(message.ready);
	ck_assert_uint_eq(strlen(message.status), LIMIT_NOTIFY_BYTES - 15);
}
END_TEST

/* --- the socket --- */

typedef struct Ear {
	Tree *tree;
	char *path;
	NotifySocket *socket;
	int sender;
	NotifyTrust trust;
	bool keeps; /* READY=1 waits until its note is stored */
	unsigned n_ready;
	unsigned n_messages;
	unsigned n_requested;
	unsigned n_with_descriptors;
} Ear;

static NotifyTrust on_trust(void *data, pid_t pid)
{
	Ear *ear = data;

	ck_assert_int_eq(pid, getpid());
	ear->n_requested++;
	return ear->trust;
}

static bool on_message(void *data, const NotifyMessage *message)
{
	Ear *ear = data;

	ear->n_messages++;
	ear->n_ready += message->ready;
	return ear->keeps && message->ready;
}

static void on_descriptors(void *data)
{
	Ear *ear = data;

	ear->n_with_descriptors++;
}

static const NotifyListener listener = { .trust = on_trust,
					 .message = on_message,
					 .descriptors = on_descriptors };

static Ear *ear_new(void)
{
	Ear *ear = g_new0(Ear, 1);
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	g_autoptr(GError) error = NULL;

	ear->tree = tree_new();
	ear->path = notify_socket_path(ear->tree->root, "probe");
	ear->trust = NOTIFY_BELIEVED;
	ear->socket = notify_socket_new(ear->path, NOTIFY_ANY_USER, &listener, ear, &error);
	ck_assert_msg(ear->socket != NULL, "%s", error ? error->message : "?");
	ear->sender = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	g_strlcpy(address.sun_path, ear->path, sizeof address.sun_path);
	ck_assert_int_eq(connect(ear->sender, (struct sockaddr *)&address, sizeof address), 0);
	return ear;
}

static void ear_free(Ear *ear)
{
	notify_socket_free(ear->socket);
	fd_close(&ear->sender);
	tree_free(ear->tree);
	g_free(ear->path);
	g_free(ear);
}

static void send_message(const Ear *ear, const char *bytes, size_t length)
{
	ck_assert_int_eq(send(ear->sender, bytes, length, 0), (ssize_t)length);
}

static unsigned count_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned n = 0;

	while (readdir(dir))
		n++;
	(void)closedir(dir);
	return n;
}

START_TEST(bad_datagrams_are_counted_and_harm_nothing)
{
	Ear *ear = ear_new();
	g_autofree char *long_one = g_strnfill(LIMIT_NOTIFY_BYTES + 1, 'x');

	memcpy(long_one, "READY=1\n", 8);
	send_message(ear, "", 0);
	send_message(ear, "READY=1\0STATUS=x", 16);
	send_message(ear, long_one, LIMIT_NOTIFY_BYTES + 1);
	notify_socket_drain(ear->socket);

	ck_assert_uint_eq(ear->n_messages, 0);
	ck_assert_uint_eq(notify_socket_ignored(ear->socket), 3);
	ear_free(ear);
}
END_TEST

START_TEST(an_untrusted_sender_is_counted)
{
	Ear *ear = ear_new();

	ear->trust = NOTIFY_IGNORED;
	send_message(ear, "READY=1", 7);
	notify_socket_drain(ear->socket);

	ck_assert_uint_eq(ear->n_messages, 0);
	ck_assert_uint_eq(notify_socket_ignored(ear->socket), 1);
	ear_free(ear);
}
END_TEST

static void send_with_descriptors(const Ear *ear, const char *text)
{
	int fds[253];
	union {
		struct cmsghdr align;
		char space[CMSG_SPACE(sizeof fds)];
	} control = { .space = { 0 } };
	struct iovec iov = { .iov_base = (char *)text, .iov_len = strlen(text) };
	struct msghdr message = { .msg_iov = &iov,
				  .msg_iovlen = 1,
				  .msg_control = control.space,
				  .msg_controllen = sizeof control.space };
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);

	for (size_t i = 0; i < G_N_ELEMENTS(fds); i++)
		fds[i] = STDIN_FILENO;
	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(sizeof fds);
	memcpy(CMSG_DATA(header), fds, sizeof fds);
	ck_assert_int_eq(sendmsg(ear->sender, &message, 0), (ssize_t)strlen(text));
}

/* Another process receives the next message, which must be @expected. */
static void eat(Ear *ear, const char *expected)
{
	char text[16];

	ck_assert_int_eq(recv(notify_socket_fd(ear->socket), text, sizeof text, MSG_DONTWAIT),
			 (ssize_t)strlen(expected));
	ck_assert_mem_eq(text, expected, strlen(expected));
	notify_socket_eaten(ear->socket);
}

START_TEST(descriptors_are_never_received_but_the_message_counts)
{
	Ear *ear = ear_new();
	unsigned before = count_fds();

	send_with_descriptors(ear, "READY=1");
	send_message(ear, "STATUS=x", 8);
	notify_socket_drain(ear->socket);
	notify_socket_drain(ear->socket); /* the first message is not handled again */

	ck_assert_uint_eq(ear->n_ready, 1);
	ck_assert_uint_eq(ear->n_messages, 1);
	ck_assert_uint_eq(ear->n_with_descriptors, 1);
	ck_assert_uint_eq(count_fds(), before);

	eat(ear, "READY=1");
	notify_socket_drain(ear->socket);
	ck_assert_uint_eq(ear->n_messages, 2);
	ck_assert_uint_eq(ear->n_with_descriptors, 1);
	ear_free(ear);
}
END_TEST

START_TEST(descriptors_of_an_untrusted_sender_are_not_received)
{
	Ear *ear = ear_new();

	ear->trust = NOTIFY_IGNORED;
	send_with_descriptors(ear, "READY=1");
	notify_socket_drain(ear->socket);

	ck_assert_uint_eq(ear->n_messages, 0);
	ck_assert_uint_eq(ear->n_with_descriptors, 1);
	ck_assert_uint_eq(notify_socket_ignored(ear->socket), 1);
	ear_free(ear);
}
END_TEST

START_TEST(message_waits_until_its_service_is_known)
{
	Ear *ear = ear_new();

	ear->trust = NOTIFY_LOOKED_UP;
	send_message(ear, "READY=1", 7);
	send_message(ear, "READY=1", 7);
	notify_socket_drain(ear->socket);
	notify_socket_drain(ear->socket);
	ck_assert_uint_eq(ear->n_requested, 1);

	notify_socket_answered(ear->socket, true);
	notify_socket_drain(ear->socket); /* the second message needs a query of its own */
	ck_assert_uint_eq(ear->n_ready, 1);
	ck_assert_uint_eq(ear->n_requested, 2);

	notify_socket_answered(ear->socket, false);
	notify_socket_drain(ear->socket);
	ck_assert_uint_eq(ear->n_ready, 1);
	ck_assert_uint_eq(notify_socket_ignored(ear->socket), 1);
	ear_free(ear);
}
END_TEST

START_TEST(socket_belongs_to_one_user_or_to_all)
{
	Ear *ear = ear_new();
	NotifySocket *socket;
	struct stat st;

	ck_assert_int_eq(stat(ear->path, &st), 0);
	ck_assert_uint_eq(st.st_mode & 0777, 0666);

	socket = notify_socket_new(ear->path, geteuid() == 0 ? 65534 : geteuid(), &listener, ear,
				   NULL);
	ck_assert_ptr_nonnull(socket);
	ck_assert_int_eq(stat(ear->path, &st), 0);
	ck_assert_uint_eq(st.st_mode & 0777, 0600);
	ck_assert_uint_eq(st.st_uid, geteuid() == 0 ? 65534 : geteuid());
	notify_socket_free(socket);
	ear_free(ear);
}
END_TEST

/* Reading a flood takes several turns, loses nothing, and leaves time for other sources. */
START_TEST(flood_is_slowed_down_and_nothing_of_it_is_lost)
{
	Ear *ear = ear_new();
	unsigned n_sent = 0;
	int64_t deadline = loop_now() + DEADLINE_US;

	notify_socket_arm(ear->socket);
	while (n_sent < NOTIFY_BURST * 2 && loop_now() < deadline) {
		while (n_sent < NOTIFY_BURST * 2 &&
		       send(ear->sender, n_sent == 0 ? "READY=1" : "WATCHDOG=1", 7, 0) > 0)
			n_sent++;
		g_main_context_iteration(NULL, FALSE);
	}
	while (ear->n_messages < n_sent && loop_now() < deadline)
		g_main_context_iteration(NULL, TRUE);

	ck_assert_uint_eq(n_sent, NOTIFY_BURST * 2);
	ck_assert_uint_eq(ear->n_messages, n_sent);
	ck_assert_uint_eq(ear->n_ready, 1);
	ear_free(ear);
}
END_TEST

static void wait_messages(const Ear *ear, unsigned n)
{
	while (ear->n_messages < n)
		g_main_context_iteration(NULL, TRUE);
}

START_TEST(a_message_to_remember_stays_queued_until_it_is_noted)
{
	Ear *ear = ear_new();
	NotifySocket *next;

	ear->keeps = true;
	send_message(ear, "STATUS=x", 8);
	send_message(ear, "READY=1", 7);
	send_message(ear, "WATCHDOG=1", 10);
	notify_socket_arm(ear->socket);
	wait_messages(ear, 2);
	for (int turn = 0; turn < 5; turn++)
		g_main_context_iteration(NULL, FALSE);
	ck_assert_uint_eq(ear->n_messages, 2); /* the messages after it wait */

	/* The manager died, and the next manager reads the message again. */
	next = notify_socket_resume(fcntl(notify_socket_fd(ear->socket), F_DUPFD_CLOEXEC, 3),
				    &listener, ear);
	notify_socket_free(ear->socket);
	ear->socket = next;
	notify_socket_arm(next);
	wait_messages(ear, 3);
	ck_assert_uint_eq(ear->n_ready, 2);

	notify_socket_remembered(next);
	notify_socket_remembered(next); /* a second call does nothing */
	wait_messages(ear, 4);
	ck_assert_uint_eq(ear->n_ready, 2);
	ear_free(ear);
}
END_TEST

static void count_call(void *data)
{
	++*(unsigned *)data;
}

static void count_executed(void *data, bool has_ended)
{
	(void)has_ended;
	count_call(data);
}

static void count_failure(void *data, const struct ExecStatus *status)
{
	ck_assert_int_eq(status->error, ENOENT);
	++*(unsigned *)data;
}

/* Each reader of the channel plays a manager that died before PID 1 had its note. */
START_TEST(readiness_and_exec_status_are_read_by_each_manager)
{
	static const ReadyFdListener ready_listener = { .newline = count_call,
							.executed = count_executed,
							.exec_failed = count_failure };
	const struct ExecStatus status = { .error = ENOENT };
	const bool is_status = _i == READY_FD_EXEC_STATUS;
	unsigned n = 0;
	int ends[2];

	ck_assert_int_eq(channel_pair(ends), 0);
	if (is_status)
		ck_assert_int_eq(write(ends[1], &status, sizeof status), sizeof status);
	else
		ck_assert_int_eq(write(ends[1], "ready\n", 6), 6);
	fd_close(&ends[1]);
	for (unsigned manager = 1; manager <= 3; manager++) {
		ReadyFd *ready = ready_fd_new((ReadyFdKind)_i, fcntl(ends[0], F_DUPFD_CLOEXEC, 3),
					      &ready_listener, &n);

		ready_fd_drain(ready);
		ck_assert_uint_eq(n, manager);
		ready_fd_free(ready);
	}
	fd_close(&ends[0]);
}
END_TEST

START_TEST(long_name_gets_a_path_that_a_socket_can_have)
{
	g_autofree char *one = g_strnfill(LIMIT_NAME_BYTES, 'a');
	g_autofree char *two = g_strnfill(LIMIT_NAME_BYTES, 'a');
	g_autofree char *path_one = notify_socket_path("/run/svcd", one);
	g_autofree char *path_two = NULL;

	two[LIMIT_NAME_BYTES - 1] = 'b';
	path_two = notify_socket_path("/run/svcd", two);

	ck_assert_uint_lt(strlen(path_one), sizeof(((struct sockaddr_un *)NULL)->sun_path));
	ck_assert_str_ne(path_one, path_two);
}
END_TEST

START_TEST(short_name_is_the_path)
{
	g_autofree char *path = notify_socket_path("/run/svcd", "getty@tty1");

	ck_assert_str_eq(path, "/run/svcd/notify/getty@tty1");
}
END_TEST

/* --- pid files --- */

static const struct {
	const char *text;
	pid_t pid; /* 0: refused */
} pid_texts[] = {
	{ "812\n", 812 },
	{ "812", 812 },
	{ " 812 \n", 812 },
	{ "812\n813\n", 812 },
	{ "812\nwhatever", 812 },
	{ "4194304", 4194304 },
	{ "4194305", 0 },
	{ "1\n", 0 },
	{ "0\n", 0 },
	{ "-812\n", 0 },
	{ "+812\n", 0 },
	{ "0x32c\n", 0 },
	{ "812abc\n", 0 },
	{ "8 12\n", 0 },
	{ "\n812\n", 0 },
	{ "", 0 },
	{ "99999999999999999999\n", 0 },
};

START_TEST(pid_text_is_read_or_refused)
{
	pid_t pid = 0;

	ck_assert_int_eq(pidfile_parse(pid_texts[_i].text, &pid), pid_texts[_i].pid != 0);
	ck_assert_int_eq(pid, pid_texts[_i].pid);
}
END_TEST

static void expect_no_pid(const Tree *tree, const char *path, const char *before, const char *after)
{
	g_autofree char *whole = tree_path(tree, path);
	g_autofree char *expected = g_strconcat(before, whole, after, NULL);
	g_autoptr(GError) error = NULL;
	uid_t owner;
	pid_t pid;

	ck_assert(!pidfile_read(whole, &pid, &owner, &error));
	ck_assert_str_eq(error->message, expected);
}

START_TEST(what_is_not_a_pid_file_is_refused_without_waiting)
{
	g_autoptr(Tree) tree = tree_new();
	g_autofree char *fifo = tree_path(tree, "/fifo");
	g_autofree char *mkfifo_command = g_strdup_printf("mkfifo %s", fifo);

	tree_write(tree, "/real", "812\n");
	tree_symlink(tree, "real", "/link");
	tree_mkdir(tree, "/directory");
	tree_write(tree, "/empty", "");
	tree_write_bytes(tree, "/nul", "81\0002\n", 5);
	ck_assert_int_eq(system(mkfifo_command), 0);

	expect_no_pid(tree, "/absent", "cannot open ", ": No such file or directory");
	expect_no_pid(tree, "/link", "cannot open ", ": Too many levels of symbolic links");
	expect_no_pid(tree, "/directory", "", " is not a regular file");
	expect_no_pid(tree, "/fifo", "", " is not a regular file");
	expect_no_pid(tree, "/empty", "", " does not contain a process ID");
	expect_no_pid(tree, "/nul", "", " does not contain a process ID");
}
END_TEST

START_TEST(huge_pid_file_is_read_to_its_first_line)
{
	g_autoptr(Tree) tree = tree_new();
	g_autofree char *rest = g_strnfill(100000, 'x');
	g_autofree char *text = g_strdup_printf("812\n%s", rest);
	g_autofree char *path = tree_path(tree, "/pid");
	uid_t owner;
	pid_t pid;

	tree_write(tree, "/pid", text);

	ck_assert(pidfile_read(path, &pid, &owner, NULL));
	ck_assert_int_eq(pid, 812);
	ck_assert_uint_eq(owner, geteuid());
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("notify socket, pid file");

	suite_add_loop(suite, "text", text_is_understood, G_N_ELEMENTS(texts));
	ADD_CASE(suite, "text", longest_text_counts_and_one_byte_more_does_not);
	ADD_CASE(suite, "socket", bad_datagrams_are_counted_and_harm_nothing,
		 an_untrusted_sender_is_counted,
		 descriptors_are_never_received_but_the_message_counts,
		 descriptors_of_an_untrusted_sender_are_not_received,
		 message_waits_until_its_service_is_known, socket_belongs_to_one_user_or_to_all,
		 flood_is_slowed_down_and_nothing_of_it_is_lost,
		 a_message_to_remember_stays_queued_until_it_is_noted,
		 long_name_gets_a_path_that_a_socket_can_have, short_name_is_the_path);
	suite_add_loop(suite, "pipe", readiness_and_exec_status_are_read_by_each_manager, 2);
	suite_add_loop(suite, "pid file", pid_text_is_read_or_refused, G_N_ELEMENTS(pid_texts));
	ADD_CASE(suite, "pid file", what_is_not_a_pid_file_is_refused_without_waiting,
		 huge_pid_file_is_read_to_its_first_line);
	return suite;
}
