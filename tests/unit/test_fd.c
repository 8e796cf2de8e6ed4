/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <check.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

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
	ck_assert(!fd_set_nonblocking(-1, true));
}
END_TEST

START_TEST(links_and_dots_stay_below_the_root)
{
	g_autoptr(Tree) tree = tree_new();
	auto_fd int root = open(tree->root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct stat inside;
	struct stat st;

	tree_write(tree, "/etc/passwd", "of the tree");
	tree_symlink(tree, "/etc/passwd", "/absolute");
	tree_symlink(tree, "../../../../../../../etc/passwd", "/dots");
	ck_assert_int_eq(fstatat(root, "etc/passwd", &inside, 0), 0);
	for (const char *const *path =
		     (const char *const[]){ "/etc/passwd", "absolute", "dots", NULL };
	     *path; path++) {
		auto_fd int fd = fd_open_in_root(root, *path, O_RDONLY);

		ck_assert_msg(fd >= 0 && fstat(fd, &st) == 0, "%s: %s", *path, g_strerror(errno));
		ck_assert_msg(st.st_ino == inside.st_ino && st.st_dev == inside.st_dev,
			      "%s leads out", *path);
		ck_assert_int_eq(fcntl(fd, F_GETFD), FD_CLOEXEC);
	}
	ck_assert_int_lt(fd_open_in_root(root, "none", O_RDONLY), 0);
	ck_assert_int_eq(errno, ENOENT);
}
END_TEST

static pid_t spawn_renamer(const Tree *tree)
{
	g_autofree char *old = tree_path(tree, "/old");
	g_autofree char *new = tree_path(tree, "/new");
	pid_t pid;

	tree_write(tree, "/old", "");
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid > 0)
		return pid;
	while (rename(old, new) == 0 && rename(new, old) == 0)
		;
	_exit(1);
}

START_TEST(a_rename_elsewhere_makes_no_open_fail)
{
	g_autoptr(Tree) tree = tree_new();
	auto_fd int root = open(tree->root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	const pid_t renamer = spawn_renamer(tree);

	tree_write(tree, "/init.d/a", "");
	tree_symlink(tree, "../init.d/a", "/rc2.d/S01a");
	for (unsigned i = 0; i < 200000; i++) {
		auto_fd int fd = fd_open_in_root(root, "rc2.d/S01a", O_PATH);

		ck_assert_msg(fd >= 0, "open %u: %s", i, g_strerror(errno));
	}
	ck_assert_int_eq(waitpid(renamer, NULL, WNOHANG), 0); /* the renamer still runs */
	ck_assert_int_eq(kill(renamer, SIGKILL), 0);
	ck_assert_int_eq(waitpid(renamer, NULL, 0), renamer);
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

START_TEST(a_missing_file_is_reported_with_its_name_and_the_cause)
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

START_TEST(a_file_that_cannot_be_replaced_is_reported_and_kept)
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
		 flags_are_set_and_taken_away, links_and_dots_stay_below_the_root,
		 a_rename_elsewhere_makes_no_open_fail, a_file_is_read_up_to_its_limit,
		 a_fifo_does_not_hold_the_reader,
		 a_missing_file_is_reported_with_its_name_and_the_cause,
		 a_replaced_file_has_the_new_text_and_mode_and_leaves_nothing_behind,
		 a_file_that_cannot_be_replaced_is_reported_and_kept);
	return suite;
}
