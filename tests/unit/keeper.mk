# SPDX-License-Identifier: LGPL-2.1-or-later

KEEPER_TEST_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)

# The manager that tests of a real keeper start, and that lets them be one.
check_PROGRAMS += tests/lib/fake-manager
tests_lib_fake_manager_SOURCES = tests/lib/fake-manager.c

TESTS += tests/unit/test_keeper
tests_unit_test_keeper_CFLAGS = $(KEEPER_TEST_CFLAGS)
tests_unit_test_keeper_LDADD = libtest.a $(CHECK_LIBS)

TESTS += tests/unit/test_keeper_managers
tests_unit_test_keeper_managers_CFLAGS = $(KEEPER_TEST_CFLAGS)
tests_unit_test_keeper_managers_LDADD = libtest.a $(CHECK_LIBS)

TESTS += tests/unit/test_keeper_shutdown
tests_unit_test_keeper_shutdown_CFLAGS = $(KEEPER_TEST_CFLAGS)
tests_unit_test_keeper_shutdown_LDADD = libtest.a $(CHECK_LIBS)

TESTS += tests/unit/test_keeper_batch
tests_unit_test_keeper_batch_CFLAGS = $(KEEPER_TEST_CFLAGS)
tests_unit_test_keeper_batch_SOURCES = tests/unit/test_keeper_batch.c daemon/process/batch.c
tests_unit_test_keeper_batch_LDADD = libtest.a $(CHECK_LIBS)

TESTS += tests/unit/test_keeper_hostile
tests_unit_test_keeper_hostile_CFLAGS = $(KEEPER_TEST_CFLAGS)
tests_unit_test_keeper_hostile_LDADD = libtest.a $(CHECK_LIBS)

TESTS += tests/unit/test_keeper_loan
tests_unit_test_keeper_loan_CFLAGS = $(KEEPER_TEST_CFLAGS)
tests_unit_test_keeper_loan_LDADD = libtest.a libkeeper.a $(CHECK_LIBS)

TESTS += tests/unit/test_keeper_tables
tests_unit_test_keeper_tables_CFLAGS = $(KEEPER_TEST_CFLAGS)
tests_unit_test_keeper_tables_LDADD = libtest.a libkeeper.a $(CHECK_LIBS)

TESTS += tests/unit/test_keeper_reexec
tests_unit_test_keeper_reexec_CFLAGS = $(KEEPER_TEST_CFLAGS)
tests_unit_test_keeper_reexec_LDADD = libtest.a libkeeper.a $(CHECK_LIBS)

TESTS += tests/unit/test_keeper_resume
tests_unit_test_keeper_resume_CFLAGS = $(KEEPER_TEST_CFLAGS)
tests_unit_test_keeper_resume_LDADD = libtest.a libkeeper.a $(CHECK_LIBS)

TESTS += tests/unit/test_keeper_strikes
tests_unit_test_keeper_strikes_CFLAGS = $(KEEPER_TEST_CFLAGS)
tests_unit_test_keeper_strikes_LDADD = libtest.a libkeeper.a $(CHECK_LIBS)
