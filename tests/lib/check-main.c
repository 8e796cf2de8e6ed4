/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * main() of every unit test: runs the suite that the test file defines. CK_FORK=no and CK_RUN_CASE work as usual.
 */
#include <check.h>
#include <stdlib.h>

Suite *make_suite(void);

int main(void)
{
	SRunner *runner = srunner_create(make_suite());
	int n_failed;

	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
