# SPDX-License-Identifier: LGPL-2.1-or-later

KEEPER_TEST_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)

# The manager that tests of a real keeper start, and that lets them be one.
check_PROGRAMS += tests/lib/fake-manager
tests_lib_fake_manager_SOURCES = tests/lib/fake-manager.c

check_PROGRAMS += tests/unit/test_keeper
TESTS += tests/unit/test_keeper
tests_unit_test_keeper_SOURCES = tests/unit/test_keeper.c tests/lib/link-client.c tests/lib/link-client.h \
	tests/lib/check-main.c
tests_unit_test_keeper_CFLAGS = $(KEEPER_TEST_CFLAGS)
tests_unit_test_keeper_LDADD = $(CHECK_LIBS)

check_PROGRAMS += tests/unit/test_keeper_tables
TESTS += tests/unit/test_keeper_tables
tests_unit_test_keeper_tables_SOURCES = tests/unit/test_keeper_tables.c tests/lib/check-main.c
tests_unit_test_keeper_tables_CFLAGS = $(KEEPER_TEST_CFLAGS)
tests_unit_test_keeper_tables_LDADD = libkeeper.a $(CHECK_LIBS)

check_PROGRAMS += tests/unit/test_keeper_reexec
TESTS += tests/unit/test_keeper_reexec
tests_unit_test_keeper_reexec_SOURCES = tests/unit/test_keeper_reexec.c tests/lib/check-main.c
tests_unit_test_keeper_reexec_CFLAGS = $(KEEPER_TEST_CFLAGS)
tests_unit_test_keeper_reexec_LDADD = libkeeper.a $(CHECK_LIBS)

check_PROGRAMS += tests/unit/test_keeper_strikes
TESTS += tests/unit/test_keeper_strikes
tests_unit_test_keeper_strikes_SOURCES = tests/unit/test_keeper_strikes.c tests/lib/check-main.c
tests_unit_test_keeper_strikes_CFLAGS = $(KEEPER_TEST_CFLAGS)
tests_unit_test_keeper_strikes_LDADD = libkeeper.a $(CHECK_LIBS)
