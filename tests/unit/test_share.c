/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Share: weights of a group that yields, and their return; a directory stands for the kernel's. Sessions:
 * tests/sandbox/test_login_screen.py.
 */
#include "config.h"

#include <check.h>

#include "process/share.h"
#include "tests/lib/suite.h"
#include "tests/lib/tree.h"

/* Controllers of the group that we were given, and what is enabled there and for services. */
static Tree *groups_new(const char *controllers, const char *enabled)
{
	Tree *tree = tree_new();

	tree_write(tree, "/given/cgroup.controllers", controllers);
	tree_write(tree, "/given/cgroup.subtree_control", enabled);
	tree_write(tree, "/given/svcd/cgroup.controllers", controllers);
	tree_write(tree, "/given/svcd/cgroup.subtree_control", enabled);
	tree_write(tree, "/given/svcd/web/cpu.weight", "");
	tree_write(tree, "/given/svcd/web/io.weight", "");
	return tree;
}

static Share *share_of(const Tree *tree)
{
	g_autofree char *root = g_strconcat(tree->root, "/given/svcd", NULL);

	return share_new(root);
}

static void lower(Share *share, const Tree *tree, const ResourceDef *resources)
{
	g_autofree char *group = g_strconcat(tree->root, "/given/svcd/web", NULL);

	share_lower(share, resources, group);
}

static void restore(Share *share, const Tree *tree, const ResourceDef *resources)
{
	g_autofree char *group = g_strconcat(tree->root, "/given/svcd/web", NULL);

	share_restore(share, resources, group);
}

static void expect_file(const Tree *tree, const char *path, const char *expected)
{
	g_autofree char *full = g_strconcat(tree->root, path, NULL);
	g_autofree char *text = NULL;

	ck_assert(g_file_get_contents(full, &text, NULL, NULL));
	ck_assert_str_eq(text, expected);
}

static ResourceDef *weight_of(const char *value)
{
	ResourceDef *resources = NULL;

	ck_assert_ptr_null(resource_def_read(&resources, RESOURCE_CPU_WEIGHT, value));
	return resources;
}

START_TEST(a_group_that_yields_has_a_tenth_and_then_as_much_as_others)
{
	Tree *tree = groups_new("cpu io\n", "");
	Share *share = share_of(tree);

	lower(share, tree, NULL);
	expect_file(tree, "/given/svcd/web/cpu.weight", "10");
	expect_file(tree, "/given/svcd/web/io.weight", "default 10");
	tree_write(tree, "/given/svcd/web/cpu.weight", "");
	tree_write(tree, "/given/svcd/web/io.weight", "");

	restore(share, tree, NULL);
	expect_file(tree, "/given/svcd/web/cpu.weight", "100");
	expect_file(tree, "/given/svcd/web/io.weight", "default 100");
	share_free(share);
	tree_free(tree);
}
END_TEST

START_TEST(what_was_enabled_for_it_is_disabled_again)
{
	Tree *tree = groups_new("cpu\n", "");
	Share *share = share_of(tree);

	lower(share, tree, NULL);
	expect_file(tree, "/given/svcd/cgroup.subtree_control", "+cpu");
	/* As the kernel shows it. */
	tree_write(tree, "/given/svcd/cgroup.subtree_control", "cpu\n");
	restore(share, tree, NULL);
	share_end(share);
	expect_file(tree, "/given/svcd/cgroup.subtree_control", "-cpu");
	expect_file(tree, "/given/cgroup.subtree_control", "-cpu");
	share_free(share);
	tree_free(tree);
}
END_TEST

START_TEST(what_was_enabled_before_or_is_needed_stays)
{
	Tree *tree = groups_new("cpu\n", "cpu\n");
	Tree *needing = groups_new("cpu\n", "");
	Share *share = share_of(tree);
	Share *needed = share_of(needing);
	ResourceDef *own = weight_of("50");

	lower(share, tree, NULL);
	restore(share, tree, NULL);
	share_end(share);
	expect_file(tree, "/given/svcd/cgroup.subtree_control", "cpu\n");

	lower(needed, needing, own);
	tree_write(needing, "/given/svcd/web/cpu.weight", "");
	tree_write(needing, "/given/svcd/cgroup.subtree_control", "cpu\n");
	restore(needed, needing, own);
	share_end(needed);
	expect_file(needing, "/given/svcd/web/cpu.weight", "50");
	expect_file(needing, "/given/svcd/cgroup.subtree_control", "cpu\n");
	resource_def_free(own);
	share_free(needed);
	share_free(share);
	tree_free(needing);
	tree_free(tree);
}
END_TEST

START_TEST(who_asks_for_less_still_keeps_that)
{
	Tree *tree = groups_new("cpu\n", "cpu\n");
	Share *share = share_of(tree);
	ResourceDef *own = weight_of("5");

	lower(share, tree, own);
	expect_file(tree, "/given/svcd/web/cpu.weight", "");
	resource_def_free(own);
	share_free(share);
	tree_free(tree);
}
END_TEST

START_TEST(without_controllers_or_cgroups_nothing_is_written)
{
	Tree *tree = groups_new("pids\n", "");
	Share *share = share_of(tree);
	Share *nowhere = share_new(NULL);

	lower(share, tree, NULL);
	expect_file(tree, "/given/svcd/web/cpu.weight", "");
	expect_file(tree, "/given/svcd/cgroup.subtree_control", "");
	share_lower(nowhere, NULL, NULL);
	share_restore(nowhere, NULL, NULL);
	share_end(nowhere);
	share_free(nowhere);
	share_free(share);
	tree_free(tree);
}
END_TEST

START_TEST(what_is_idle_is_so_among_groups)
{
	Tree *tree = groups_new("cpu io\n", "");
	g_autofree char *group = g_strconcat(tree->root, "/given/svcd/web", NULL);
	g_autofree char *without = g_strconcat(tree->root, "/given/svcd", NULL);
	g_autofree char *absent = g_strconcat(without, "/cpu.idle", NULL);

	tree_write(tree, "/given/svcd/web/cpu.idle", "");
	share_make_idle(group);
	share_make_idle(without);

	expect_file(tree, "/given/svcd/web/cpu.idle", "1");
	ck_assert(!g_file_test(absent, G_FILE_TEST_EXISTS));
	tree_free(tree);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("share");

	ADD_CASE(suite, "weights", a_group_that_yields_has_a_tenth_and_then_as_much_as_others,
		 what_was_enabled_for_it_is_disabled_again, what_was_enabled_before_or_is_needed_stays,
		 who_asks_for_less_still_keeps_that, without_controllers_or_cgroups_nothing_is_written, what_is_idle_is_so_among_groups);
	return suite;
}
