# SPDX-License-Identifier: LGPL-2.1-or-later

check_PROGRAMS += tests/unit/test_diag
TESTS += tests/unit/test_diag
tests_unit_test_diag_SOURCES = tests/unit/test_diag.c tests/lib/check-main.c
tests_unit_test_diag_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_diag_LDADD = $(LIBS_BASE) $(CHECK_LIBS)

check_PROGRAMS += tests/unit/test_fd
TESTS += tests/unit/test_fd
tests_unit_test_fd_SOURCES = tests/unit/test_fd.c tests/lib/check-main.c tests/lib/tree.c tests/lib/tree.h
tests_unit_test_fd_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_fd_LDADD = $(LIBS_BASE) $(CHECK_LIBS)

check_PROGRAMS += tests/unit/test_list
TESTS += tests/unit/test_list
tests_unit_test_list_SOURCES = tests/unit/test_list.c tests/lib/check-main.c
tests_unit_test_list_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_list_LDADD = $(LIBS_BASE) $(CHECK_LIBS)

check_PROGRAMS += tests/unit/test_log
TESTS += tests/unit/test_log
tests_unit_test_log_SOURCES = tests/unit/test_log.c tests/lib/check-main.c
tests_unit_test_log_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_log_LDADD = $(LIBS_BASE) $(CHECK_LIBS)

check_PROGRAMS += tests/unit/test_text
TESTS += tests/unit/test_text
tests_unit_test_text_SOURCES = tests/unit/test_text.c tests/lib/check-main.c
tests_unit_test_text_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_text_LDADD = $(LIBS_BASE) $(CHECK_LIBS)
