/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Groups: numbers from /etc/group, whatever that file contains.
 */
#include "config.h"

#include <check.h>

#include "base/limits.h"
#include "config/groups.h"
#include "tests/lib/suite.h"
#include "tests/lib/tree.h"

static void expect(GHashTable *groups, const char *name, long expected)
{
	gid_t gid = 0;
	const bool found = groups_find(groups, name, &gid);

	ck_assert_msg(found == (expected >= 0), "%s", name);
	ck_assert_msg(!found || (long)gid == expected, "%s is %u", name, (unsigned)gid);
}

START_TEST(names_and_numbers_are_found)
{
	g_autoptr(GHashTable)
		groups = groups_parse("root:x:0:\nadm:x:4:ann,bob\nweb-team:!:2000:\nold:x:7");

	expect(groups, "root", 0);
	expect(groups, "adm", 4);
	expect(groups, "web-team", 2000);
	expect(groups, "old", 7);
	expect(groups, "1234", 1234);
	expect(groups, "ann", -1);
	expect(groups, "", -1);
	expect(groups, "4294967295", -1); /* chown(2): "no change" */
}
END_TEST

START_TEST(lines_that_make_no_sense_are_passed_over)
{
	g_autoptr(GHashTable) groups = groups_parse(
		"# a comment\n\n:x:5:\nfew:x\nword:x:ten:\nminus:x:-1:\nhuge:x:4294967295:\n"
		"+nis::1:\ntwice:x:8:\ntwice:x:9:\ngood:x:6:\n");

	expect(groups, "few", -1);
	expect(groups, "word", -1);
	expect(groups, "minus", -1);
	expect(groups, "huge", -1);
	expect(groups, "twice", 8);
	expect(groups, "good", 6);
}
END_TEST

START_TEST(a_file_that_is_too_long_is_an_error)
{
	g_autoptr(Tree) tree = tree_new();
	g_autofree char *path = tree_path(tree, "/group");
	g_autofree char *text = g_strnfill(LIMIT_GROUP_FILE_BYTES + 1, '\n');
	g_autoptr(GError) error = NULL;

	tree_write(tree, "/group", text);
	ck_assert_ptr_null(groups_read(path, &error));
	ck_assert_ptr_nonnull(error);
}
END_TEST

START_TEST(a_file_that_is_not_there_is_an_error)
{
	g_autoptr(GError) error = NULL;

	ck_assert_ptr_null(groups_read("/nonexistent/group", &error));
	ck_assert_ptr_nonnull(error);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("groups");

	ADD_CASE(suite, "all", names_and_numbers_are_found,
		 lines_that_make_no_sense_are_passed_over, a_file_that_is_too_long_is_an_error,
		 a_file_that_is_not_there_is_an_error);
	return suite;
}
