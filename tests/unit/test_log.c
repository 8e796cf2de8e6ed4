/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Log: lines while another process owns the console, and while there is no time to write them. One
 * sink is the kernel's log, the other is not.
 */
#include "config.h"

#include <check.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/log.h"
#include "tests/lib/suite.h"

/* All bytes since the last call. */
static const char *written(int fd)
{
	static char text[64 * 1024];
	const ssize_t n = read(fd, text, sizeof text - 1);

	text[MAX(n, 0)] = '\0';
	return text;
}

/* Returns: the end to read. The log has the other end. */
static int open_log(gboolean is_kmsg)
{
	int ends[2];

	ck_assert_int_eq(pipe(ends), 0);
	ck_assert(fd_set_nonblocking(ends[0], true));
	log_open("test", ends[1], is_kmsg);
	return ends[0];
}

START_TEST(held_lines_wait_and_come_in_their_order)
{
	const int fd = open_log(FALSE);

	log_error(NULL, "before");
	log_hold(true);
	log_error("a", "failed");
	log_notice(NULL, "news");
	ck_assert_str_eq(written(fd), "test: before\n");
	log_hold(false);
	log_notice(NULL, "after");
	ck_assert_str_eq(written(fd), "test: a: failed\ntest: news\ntest: after\n");
}
END_TEST

START_TEST(held_lines_beyond_32_kib_are_counted)
{
	const int fd = open_log(FALSE);
	g_autofree char *long_text = g_strnfill(800, 'x');
	g_auto(GStrv) lines = NULL;
	guint n;

	log_hold(true);
	for (int i = 0; i < 60; i++)
		log_notice(NULL, "%s", long_text);
	log_hold(false);
	log_notice(NULL, "after");
	lines = g_strsplit(written(fd), "\n", -1);
	n = g_strv_length(lines);
	ck_assert_uint_eq(n, 40 + 2 + 1);
	ck_assert_str_eq(lines[n - 3], "test: 20 lines could not be written");
	ck_assert_str_eq(lines[n - 2], "test: after");
}
END_TEST

START_TEST(the_kernels_log_has_held_lines_at_once_and_out_of_sight)
{
	const int fd = open_log(TRUE);

	log_error(NULL, "before");
	log_hold(true);
	log_error("a", "failed");
	log_notice(NULL, "news");
	ck_assert_str_eq(written(fd), "<27>test: before\n<31>test: a: failed\n<31>test: news\n");
	log_hold(false);
	log_error(NULL, "after");
	ck_assert_str_eq(written(fd),
			 "<29>test: 2 lines were kept off the console; dmesg(1) shows them\n"
			 "<27>test: after\n");
}
END_TEST

START_TEST(releasing_an_empty_log_writes_nothing)
{
	const int fd = open_log(TRUE);

	log_hold(true);
	log_hold(false);
	log_hold(false);
	ck_assert_str_eq(written(fd), "");
}
END_TEST

START_TEST(postponed_lines_are_written_when_there_is_time)
{
	for (int is_kmsg = 0; is_kmsg < 2; is_kmsg++) {
		const int fd = open_log(is_kmsg);
		const char *tag = is_kmsg ? "<29>" : "";
		g_autofree char *all =
			g_strdup_printf("%stest: a: ready\n%stest: b: ready\n", tag, tag);

		log_put_off();
		log_notice("a", "ready");
		log_notice("b", "ready");
		ck_assert_str_eq(written(fd), "");
		log_catch_up();
		ck_assert_str_eq(written(fd), all);
		log_notice("b", "done");
		ck_assert_ptr_nonnull(strstr(written(fd), "test: b: done\n"));
	}
}
END_TEST

START_TEST(an_urgent_line_writes_all_postponed_lines)
{
	const int fd = open_log(FALSE);

	log_put_off();
	log_notice("a", "ready");
	log_warning("b", "failed");
	ck_assert_str_eq(written(fd), "test: a: ready\ntest: b: failed\n");
}
END_TEST

START_TEST(no_postponed_line_is_lost)
{
	const int fd = open_log(FALSE);
	g_autofree char *long_text = g_strnfill(800, 'x');
	g_auto(GStrv) lines = NULL;

	log_put_off();
	for (int i = 0; i < 60; i++)
		log_notice(NULL, "%s", long_text);
	log_catch_up();
	lines = g_strsplit(written(fd), "\n", -1);
	ck_assert_uint_eq(g_strv_length(lines), 60 + 1);
}
END_TEST

/*
 * A console without a reader: the lines that do not fit are counted, and each written line is
 * complete.
 */
START_TEST(lines_that_find_no_room_are_counted_one_by_one)
{
	g_autofree char *long_text = g_strnfill(800, 'x');
	char message[64 * 1024];
	ssize_t n;
	unsigned n_lines = 0;
	int ends[2];

	ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
	ck_assert_int_ge(fcntl(ends[1], F_SETPIPE_SZ, 8192), 0);
	log_open("test", ends[1], FALSE);
	log_put_off();
	for (int i = 0; i < 30; i++)
		log_notice(NULL, "%s", long_text);
	log_catch_up();
	n = read(ends[0], message, sizeof message - 1);
	ck_assert_int_gt(n, 0);
	message[n] = '\0';
	for (const char *line = message; *line; line += strcspn(line, "\n") + 1, n_lines++)
		ck_assert_uint_eq(strcspn(line, "\n"), strlen("test: ") + 800);
	ck_assert_uint_lt(n_lines, 30);

	log_notice(NULL, "on");
	n = read(ends[0], message, sizeof message - 1);
	ck_assert_int_gt(n, 0);
	message[n] = '\0';
	ck_assert_uint_eq((unsigned)atoi(message + strlen("test: ")), 30 - n_lines);
	ck_assert_ptr_nonnull(strstr(message, " lines could not be written\ntest: on\n"));
	log_open("test", -1, FALSE);
	(void)close(ends[0]);
	(void)close(ends[1]);
}
END_TEST

START_TEST(catching_up_writes_no_held_line)
{
	const int fd = open_log(FALSE);

	log_hold(true);
	log_put_off();
	log_notice("a", "ready");
	log_catch_up();
	ck_assert_str_eq(written(fd), "");
	log_hold(false);
	ck_assert_str_eq(written(fd), "test: a: ready\n");
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("log");

	ADD_CASE(suite, "held", held_lines_wait_and_come_in_their_order,
		 held_lines_beyond_32_kib_are_counted,
		 the_kernels_log_has_held_lines_at_once_and_out_of_sight,
		 releasing_an_empty_log_writes_nothing);
	ADD_CASE(suite, "put off", postponed_lines_are_written_when_there_is_time,
		 an_urgent_line_writes_all_postponed_lines, no_postponed_line_is_lost,
		 lines_that_find_no_room_are_counted_one_by_one, catching_up_writes_no_held_line);
	return suite;
}
