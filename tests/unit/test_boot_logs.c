/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Boot logs: which lines are copied, with which permissions, and the result on a full disk.
 */
#include "config.h"

#include <check.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "svcctl/boot-logs.h"
#include "tests/lib/suite.h"
#include "tests/lib/tree.h"

static bool save(const Tree *tree, GError **error)
{
	g_autofree char *from = tree_path(tree, "/run");
	g_autofree char *to = tree_path(tree, "/kept");

	return boot_logs_save(from, to, error);
}

static Tree *make_tree(void)
{
	Tree *tree = tree_new();

	tree_mkdir(tree, "/kept");
	tree_write(tree, "/run/web.log.1", "older\n");
	tree_write(tree, "/run/web.log", "newer\n");
	return tree;
}

static struct stat stat_of(const Tree *tree, const char *name)
{
	g_autofree char *path = tree_path(tree, name);
	struct stat st;

	ck_assert_int_eq(lstat(path, &st), 0);
	return st;
}

START_TEST(a_copy_has_the_lines_of_both_files_and_is_not_for_other_users)
{
	g_autoptr(Tree) tree = make_tree();
	g_autofree char *copy = NULL;

	ck_assert(save(tree, NULL));

	copy = tree_read(tree, "/kept/web.log");
	ck_assert_str_eq(copy, "older\nnewer\n");
	ck_assert_uint_eq(stat_of(tree, "/kept/web.log").st_mode & 07777, 0640);
	ck_assert_uint_eq(stat_of(tree, "/kept/web.log").st_gid,
			  stat_of(tree, "/run/web.log").st_gid);
}
END_TEST

START_TEST(a_copy_is_replaced_only_if_its_source_has_changed)
{
	g_autoptr(Tree) tree = make_tree();
	struct stat first;
	g_autofree char *copy = NULL;

	ck_assert(save(tree, NULL));
	first = stat_of(tree, "/kept/web.log");
	ck_assert(save(tree, NULL));
	ck_assert_uint_eq(stat_of(tree, "/kept/web.log").st_ino, first.st_ino);

	tree_write(tree, "/run/web.log", "newer\nnewest\n");
	ck_assert(save(tree, NULL));
	copy = tree_read(tree, "/kept/web.log");
	ck_assert_str_eq(copy, "older\nnewer\nnewest\n");
}
END_TEST

START_TEST(only_whole_lines_at_the_end_of_a_long_log_are_kept)
{
	g_autoptr(Tree) tree = make_tree();
	g_autofree char *line = g_strnfill(BOOT_LOG_BYTES / 4, 'x');
	g_autofree char *text = g_strdup_printf("%s\n%s\n%s\n%s\nlast\n", line, line, line, line);
	g_autofree char *expected = g_strdup_printf("%s\n%s\n%s\nlast\n", line, line, line);
	g_autofree char *copy = NULL;

	tree_write(tree, "/run/web.log", text);
	ck_assert(save(tree, NULL));

	copy = tree_read(tree, "/kept/web.log");
	ck_assert_str_eq(copy, expected);
}
END_TEST

START_TEST(many_long_logs_share_the_space_of_one_boot)
{
	g_autoptr(Tree) tree = make_tree();
	g_autoptr(GString) text = g_string_new(NULL);
	off_t sum = 0;

	while (text->len < BOOT_LOG_BYTES)
		g_string_append(text, "a line of a service\n");
	for (unsigned i = 0; i < 40; i++) {
		g_autofree char *path = g_strdup_printf("/run/s%u.log", i);

		tree_write(tree, path, text->str);
	}
	ck_assert(save(tree, NULL));

	for (unsigned i = 0; i < 40; i++) {
		g_autofree char *path = g_strdup_printf("/kept/s%u.log", i);
		const off_t size = stat_of(tree, path).st_size;

		ck_assert_int_gt(size, 8 * 1024);
		sum += size;
	}
	ck_assert_int_le(sum, BOOT_LOGS_BYTES);
	ck_assert_int_eq(stat_of(tree, "/kept/web.log").st_size, strlen("older\nnewer\n"));
}
END_TEST

/* A limit on the size of files has the same effect as a full disk. */
START_TEST(a_full_disk_leaves_the_earlier_copy_and_makes_the_others)
{
	const struct rlimit limit = { 100, 100 };
	g_autoptr(Tree) tree = make_tree();
	g_autoptr(GError) error = NULL;
	g_autofree char *long_line = g_strnfill(200, 'x');
	g_autofree char *text = g_strconcat(long_line, "\n", NULL);
	g_autofree char *copy = NULL;
	g_autofree char *other = NULL;
	g_autofree char *left = NULL;

	ck_assert(save(tree, NULL));
	tree_write(tree, "/run/web.log", text);
	tree_write(tree, "/run/ssh.log", "short\n");
	(void)signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	ck_assert(!save(tree, &error));

	ck_assert_msg(strstr(error->message, "/kept/web.log.new: File too large") != NULL, "%s",
		      error->message);
	copy = tree_read(tree, "/kept/web.log");
	other = tree_read(tree, "/kept/ssh.log");
	left = tree_read(tree, "/kept/web.log.new");
	ck_assert_str_eq(copy, "older\nnewer\n");
	ck_assert_str_eq(other, "short\n");
	ck_assert_str_eq(left, "");
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("boot_logs");

	ADD_CASE(suite, "copies", a_copy_has_the_lines_of_both_files_and_is_not_for_other_users,
		 a_copy_is_replaced_only_if_its_source_has_changed);
	ADD_CASE(suite, "limits", only_whole_lines_at_the_end_of_a_long_log_are_kept,
		 many_long_logs_share_the_space_of_one_boot,
		 a_full_disk_leaves_the_earlier_copy_and_makes_the_others);
	return suite;
}
