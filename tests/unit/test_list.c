/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Empty lists are shared. Adding an entry to one of them does not change the others.
 */
#include "config.h"

#include <check.h>

#include "base/list.h"
#include "tests/lib/suite.h"

START_TEST(empty_lists_are_the_same_one)
{
	ck_assert_ptr_eq(list_new(), list_new());
	ck_assert_uint_eq(list_new()->len, 0);
	ck_assert_ptr_eq(values_new(), values_new());
	ck_assert_uint_eq(values_new()->len, 0);
	list_empty(list_new());
	list_free(list_new());
	values_free(values_new());
}
END_TEST

START_TEST(what_is_added_is_in_this_list_only_and_freed_with_it)
{
	GPtrArray *list = list_new();
	GPtrArray *other = list_new();

	list_add(&list, g_strdup("a"), g_free);
	list_add(&list, g_strdup("b"), g_free);

	ck_assert_uint_eq(list->len, 2);
	ck_assert_str_eq(g_ptr_array_index(list, 1), "b");
	ck_assert_uint_eq(other->len, 0);
	list_empty(list);
	ck_assert_uint_eq(list->len, 0);
	list_add(&list, g_strdup("c"), g_free);
	ck_assert_str_eq(g_ptr_array_index(list, 0), "c");
	list_free(list);
}
END_TEST

START_TEST(values_are_copied)
{
	GArray *values = values_new();
	int number = 7;

	values_add(&values, &number, sizeof(number));
	number = 9;
	values_add(&values, &number, sizeof(number));

	ck_assert_uint_eq(values->len, 2);
	ck_assert_int_eq(g_array_index(values, int, 0), 7);
	ck_assert_int_eq(g_array_index(values, int, 1), 9);
	values_free(values);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("list");

	ADD_CASE(suite, "list", empty_lists_are_the_same_one,
		 what_is_added_is_in_this_list_only_and_freed_with_it, values_are_copied);
	return suite;
}
