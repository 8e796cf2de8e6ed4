# SPDX-License-Identifier: LGPL-2.1-or-later

POLICY_EDIT_TEST_CPPFLAGS = $(AM_CPPFLAGS) -iquote $(top_srcdir)/tools
POLICY_EDIT_TEST_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(CHECK_CFLAGS)

check_PROGRAMS += tests/unit/test_ini_edit
TESTS += tests/unit/test_ini_edit
tests_unit_test_ini_edit_SOURCES = tests/unit/test_ini_edit.c tests/lib/check-main.c
tests_unit_test_ini_edit_CPPFLAGS = $(POLICY_EDIT_TEST_CPPFLAGS)
tests_unit_test_ini_edit_CFLAGS = $(POLICY_EDIT_TEST_CFLAGS)
tests_unit_test_ini_edit_LDADD = $(LIBS_POLICY_EDIT) $(CHECK_LIBS)

check_PROGRAMS += tests/unit/test_policy_edit
TESTS += tests/unit/test_policy_edit
tests_unit_test_policy_edit_SOURCES = tests/unit/test_policy_edit.c tests/lib/check-main.c tests/lib/diags.h \
	tests/lib/tree.c tests/lib/tree.h
tests_unit_test_policy_edit_CPPFLAGS = $(POLICY_EDIT_TEST_CPPFLAGS)
tests_unit_test_policy_edit_CFLAGS = $(POLICY_EDIT_TEST_CFLAGS)
tests_unit_test_policy_edit_LDADD = $(LIBS_POLICY_EDIT) $(CHECK_LIBS)
