/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Suite: the function that each test file defines for main() in check-main.c, and its cases as
 * lists of tests.
 */
#ifndef SVCD_TESTS_LIB_SUITE_H
#define SVCD_TESTS_LIB_SUITE_H

#include <check.h>
#include <stddef.h>

/* Defined by the test file. */
Suite *make_suite(void);

/* A case of @n tests. Returns: the case, for fixtures. */
TCase *suite_add_tests(Suite *suite, const char *name, const TTest *const *tests, size_t n);
/* A case of one test for each _i from 0 to @n - 1. */
TCase *suite_add_loop(Suite *suite, const char *name, const TTest *test, size_t n);

/* A case of the named tests. */
#define ADD_CASE(suite, name, ...)                                          \
	suite_add_tests(suite, name, (const TTest *const[]){ __VA_ARGS__ }, \
			sizeof((const TTest *const[]){ __VA_ARGS__ }) / sizeof(const TTest *))

/* The same; @set_up runs before each test and @tear_down after it. */
#define ADD_CASE_AROUND(suite, name, set_up, tear_down, ...) \
	tcase_add_checked_fixture(ADD_CASE(suite, name, __VA_ARGS__), set_up, tear_down)
#define ADD_LOOP_AROUND(suite, name, set_up, tear_down, test, n) \
	tcase_add_checked_fixture(suite_add_loop(suite, name, test, n), set_up, tear_down)

#endif
