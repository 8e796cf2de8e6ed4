/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <check.h>
#include <string.h>
#include <unistd.h>

#include "base/limits.h"
#include "config/source-file.h"
#include "tests/lib/suite.h"
#include "tests/lib/swapper.h"
#include "tests/lib/tree.h"

/* Without a root directory: the paths are absolute. */
static char *read_in(const Tree *tree, const char *path, char **ret_problem)
{
	g_autofree char *whole = tree_path(tree, path);
	SourceReader reader;
	gsize length = 0;
	char *text;

	source_reader_init(&reader, NULL, false, geteuid());
	text = source_reader_read(&reader, whole, &length, ret_problem);
	source_reader_clear(&reader);
	if (text)
		ck_assert_uint_eq(strlen(text), length);
	return text;
}

START_TEST(a_file_is_read_whole_with_a_nul_after_it)
{
	g_autoptr(Tree) tree = tree_new();
	g_autofree char *problem = NULL;
	g_autofree char *text = NULL;
	g_autofree char *empty = NULL;

	tree_write(tree, "/a", "text\n");
	tree_write(tree, "/empty", "");
	text = read_in(tree, "/a", &problem);
	ck_assert_str_eq(text, "text\n");
	empty = read_in(tree, "/empty", &problem);
	ck_assert_str_eq(empty, "");
	ck_assert_ptr_null(problem);
}
END_TEST

START_TEST(a_file_of_the_largest_size_is_read_and_a_byte_more_is_not)
{
	g_autofree char *bytes = g_strnfill(LIMIT_FILE_BYTES + 1, 'x');
	g_autoptr(Tree) tree = tree_new();
	g_autofree char *problem = NULL;
	g_autofree char *text = NULL;

	tree_write_bytes(tree, "/fits", bytes, LIMIT_FILE_BYTES);
	tree_write_bytes(tree, "/exceeds", bytes, LIMIT_FILE_BYTES + 1);
	text = read_in(tree, "/fits", &problem);
	ck_assert_ptr_nonnull(text);
	ck_assert_ptr_null(read_in(tree, "/exceeds", &problem));
	ck_assert_str_eq(problem, "it is longer than 262144 bytes");
}
END_TEST

START_TEST(a_link_to_dev_null_is_sent_to_policy)
{
	g_autoptr(Tree) tree = tree_new();
	g_autofree char *problem = NULL;

	tree_symlink(tree, "/dev/null", "/masked.svc");
	ck_assert_ptr_null(read_in(tree, "/masked.svc", &problem));
	ck_assert_str_eq(problem,
			 "it is a link to /dev/null; switching a service off is policy: write "
			 "Activation=never "
			 "under [service NAME] in /etc/svcd/policy.d/local.policy");
}
END_TEST

START_TEST(a_missing_file_is_reported)
{
	g_autoptr(Tree) tree = tree_new();
	g_autofree char *problem = NULL;

	ck_assert_ptr_null(read_in(tree, "/nothing", &problem));
	ck_assert_str_eq(problem, "it cannot be opened: No such file or directory");
}
END_TEST

START_TEST(names_come_sorted_and_without_hidden_ones)
{
	g_autoptr(Tree) tree = tree_new();
	g_autofree char *problem = NULL;
	g_autoptr(GPtrArray) names = NULL;
	g_autoptr(GPtrArray) none = NULL;
	g_autofree char *nowhere = tree_path(tree, "/nowhere");
	SourceReader reader;

	tree_write(tree, "/b", "");
	tree_write(tree, "/a", "");
	tree_write(tree, "/.c", "");
	tree_write(tree, "/...svc", "");
	source_reader_init(&reader, NULL, false, geteuid());
	names = source_reader_list(&reader, tree->root, &problem);
	none = source_reader_list(&reader, nowhere, &problem);
	source_reader_clear(&reader);

	ck_assert_ptr_null(problem);
	ck_assert_uint_eq(names->len, 3);
	ck_assert_str_eq(g_ptr_array_index(names, 0), "...svc");
	ck_assert_str_eq(g_ptr_array_index(names, 1), "a");
	ck_assert_uint_eq(none->len, 0);
}
END_TEST

START_TEST(a_file_in_place_of_a_directory_is_reported)
{
	g_autoptr(Tree) tree = tree_new();
	g_autofree char *problem = NULL;
	g_autofree char *file = tree_path(tree, "/file");
	g_autoptr(GPtrArray) names = NULL;
	SourceReader reader;

	tree_write(tree, "/file", "");
	source_reader_init(&reader, NULL, false, geteuid());
	names = source_reader_list(&reader, file, &problem);
	source_reader_clear(&reader);
	ck_assert_str_eq(problem, "the directory cannot be opened: Not a directory");
}
END_TEST

#define RACES 2000

START_TEST(a_file_in_a_directory_that_is_exchanged_is_never_what_it_leads_to)
{
	g_autoptr(Tree) tree = tree_new();
	Swapper *swapper = swapper_new(tree);
	g_autofree char *directory = swapper_path(swapper, "");
	unsigned n_listed = 0;

	for (unsigned i = 0; i < RACES; i++) {
		g_autofree char *problem = NULL;
		g_autofree char *list_problem = NULL;
		g_autofree char *text = read_in(tree, "/own/real/text", &problem);
		g_autoptr(GPtrArray) names = NULL;
		SourceReader reader;

		ck_assert_str_ne(text ? text : "", "secret");
		source_reader_init(&reader, NULL, false, 0);
		names = source_reader_list(&reader, directory, &list_problem);
		source_reader_clear(&reader);
		n_listed += names->len;
	}
	swapper_end(swapper);

	ck_assert_uint_eq(n_listed, 0);
}
END_TEST

START_TEST(a_link_that_another_user_could_create_is_refused_and_reported)
{
	g_autoptr(Tree) tree = tree_new();
	g_autofree char *others = tree_path(tree, "/others");
	g_autofree char *problem = NULL;
	g_autofree char *text = NULL;

	tree_write(tree, "/root/text", "text");
	tree_mkdir(tree, "/others");
	tree_symlink(tree, "../root/text", "/others/link");
	tree_symlink(tree, "others/link", "/link");
	ck_assert_int_eq(chown(others, SWAPPER_UID, 0), 0);
	text = read_in(tree, "/link", &problem);

	ck_assert_ptr_null(text);
	ck_assert_str_eq(
		problem,
		"it is reached by a symbolic link in a directory that users other than root can "
		"write to; "
		"give the directories of its path to root (chown root, chmod go-w)");
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("source-file");

	ADD_CASE(suite, "source-file", a_file_is_read_whole_with_a_nul_after_it,
		 a_file_of_the_largest_size_is_read_and_a_byte_more_is_not,
		 a_link_to_dev_null_is_sent_to_policy, a_missing_file_is_reported,
		 names_come_sorted_and_without_hidden_ones,
		 a_file_in_place_of_a_directory_is_reported);
	if (geteuid() == 0) /* only root can change owners */
		ADD_CASE(suite, "others",
			 a_file_in_a_directory_that_is_exchanged_is_never_what_it_leads_to,
			 a_link_that_another_user_could_create_is_refused_and_reported);
	return suite;
}
