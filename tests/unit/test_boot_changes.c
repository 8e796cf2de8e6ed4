/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Boot changes: lines are appended once, and a damaged file is read as far as it goes.
 */
#include "config.h"

#include <check.h>
#include <string.h>

#include "svcctl/boot-changes.h"
#include "tests/lib/suite.h"
#include "tests/lib/tree.h"

#define FIRST "100\t2026-11-28T05:20:01.123Z\tweb\tidle\tstarting\tboot\n"

static void add(const Tree *tree, int64_t at_us, const char *to, const char *text)
{
	g_autoptr(GPtrArray) changes = boot_changes_new();

	boot_changes_append(changes, at_us, "2026-11-28T05:20:01.123Z", "web", "idle", to, text);
	ck_assert(boot_changes_add(tree->root, changes, true, NULL));
}

START_TEST(a_change_is_written_once)
{
	g_autoptr(Tree) tree = tree_new();
	g_autofree char *text = NULL;
	g_autoptr(GPtrArray) changes = NULL;

	add(tree, 100, "starting", "boot");
	add(tree, 100, "starting", "boot");
	add(tree, 50, "waiting", "two\nlines\tand tabs");

	text = tree_read(tree, "/changes");
	ck_assert_str_eq(text, FIRST "50\t2026-11-28T05:20:01.123Z\tweb\tidle\twaiting\t"
				     "two lines and tabs\n");
	changes = boot_changes_read(tree->root);
	ck_assert_uint_eq(changes->len, 2);
	ck_assert_str_eq(((BootChange *)changes->pdata[0])->text, "two lines and tabs");
	ck_assert_int_eq(((BootChange *)changes->pdata[1])->at_us, 100);
}
END_TEST

static const struct {
	const char *text;
	guint n;
} odd[] = {
	{ "", 0 },
	{ "\n\n", 0 },
	{ "100\tx\ty\n", 0 },
	{ FIRST FIRST, 1 }, /* two writers */
	{ FIRST "200\t2026-11-28T05:20:02.123Z\tweb\tstar", 1 }, /* a killed writer */
};

START_TEST(an_odd_file_is_read_as_far_as_it_goes_and_continued)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(GPtrArray) changes = NULL;
	g_autoptr(GPtrArray) more = NULL;

	tree_write(tree, "/changes", odd[_i].text);
	changes = boot_changes_read(tree->root);
	ck_assert_uint_eq(changes->len, odd[_i].n);

	add(tree, 300, "ready", "x");
	more = boot_changes_read(tree->root);
	ck_assert_uint_eq(more->len, odd[_i].n + 1);
	ck_assert_str_eq(((BootChange *)more->pdata[odd[_i].n])->to, "ready");
}
END_TEST

START_TEST(the_older_half_of_a_large_file_is_dropped)
{
	g_autoptr(Tree) tree = tree_new();
	g_autofree char *filler = g_strnfill(2000, 'x');
	g_autoptr(GPtrArray) changes = NULL;
	g_autofree char *text = NULL;

	for (int i = 1; i <= 200; i++)
		add(tree, i, "starting", filler);

	text = tree_read(tree, "/changes");
	changes = boot_changes_read(tree->root);
	ck_assert_uint_le(strlen(text), BOOT_CHANGES_BYTES);
	ck_assert_uint_gt(changes->len, BOOT_CHANGES_BYTES / 2 / 2100);
	ck_assert_int_eq(((BootChange *)changes->pdata[changes->len - 1])->at_us, 200);
	ck_assert_int_eq(((BootChange *)changes->pdata[0])->at_us, 201 - (int64_t)changes->len);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("boot_changes");

	ADD_CASE(suite, "lines", a_change_is_written_once,
		 the_older_half_of_a_large_file_is_dropped);
	suite_add_loop(suite, "odd", an_odd_file_is_read_as_far_as_it_goes_and_continued,
		       G_N_ELEMENTS(odd));
	return suite;
}
