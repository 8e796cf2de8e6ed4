/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <check.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/errors.h"
#include "base/fd.h"
#include "tests/lib/suite.h"
#include "tests/lib/tree.h"

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

START_TEST(an_auto_fd_closes_with_its_block_unless_it_was_handed_over)
{
	int closed;
	int kept;

	{
		auto_fd int one = open("/dev/null", O_RDONLY | O_CLOEXEC);
		auto_fd int two = open("/dev/null", O_RDONLY | O_CLOEXEC);

		closed = one;
		kept = fd_steal(&two);
		ck_assert_int_eq(two, -1);
	}
	ck_assert(!is_open(closed));
	ck_assert(is_open(kept));
	fd_close(&kept);
	ck_assert_int_eq(kept, -1);
	fd_close(&kept);
}
END_TEST

START_TEST(flags_are_set_and_taken_away)
{
	auto_fd int fd = open("/dev/null", O_RDONLY);

	ck_assert(fd_set_nonblocking(fd, true) && (fcntl(fd, F_GETFL) & O_NONBLOCK));
	ck_assert(fd_set_nonblocking(fd, false) && !(fcntl(fd, F_GETFL) & O_NONBLOCK));
	ck_assert(fd_set_cloexec(fd, true) && (fcntl(fd, F_GETFD) & FD_CLOEXEC));
	ck_assert(fd_set_cloexec(fd, false) && !(fcntl(fd, F_GETFD) & FD_CLOEXEC));
	ck_assert(!fd_set_nonblocking(-1, true));
}
END_TEST

START_TEST(a_file_is_read_up_to_its_limit)
{
	g_autoptr(Tree) tree = tree_new();
	g_autofree char *path = tree_path(tree, "/a");
	g_autofree char *expected = g_strdup_printf("%s is longer than 4 bytes", path);
	g_autoptr(GError) error = NULL;
	g_autoptr(GBytes) bytes = NULL;

	tree_write(tree, "/a", "12345");
	bytes = file_read_bounded(path, 5, &error);
	ck_assert_ptr_nonnull(bytes);
	ck_assert_uint_eq(g_bytes_get_size(bytes), 5);
	ck_assert_ptr_null(file_read_bounded(path, 4, &error));
	ck_assert_str_eq(error->message, expected);
	ck_assert(g_error_matches(error, SVCD_ERROR_DOMAIN, SVCD_ERROR_LIMIT_REACHED));
}
END_TEST

START_TEST(a_fifo_does_not_hold_the_reader)
{
	g_autoptr(Tree) tree = tree_new();
	g_autofree char *path = tree_path(tree, "/fifo");
	g_autofree char *expected = g_strdup_printf("%s is not a regular file", path);
	g_autoptr(GError) error = NULL;

	ck_assert_int_eq(mkfifo(path, 0600), 0);
	ck_assert_ptr_null(file_read_bounded(path, 100, &error));
	ck_assert_str_eq(error->message, expected);
}
END_TEST

START_TEST(a_missing_file_is_told_with_its_name_and_the_cause)
{
	g_autoptr(GError) error = NULL;

	ck_assert_ptr_null(file_read_bounded("/nowhere/at/all", 100, &error));
	ck_assert_str_eq(error->message, "cannot open /nowhere/at/all: No such file or directory");
}
END_TEST

START_TEST(a_replaced_file_has_the_new_text_and_mode_and_leaves_nothing_behind)
{
	g_autoptr(Tree) tree = tree_new();
	g_autofree char *path = tree_path(tree, "/dir/file");
	g_autofree char *parent = tree_path(tree, "/dir");
	g_autofree char *text = NULL;
	g_autoptr(GError) error = NULL;
	g_autoptr(GDir) dir = NULL;
	struct stat st;

	ck_assert(directory_ensure(parent, &error));
	ck_assert(directory_ensure(parent, &error));
	ck_assert(file_replace(path, "old", 0600, &error));
	ck_assert(file_replace(path, "new\n", 0644, &error));
	ck_assert(g_file_get_contents(path, &text, NULL, NULL));
	ck_assert_str_eq(text, "new\n");
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_uint_eq(st.st_mode & 07777, 0644);
	dir = g_dir_open(parent, 0, NULL);
	ck_assert_str_eq(g_dir_read_name(dir), "file");
	ck_assert_ptr_null(g_dir_read_name(dir));
}
END_TEST

START_TEST(a_file_that_cannot_be_replaced_is_told_and_left_alone)
{
	g_autoptr(Tree) tree = tree_new();
	g_autofree char *path = tree_path(tree, "/dir");
	g_autofree char *expected = g_strdup_printf("cannot write %s: Is a directory", path);
	g_autoptr(GError) error = NULL;

	tree_write(tree, "/dir/file", "kept");
	ck_assert(!file_replace(path, "new", 0644, &error));
	ck_assert_str_eq(error->message, expected);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("fd");

	ADD_CASE(suite, "fd", an_auto_fd_closes_with_its_block_unless_it_was_handed_over,
		 flags_are_set_and_taken_away, a_file_is_read_up_to_its_limit, a_fifo_does_not_hold_the_reader,
		 a_missing_file_is_told_with_its_name_and_the_cause,
		 a_replaced_file_has_the_new_text_and_mode_and_leaves_nothing_behind,
		 a_file_that_cannot_be_replaced_is_told_and_left_alone);
	return suite;
}
