/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The files of svc-logger, and their lines.
 */
#include "config.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/limits.h"
#include "logger/line.h"
#include "logger/log-file.h"
#include "tests/lib/suite.h"
#include "tests/lib/tree.h"

/* --- lines --- */

static const struct {
	const char *bytes;
	size_t length;
	const char *line;
} lines[] = {
	{ "hello", 5, "T hello\n" },
	{ "", 0, "T \n" },
	{ "a\tb", 3, "T a\tb\n" },
	{ "a\0b", 3, "T a\\x00b\n" },
	{ "\033[31mred", 8, "T \\x1b[31mred\n" },
	{ "dos\r", 4, "T dos\n" },
	{ "over\rwrite", 10, "T over\\x0dwrite\n" },
	{ "\177", 1, "T \\x7f\n" },
	{ "gr\303\274n", 5, "T gr\303\274n\n" },
	{ "\377\376", 2, "T \377\376\n" },
};

START_TEST(bytes_become_a_line)
{
	g_autoptr(GString) out = g_string_new(NULL);

	line_append(out, "T", lines[_i].bytes, lines[_i].length);

	ck_assert_str_eq(out->str, lines[_i].line);
}
END_TEST

START_TEST(time_is_written_in_utc_with_milliseconds)
{
	char stamp[40];

	line_stamp(stamp, sizeof stamp, 0);
	ck_assert_str_eq(stamp, "1970-01-01T00:00:00.000Z");
	line_stamp(stamp, sizeof stamp, 1795257067042999);
	ck_assert_str_eq(stamp, "2026-11-21T10:31:07.042Z");
}
END_TEST

/* --- files --- */

static const char *const bad_names[] = { "", ".", "..", ".hidden", "a/b", "/a", "../a" };

START_TEST(name_that_is_no_file_name_is_refused)
{
	ck_assert(!log_file_name_is_safe(bad_names[_i]));
}
END_TEST

START_TEST(long_file_is_rotated_once)
{
	g_autoptr(Tree) tree = tree_new();
	auto_fd int fd = open(tree->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	g_autofree char *line = g_strnfill(1024, 'x');
	g_autofree char *now = NULL;
	g_autofree char *before = NULL;

	line[1023] = '\n';
	for (int i = 0; i < LIMIT_LOG_BYTES / 1024 * 3 + 1; i++) {
		line[0] = (char)('A' + i * 1024 / LIMIT_LOG_BYTES);
		ck_assert_int_eq(log_file_append(fd, "probe", line, 1024), 0);
	}
	now = tree_read(tree, "/probe.log");
	before = tree_read(tree, "/probe.log.1");

	ck_assert_uint_eq(strlen(now), 1024);
	ck_assert_int_eq(now[0], 'D');
	ck_assert_uint_eq(strlen(before), LIMIT_LOG_BYTES);
	ck_assert_int_eq(before[0], 'C');
}
END_TEST

START_TEST(half_a_line_of_a_killed_logger_is_ended)
{
	g_autoptr(Tree) tree = tree_new();
	auto_fd int fd = open(tree->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	g_autofree char *text = NULL;

	tree_write(tree, "/probe.log", "whole\nha");
	ck_assert_int_eq(log_file_append(fd, "probe", "half\n", 5), 0);
	text = tree_read(tree, "/probe.log");

	ck_assert_str_eq(text, "whole\nha\nhalf\n");
}
END_TEST

START_TEST(what_is_not_a_regular_file_is_not_written_to)
{
	g_autoptr(Tree) tree = tree_new();
	auto_fd int fd = open(tree->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	g_autofree char *fifo = tree_path(tree, "/fifo.log");

	tree_write(tree, "/target", "");
	tree_symlink(tree, "target", "/link.log");
	tree_mkdir(tree, "/directory.log");
	ck_assert_int_eq(mkfifo(fifo, 0600), 0);

	ck_assert_int_eq(log_file_append(fd, "link", "x\n", 2), ELOOP);
	ck_assert_int_eq(log_file_append(fd, "directory", "x\n", 2), EISDIR);
	ck_assert_int_eq(log_file_append(fd, "fifo", "x\n", 2), EINVAL);
	ck_assert_int_eq(log_file_append(fd, "a/b", "x\n", 2), EINVAL);
}
END_TEST

static void expect_group(const Tree *tree, const char *path, gid_t group)
{
	g_autofree char *whole = tree_path(tree, path);
	struct stat st;

	ck_assert_int_eq(stat(whole, &st), 0);
	ck_assert_int_eq((int)st.st_gid, (int)group);
	ck_assert_int_eq((int)(st.st_mode & 07777), 0640);
}

/* Only root can give a file to a foreign group. For other users the call fails with EPERM. */
START_TEST(a_log_is_readable_by_its_group_also_after_a_rotation)
{
	g_autoptr(Tree) tree = tree_new();
	auto_fd int fd = open(tree->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	g_autofree char *line = g_strnfill(1024, 'x');

	line[1023] = '\n';
	if (geteuid() != 0) {
		ck_assert_int_eq(log_file_set_group(fd, "probe", 12345), EPERM);
		return;
	}
	ck_assert_int_eq(log_file_set_group(fd, "probe", 12345), 0); /* before the first line */
	for (int i = 0; i < LIMIT_LOG_BYTES / 1024 + 1; i++)
		ck_assert_int_eq(log_file_append(fd, "probe", line, 1024), 0);
	expect_group(tree, "/probe.log", 12345);
	expect_group(tree, "/probe.log.1", 12345);

	ck_assert_int_eq(log_file_set_group(fd, "probe", 0), 0);
	expect_group(tree, "/probe.log", 0);
	expect_group(tree, "/probe.log.1", 0);
}
END_TEST

START_TEST(no_group_makes_no_file_and_no_link_is_followed)
{
	g_autoptr(Tree) tree = tree_new();
	auto_fd int fd = open(tree->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	tree_write(tree, "/target", "");
	tree_symlink(tree, "target", "/link.log");
	ck_assert_int_eq(log_file_set_group(fd, "probe", 0), 0);
	ck_assert(faccessat(fd, "probe.log", F_OK, 0) < 0);
	ck_assert_int_eq(log_file_set_group(fd, "link", 12345), ELOOP);
	ck_assert_int_eq(log_file_set_group(fd, "link", 0), ELOOP);
	ck_assert_int_eq(log_file_set_group(fd, "../x", 12345), EINVAL);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("log-file");

	suite_add_loop(suite, "lines", bytes_become_a_line, G_N_ELEMENTS(lines));
	suite_add_loop(suite, "names", name_that_is_no_file_name_is_refused,
		       G_N_ELEMENTS(bad_names));
	ADD_CASE(suite, "files", time_is_written_in_utc_with_milliseconds,
		 long_file_is_rotated_once, half_a_line_of_a_killed_logger_is_ended,
		 what_is_not_a_regular_file_is_not_written_to,
		 a_log_is_readable_by_its_group_also_after_a_rotation,
		 no_group_makes_no_file_and_no_link_is_followed);
	return suite;
}
