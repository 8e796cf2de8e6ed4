/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Cgroup ahead: how many groups are there, and which; a directory stands for the kernel's. In a machine: tests/sandbox/test_start_ahead.py.
 */
#include "config.h"

#include <check.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/fd.h"
#include "process/cgroup-ahead.h"
#include "process/cgroup.h"
#include "tests/lib/suite.h"
#include "tests/lib/tree.h"

static bool is_there(const Tree *tree, const char *service)
{
	g_autofree char *path = g_strconcat(tree->root, "/", service, NULL);

	return access(path, F_OK) == 0;
}

START_TEST(a_group_is_there_until_its_start_takes_it)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(CgroupAhead) ahead = cgroup_ahead_new(tree->root);
	Cgroup *cgroup = cgroup_new(tree->root, "a", NULL, NULL);
	auto_fd int fd = -1;

	cgroup_ahead_make(ahead, "a");
	ck_assert(is_there(tree, "a"));
	cgroup_take(cgroup, cgroup_ahead_take(ahead, "a"));
	ck_assert(cgroup_is_new(cgroup));
	ck_assert_int_eq(cgroup_ahead_take(ahead, "a"), -1);
	cgroup_ahead_drop(ahead);
	ck_assert(is_there(tree, "a"));
	fd = cgroup_open(cgroup, NULL);
	ck_assert_int_ge(fd, 0);
	ck_assert(!cgroup_is_new(cgroup));
	cgroup_free(cgroup);
}
END_TEST

START_TEST(groups_that_nobody_takes_are_removed)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(CgroupAhead) ahead = cgroup_ahead_new(tree->root);

	cgroup_ahead_make(ahead, "a");
	cgroup_ahead_make(ahead, "b");
	cgroup_ahead_drop(ahead);
	ck_assert(!is_there(tree, "a") && !is_there(tree, "b"));
	ck_assert_int_eq(cgroup_ahead_take(ahead, "a"), -1);
	cgroup_ahead_make(ahead, "a");
	ck_assert(is_there(tree, "a"));
}
END_TEST

START_TEST(there_are_never_more_than_a_few)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(CgroupAhead) ahead = cgroup_ahead_new(tree->root);
	unsigned n = 0;

	for (int i = 0; i < 3 * CGROUP_AHEAD_MAX; i++) {
		char name[16];

		(void)g_snprintf(name, sizeof name, "s%d", i);
		cgroup_ahead_make(ahead, name);
		cgroup_ahead_make(ahead, name);
	}
	for (int i = 0; i < 3 * CGROUP_AHEAD_MAX; i++) {
		char name[16];

		(void)g_snprintf(name, sizeof name, "s%d", i);
		n += is_there(tree, name);
		ck_assert(is_there(tree, name) == (i >= 2 * CGROUP_AHEAD_MAX));
	}
	ck_assert_uint_eq(n, CGROUP_AHEAD_MAX);
}
END_TEST

START_TEST(what_was_there_before_is_left_to_the_start)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(CgroupAhead) ahead = cgroup_ahead_new(tree->root);

	tree_mkdir(tree, "/a");
	cgroup_ahead_make(ahead, "a");
	ck_assert_int_eq(cgroup_ahead_take(ahead, "a"), -1);
	cgroup_ahead_drop(ahead);
	ck_assert(is_there(tree, "a"));
}
END_TEST

START_TEST(without_cgroups_there_are_none)
{
	g_autoptr(CgroupAhead) ahead = cgroup_ahead_new(NULL);

	cgroup_ahead_make(ahead, "a");
	ck_assert_int_eq(cgroup_ahead_take(ahead, "a"), -1);
	ck_assert_int_eq(cgroup_ahead_take(NULL, "a"), -1);
	cgroup_ahead_free(NULL);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("cgroup ahead");

	ADD_CASE(suite, "groups", a_group_is_there_until_its_start_takes_it, groups_that_nobody_takes_are_removed,
		 there_are_never_more_than_a_few, what_was_there_before_is_left_to_the_start, without_cgroups_there_are_none);
	return suite;
}
