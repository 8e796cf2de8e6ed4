/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * udevd's presence: its control socket and its directory are created, removed and created again.
 */
#include "config.h"

#include <check.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "loop/loop.h"
#include "providers/udev-daemon.h"
#include "tests/lib/deadline.h"
#include "tests/lib/scratch.h"
#include "tests/lib/socket-look.h"
#include "tests/lib/suite.h"

static char *parent;
static char *directory;
static char *control;
static UdevDaemon *daemon_there;
static GString *reported;
static int listening = -1;

static void on_changed(void *data, bool is_there)
{
	(void)data;
	g_string_append_c(reported, is_there ? '+' : '-');
}

static void set_up(void)
{
	parent = scratch_new();
	directory = g_build_filename(parent, "udev", NULL);
	control = g_build_filename(directory, "control", NULL);
	reported = g_string_new(NULL);
}

static void tear_down(void)
{
	udev_daemon_free(daemon_there);
	fd_close(&listening);
	scratch_free(parent);
	g_free(directory);
	g_free(control);
	(void)g_string_free(reported, TRUE);
}

static void look_out(void)
{
	const int64_t end = loop_now() + DEADLINE_US;

	daemon_there = udev_daemon_new(directory, &socket_look, on_changed, NULL);
	while (reported->len == 0 && loop_now() < end)
		g_main_context_iteration(NULL, FALSE);
	ck_assert_str_eq(reported->str, udev_daemon_is_there(daemon_there) ? "+" : "-");
	g_string_truncate(reported, 0);
}

static void make_directory(void)
{
	ck_assert_int_eq(g_mkdir(directory, 0755), 0);
}

static int bind_socket(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	ck_assert_uint_lt(strlen(control), sizeof address.sun_path);
	strcpy(address.sun_path, control);
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
	return fd;
}

static void make_socket(void)
{
	fd_close(&listening);
	listening = bind_socket();
	ck_assert_int_eq(listen(listening, 8), 0);
}

/* Another process listens until it is killed, and leaves its socket behind. */
static pid_t start_daemon(void)
{
	int ready[2];
	char byte;
	pid_t pid;

	ck_assert_int_eq(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		int fd = bind_socket();

		if (listen(fd, 8) < 0 || write(ready[1], "x", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	ck_assert_int_eq(read(ready[0], &byte, 1), 1);
	(void)close(ready[0]);
	(void)close(ready[1]);
	return pid;
}

static void end_daemon(pid_t pid)
{
	ck_assert_int_eq(kill(pid, SIGKILL), 0);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}

/* Handles all events until the report @expected. */
static void expect(const char *expected)
{
	const int64_t end = loop_now() + DEADLINE_US;

	while (reported->len < strlen(expected) && loop_now() < end)
		g_main_context_iteration(NULL, FALSE);
	while (g_main_context_iteration(NULL, FALSE))
		;
	ck_assert_str_eq(reported->str, expected);
	g_string_truncate(reported, 0);
}

START_TEST(it_was_there_before)
{
	make_directory();
	make_socket();

	look_out();

	ck_assert(udev_daemon_is_there(daemon_there));
	expect("");
}
END_TEST

START_TEST(it_comes_and_goes)
{
	make_directory();
	look_out();
	ck_assert(!udev_daemon_is_there(daemon_there));

	make_socket();
	expect("+");
	ck_assert(udev_daemon_is_there(daemon_there));

	ck_assert_int_eq(unlink(control), 0);
	expect("-");
	ck_assert(!udev_daemon_is_there(daemon_there));
}
END_TEST

START_TEST(its_directory_is_made_with_it)
{
	look_out();

	make_directory();
	make_socket();
	expect("+");
}
END_TEST

/* Causes more events than one turn reads. */
static void fill_queue(void)
{
	for (int i = 0; i < 1000; i++) {
		g_autofree char *path = g_strdup_printf("%s/other-%d", directory, i);

		ck_assert(g_file_set_contents(path, "", 0, NULL));
	}
}

START_TEST(a_socket_that_exists_before_its_event_is_reported_once)
{
	make_directory();
	ck_assert(g_file_set_contents(control, "", 0, NULL));
	look_out();

	ck_assert_int_eq(unlink(control), 0); /* this event is read when the new socket exists */
	fill_queue();
	make_socket();
	expect("+");
}
END_TEST

START_TEST(its_directory_is_made_long_before_it)
{
	look_out();

	make_directory();
	expect("");
	make_socket();
	expect("+");
}
END_TEST

START_TEST(its_directory_is_removed_and_made_again)
{
	make_directory();
	make_socket();
	look_out();

	ck_assert_int_eq(unlink(control), 0);
	ck_assert_int_eq(rmdir(directory), 0);
	expect("-");

	make_directory();
	make_socket();
	expect("+");
}
END_TEST

START_TEST(a_socket_made_anew_is_another_daemon)
{
	make_directory();
	make_socket();
	look_out();

	ck_assert_int_eq(unlink(control), 0);
	make_socket();

	expect("+");
}
END_TEST

START_TEST(it_is_killed_and_its_socket_stays)
{
	pid_t pid;

	make_directory();
	look_out();
	pid = start_daemon();
	expect("+");

	end_daemon(pid);
	expect("-");
	ck_assert(g_file_test(control, G_FILE_TEST_EXISTS));

	ck_assert_int_eq(unlink(control), 0);
	pid = start_daemon();
	expect("+");
	end_daemon(pid);
}
END_TEST

START_TEST(a_socket_that_was_left_behind_is_no_daemon)
{
	make_directory();
	end_daemon(start_daemon());

	look_out();

	ck_assert(!udev_daemon_is_there(daemon_there));
}
END_TEST

START_TEST(it_listens_a_moment_after_its_socket_is_there)
{
	make_directory();
	look_out();

	listening = bind_socket();
	expect("");
	ck_assert_int_eq(listen(listening, 8), 0);

	expect("+");
}
END_TEST

START_TEST(other_files_cause_no_report)
{
	g_autofree char *other = g_build_filename(directory, "queue", NULL);

	make_directory();
	make_socket();
	look_out();

	ck_assert(g_file_set_contents(other, "", 0, NULL));

	expect("");
}
END_TEST

START_TEST(a_plain_file_is_no_daemon)
{
	make_directory();
	look_out();

	ck_assert(g_file_set_contents(control, "", 0, NULL));

	expect("");
	ck_assert(!udev_daemon_is_there(daemon_there));
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("udev-daemon");

	ADD_CASE_AROUND(suite, "udev-daemon", set_up, tear_down, it_was_there_before,
			it_comes_and_goes, its_directory_is_made_with_it,
			its_directory_is_made_long_before_it,
			a_socket_that_exists_before_its_event_is_reported_once,
			its_directory_is_removed_and_made_again,
			a_socket_made_anew_is_another_daemon, it_is_killed_and_its_socket_stays,
			a_socket_that_was_left_behind_is_no_daemon,
			it_listens_a_moment_after_its_socket_is_there, other_files_cause_no_report,
			a_plain_file_is_no_daemon);
	return suite;
}
