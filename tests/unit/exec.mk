# SPDX-License-Identifier: LGPL-2.1-or-later

# The test runs svc-exec; libprocess writes the specifications for it, as in the manager.
TESTS += tests/unit/test_exec
tests_unit_test_exec_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_exec_LDADD = $(STAGE_TEST_LDADD) -lutil

TESTS += tests/unit/test_exec_directories
tests_unit_test_exec_directories_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_exec_directories_LDADD = $(STAGE_TEST_LDADD)

TESTS += tests/unit/test_exec_environment
tests_unit_test_exec_environment_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_exec_environment_LDADD = $(STAGE_TEST_LDADD)

TESTS += tests/unit/test_exec_races
tests_unit_test_exec_races_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_exec_races_LDADD = $(STAGE_TEST_LDADD)
