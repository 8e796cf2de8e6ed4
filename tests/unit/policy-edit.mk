# SPDX-License-Identifier: LGPL-2.1-or-later

POLICY_EDIT_TEST_CPPFLAGS = $(AM_CPPFLAGS) -iquote $(top_srcdir)/tools

TESTS += tests/unit/test_ini_edit
tests_unit_test_ini_edit_CPPFLAGS = $(POLICY_EDIT_TEST_CPPFLAGS)
tests_unit_test_ini_edit_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_ini_edit_LDADD = libtest.a $(LIBS_POLICY_EDIT) $(CHECK_LIBS)

TESTS += tests/unit/test_policy_access
tests_unit_test_policy_access_CPPFLAGS = $(POLICY_EDIT_TEST_CPPFLAGS)
tests_unit_test_policy_access_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_policy_access_LDADD = libtest.a $(LIBS_POLICY_EDIT) $(CHECK_LIBS)

TESTS += tests/unit/test_policy_edit
tests_unit_test_policy_edit_CPPFLAGS = $(POLICY_EDIT_TEST_CPPFLAGS)
tests_unit_test_policy_edit_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_policy_edit_LDADD = libtest.a $(LIBS_POLICY_EDIT) $(CHECK_LIBS)

TESTS += tests/unit/test_policy_history
tests_unit_test_policy_history_CPPFLAGS = $(POLICY_EDIT_TEST_CPPFLAGS)
tests_unit_test_policy_history_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_policy_history_LDADD = libtest.a $(LIBS_POLICY_EDIT) $(CHECK_LIBS)

TESTS += tests/unit/test_policy_override
tests_unit_test_policy_override_CPPFLAGS = $(POLICY_EDIT_TEST_CPPFLAGS)
tests_unit_test_policy_override_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_policy_override_LDADD = libtest.a $(LIBS_POLICY_EDIT) $(CHECK_LIBS)

TESTS += tests/unit/test_policy_sysv
tests_unit_test_policy_sysv_CPPFLAGS = $(POLICY_EDIT_TEST_CPPFLAGS)
tests_unit_test_policy_sysv_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_policy_sysv_LDADD = libtest.a $(LIBS_POLICY_EDIT) $(CHECK_LIBS)

# The calls that change the disk go through the test, which ends the process before the N-th call.
TESTS += tests/unit/test_power_cut
tests_unit_test_power_cut_CPPFLAGS = $(POLICY_EDIT_TEST_CPPFLAGS)
tests_unit_test_power_cut_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_power_cut_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--wrap=write,--wrap=fsync,--wrap=renameat,--wrap=unlinkat,--wrap=mkdirat
tests_unit_test_power_cut_LDADD = libtest.a $(LIBS_POLICY_EDIT) $(CHECK_LIBS)

TESTS += tests/fuzz/fuzz_ini_edit tests/fuzz/fuzz_history
EXTRA_DIST += tests/data/history-steps tests/data/policies-to-edit
tests_fuzz_fuzz_ini_edit_SOURCES = tests/fuzz/fuzz_ini_edit.c tests/fuzz/driver.c
tests_fuzz_fuzz_ini_edit_CPPFLAGS = $(POLICY_EDIT_TEST_CPPFLAGS) \
	-DFUZZ_CORPUS='"$(abs_top_srcdir)/tests/data/policies-to-edit"'
tests_fuzz_fuzz_ini_edit_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS)
tests_fuzz_fuzz_ini_edit_LDADD = $(LIBS_POLICY_EDIT)
tests_fuzz_fuzz_history_SOURCES = tests/fuzz/fuzz_history.c tests/fuzz/driver.c
tests_fuzz_fuzz_history_CPPFLAGS = $(POLICY_EDIT_TEST_CPPFLAGS) \
	-DFUZZ_CORPUS='"$(abs_top_srcdir)/tests/data/history-steps"'
tests_fuzz_fuzz_history_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS)
tests_fuzz_fuzz_history_LDADD = $(LIBS_POLICY_EDIT)
