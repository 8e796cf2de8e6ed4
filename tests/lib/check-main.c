/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * main() of each unit test: runs the suite of the test file. CK_FORK=no and CK_RUN_CASE work as
 * usual.
 */
#include "config.h"

#include <stdlib.h>

#include "tests/lib/suite.h"

/* Default time limit in seconds, because Check's four are too few on a busy machine. */
#define TEST_LIMIT_S "300"

static TCase *add_case(Suite *suite, const char *name)
{
	TCase *tcase = tcase_create(name);

	suite_add_tcase(suite, tcase);
	return tcase;
}

TCase *suite_add_tests(Suite *suite, const char *name, const TTest *const *tests, size_t n)
{
	TCase *tcase = add_case(suite, name);

	for (size_t i = 0; i < n; i++)
		tcase_add_test(tcase, tests[i]);
	return tcase;
}

TCase *suite_add_loop(Suite *suite, const char *name, const TTest *test, size_t n)
{
	TCase *tcase = add_case(suite, name);

	tcase_add_loop_test(tcase, test, 0, (int)n);
	return tcase;
}

int main(void)
{
	SRunner *runner;
	int n_failed;

	(void)setenv("CK_DEFAULT_TIMEOUT", TEST_LIMIT_S, 0);
	runner = srunner_create(make_suite());
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
