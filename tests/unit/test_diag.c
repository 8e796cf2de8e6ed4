/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <check.h>

#include "base/diag.h"
#include "tests/lib/suite.h"

static void expect_line(const DiagList *list, unsigned index, const char *expected)
{
	g_autofree char *line = diag_format(diag_list_get(list, index));

	ck_assert_str_eq(line, expected);
}

START_TEST(an_origin_is_a_file_a_line_or_built_in)
{
	g_autofree char *line = origin_format(origin_new("/etc/x.svc", 7));
	g_autofree char *file = origin_format(origin_new("/etc/x.svc", 0));
	g_autofree char *none = origin_format((Origin){ 0 });

	ck_assert_str_eq(line, "/etc/x.svc:7");
	ck_assert_str_eq(file, "/etc/x.svc");
	ck_assert_str_eq(none, "built-in");
}
END_TEST

START_TEST(errors_and_warnings_are_kept_apart)
{
	g_autoptr(DiagList) list = diag_list_new();

	diag_error(list, origin_new("a", 1), "ssh", "no provider \"%s\"", "x");
	diag_warning(list, origin_new("a", 2), NULL, "left out");
	ck_assert_uint_eq(diag_list_length(list), 2);
	ck_assert_uint_eq(diag_list_count_errors(list), 1);
	ck_assert_str_eq(diag_list_get(list, 0)->service, "ssh");
	ck_assert_ptr_null(diag_list_get(list, 1)->service);
	expect_line(list, 0, "a:1: no provider \"x\"");
	expect_line(list, 1, "a:2: warning: left out");
}
END_TEST

START_TEST(a_diagnostic_is_one_line_whatever_the_file_contains)
{
	g_autoptr(DiagList) list = diag_list_new();

	diag_error(list, origin_new("a\nb", 1), NULL, "bad value \"\x1b[2J\n\"");
	expect_line(list, 0, "a\\x0ab:1: bad value \"\\x1b[2J\\x0a\"");
}
END_TEST

START_TEST(two_lists_become_one)
{
	g_autoptr(DiagList) list = diag_list_new();
	g_autoptr(DiagList) others = diag_list_new();

	diag_error(list, origin_new("b", 1), NULL, "first");
	diag_error(others, origin_new("a", 1), "ssh", "second");
	diag_warning(others, origin_new("c", 1), NULL, "third");
	diag_list_append(list, others);
	ck_assert_uint_eq(diag_list_length(list), 3);
	ck_assert_uint_eq(diag_list_count_errors(list), 2);
	expect_line(list, 0, "a:1: second");
	expect_line(list, 1, "b:1: first");
	expect_line(list, 2, "c:1: warning: third");
}
END_TEST

START_TEST(sorting_orders_by_file_and_line_and_removes_duplicates)
{
	g_autoptr(DiagList) list = diag_list_new();

	diag_error(list, origin_new("b", 2), "x", "late");
	diag_error(list, origin_new("b", 10), "x", "later");
	diag_error(list, origin_new("a", 3), "t@one", "same");
	diag_warning(list, origin_new("b", 2), "x", "early");
	diag_error(list, origin_new("a", 3), "t@two", "same");
	diag_error(list, (Origin){ 0 }, NULL, "of no file");
	diag_list_sort(list);

	ck_assert_uint_eq(diag_list_length(list), 5);
	ck_assert_uint_eq(diag_list_count_errors(list), 4);
	expect_line(list, 0, "built-in: of no file");
	expect_line(list, 1, "a:3: same");
	expect_line(list, 2, "b:2: warning: early");
	expect_line(list, 3, "b:2: late");
	expect_line(list, 4, "b:10: later");
}
END_TEST

START_TEST(an_empty_list_can_be_sorted)
{
	g_autoptr(DiagList) list = diag_list_new();

	diag_list_sort(list);
	ck_assert_uint_eq(diag_list_length(list), 0);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("diag");

	ADD_CASE(suite, "diag", an_origin_is_a_file_a_line_or_built_in,
		 errors_and_warnings_are_kept_apart,
		 a_diagnostic_is_one_line_whatever_the_file_contains,
		 sorting_orders_by_file_and_line_and_removes_duplicates, two_lists_become_one,
		 an_empty_list_can_be_sorted, two_lists_become_one);
	return suite;
}
