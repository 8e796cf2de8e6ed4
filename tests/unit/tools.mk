# SPDX-License-Identifier: LGPL-2.1-or-later

# Runs ./svcctl, which make check has built.

TESTS += tests/unit/test_svcctl
tests_unit_test_svcctl_CFLAGS = $(BUS_TEST_CFLAGS) $(JSON_CFLAGS)
tests_unit_test_svcctl_LDADD = libtest.a $(LIBS_BUS) $(JSON_LIBS) $(GIO_LIBS) $(CHECK_LIBS)

TESTS += tests/unit/test_svcctl_control
tests_unit_test_svcctl_control_CFLAGS = $(BUS_TEST_CFLAGS) $(JSON_CFLAGS)
tests_unit_test_svcctl_control_LDADD = libtest.a $(LIBS_BUS) $(JSON_LIBS) $(GIO_LIBS) $(CHECK_LIBS)

TESTS += tests/unit/test_svcctl_files
tests_unit_test_svcctl_files_CFLAGS = $(BUS_TEST_CFLAGS) $(JSON_CFLAGS)
tests_unit_test_svcctl_files_LDADD = libtest.a $(LIBS_BUS) $(JSON_LIBS) $(GIO_LIBS) $(CHECK_LIBS)

TESTS += tests/unit/test_svcctl_look
tests_unit_test_svcctl_look_CFLAGS = $(BUS_TEST_CFLAGS) $(JSON_CFLAGS)
tests_unit_test_svcctl_look_LDADD = libtest.a $(LIBS_BUS) $(JSON_LIBS) $(GIO_LIBS) $(CHECK_LIBS)

TESTS += tests/unit/test_forecast
tests_unit_test_forecast_CPPFLAGS = $(libsvcctl_a_CPPFLAGS)
tests_unit_test_forecast_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_forecast_LDADD = libtest.a libsvcctl.a libengine.a $(LIBS_CONFIG) $(CHECK_LIBS)

TESTS += tests/unit/test_boot_times
tests_unit_test_boot_times_CPPFLAGS = $(libsvcctl_a_CPPFLAGS)
tests_unit_test_boot_times_CFLAGS = $(TEST_CFLAGS) $(JSON_CFLAGS)
tests_unit_test_boot_times_LDADD = libtest.a $(LIBS_SVCCTL) $(CHECK_LIBS)

TESTS += tests/unit/test_saved_boot
tests_unit_test_saved_boot_CPPFLAGS = $(libsvcctl_a_CPPFLAGS)
tests_unit_test_saved_boot_CFLAGS = $(TEST_CFLAGS) $(JSON_CFLAGS)
tests_unit_test_saved_boot_LDADD = libtest.a $(LIBS_SVCCTL) $(CHECK_LIBS)

TESTS += tests/unit/test_boot_logs
tests_unit_test_boot_logs_CPPFLAGS = $(libsvcctl_a_CPPFLAGS)
tests_unit_test_boot_logs_CFLAGS = $(TEST_CFLAGS) $(JSON_CFLAGS)
tests_unit_test_boot_logs_LDADD = libtest.a $(LIBS_SVCCTL) $(CHECK_LIBS)

TESTS += tests/unit/test_boot_changes
tests_unit_test_boot_changes_CPPFLAGS = $(libsvcctl_a_CPPFLAGS)
tests_unit_test_boot_changes_CFLAGS = $(TEST_CFLAGS) $(JSON_CFLAGS)
tests_unit_test_boot_changes_LDADD = libtest.a $(LIBS_SVCCTL) $(CHECK_LIBS)

TESTS += tests/unit/test_boot_shutdown
tests_unit_test_boot_shutdown_CPPFLAGS = $(libsvcctl_a_CPPFLAGS)
tests_unit_test_boot_shutdown_CFLAGS = $(TEST_CFLAGS) $(JSON_CFLAGS)
tests_unit_test_boot_shutdown_LDADD = libtest.a $(LIBS_SVCCTL) $(CHECK_LIBS)

TESTS += tests/unit/test_boot_compare
tests_unit_test_boot_compare_CPPFLAGS = $(libsvcctl_a_CPPFLAGS)
tests_unit_test_boot_compare_CFLAGS = $(TEST_CFLAGS) $(GIO_CFLAGS) $(JSON_CFLAGS)
tests_unit_test_boot_compare_LDADD = libtest.a $(LIBS_SVCCTL) $(CHECK_LIBS)

TESTS += tests/unit/test_boot_plot
tests_unit_test_boot_plot_CPPFLAGS = $(libsvcctl_a_CPPFLAGS)
tests_unit_test_boot_plot_CFLAGS = $(TEST_CFLAGS) $(JSON_CFLAGS)
tests_unit_test_boot_plot_LDADD = libtest.a $(LIBS_SVCCTL) $(CHECK_LIBS)

TESTS += tests/unit/test_svcctl_screens
EXTRA_DIST += tests/data/screens
tests_unit_test_svcctl_screens_CPPFLAGS = $(AM_CPPFLAGS) -DSCREENS='"$(abs_top_srcdir)/tests/data/screens"'
tests_unit_test_svcctl_screens_CFLAGS = $(BUS_TEST_CFLAGS) $(JSON_CFLAGS)
tests_unit_test_svcctl_screens_LDADD = libtest.a $(LIBS_BUS) $(JSON_LIBS) $(GIO_LIBS) $(CHECK_LIBS)

TESTS += tests/unit/test_progress_messages
tests_unit_test_progress_messages_CPPFLAGS = $(libprogress_a_CPPFLAGS)
tests_unit_test_progress_messages_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_progress_messages_LDADD = libtest.a libprogress.a $(LIBS_BASE) $(CHECK_LIBS)

TESTS += tests/unit/test_plymouth
tests_unit_test_plymouth_CPPFLAGS = $(libprogress_a_CPPFLAGS)
tests_unit_test_plymouth_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_plymouth_LDADD = libtest.a libprogress.a $(LIBS_BASE) $(CHECK_LIBS)

TESTS += tests/fuzz/fuzz_svcctl
EXTRA_DIST += tests/data/svcctl-words
tests_fuzz_fuzz_svcctl_SOURCES = tests/fuzz/fuzz_svcctl.c tests/fuzz/driver.c
tests_fuzz_fuzz_svcctl_CPPFLAGS = $(libsvcctl_a_CPPFLAGS) -DFUZZ_CORPUS='"$(abs_top_srcdir)/tests/data/svcctl-words"'
tests_fuzz_fuzz_svcctl_CFLAGS = $(libsvcctl_a_CFLAGS)
tests_fuzz_fuzz_svcctl_LDADD = $(LIBS_SVCCTL)
