# SPDX-License-Identifier: LGPL-2.1-or-later

# Runs ./svcctl, which make check has built.
SVCCTL_WORLD = tests/lib/svcctl-world.c tests/lib/svcctl-world.h tests/lib/bus-world.c tests/lib/world.c tests/lib/tree.c \
	tests/lib/check-main.c

check_PROGRAMS += tests/unit/test_svcctl
TESTS += tests/unit/test_svcctl
tests_unit_test_svcctl_SOURCES = tests/unit/test_svcctl.c $(SVCCTL_WORLD)
tests_unit_test_svcctl_CFLAGS = $(BUS_TEST_CFLAGS) $(JSON_CFLAGS)
tests_unit_test_svcctl_LDADD = $(LIBS_BUS) $(JSON_LIBS) $(GIO_LIBS) $(CHECK_LIBS)

check_PROGRAMS += tests/unit/test_svcctl_control
TESTS += tests/unit/test_svcctl_control
tests_unit_test_svcctl_control_SOURCES = tests/unit/test_svcctl_control.c $(SVCCTL_WORLD)
tests_unit_test_svcctl_control_CFLAGS = $(BUS_TEST_CFLAGS) $(JSON_CFLAGS)
tests_unit_test_svcctl_control_LDADD = $(LIBS_BUS) $(JSON_LIBS) $(GIO_LIBS) $(CHECK_LIBS)

check_PROGRAMS += tests/unit/test_svcctl_files
TESTS += tests/unit/test_svcctl_files
tests_unit_test_svcctl_files_SOURCES = tests/unit/test_svcctl_files.c $(SVCCTL_WORLD)
tests_unit_test_svcctl_files_CFLAGS = $(BUS_TEST_CFLAGS) $(JSON_CFLAGS)
tests_unit_test_svcctl_files_LDADD = $(LIBS_BUS) $(JSON_LIBS) $(GIO_LIBS) $(CHECK_LIBS)

check_PROGRAMS += tests/unit/test_svcctl_look
TESTS += tests/unit/test_svcctl_look
tests_unit_test_svcctl_look_SOURCES = tests/unit/test_svcctl_look.c $(SVCCTL_WORLD)
tests_unit_test_svcctl_look_CFLAGS = $(BUS_TEST_CFLAGS) $(JSON_CFLAGS)
tests_unit_test_svcctl_look_LDADD = $(LIBS_BUS) $(JSON_LIBS) $(GIO_LIBS) $(CHECK_LIBS)

check_PROGRAMS += tests/unit/test_forecast
TESTS += tests/unit/test_forecast
tests_unit_test_forecast_SOURCES = tests/unit/test_forecast.c tests/lib/check-main.c
tests_unit_test_forecast_CPPFLAGS = $(libsvcctl_a_CPPFLAGS)
tests_unit_test_forecast_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_forecast_LDADD = libsvcctl.a libengine.a $(LIBS_CONFIG) $(CHECK_LIBS)

check_PROGRAMS += tests/unit/test_boot_times
TESTS += tests/unit/test_boot_times
tests_unit_test_boot_times_SOURCES = tests/unit/test_boot_times.c tests/lib/check-main.c
tests_unit_test_boot_times_CPPFLAGS = $(libsvcctl_a_CPPFLAGS)
tests_unit_test_boot_times_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(JSON_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_boot_times_LDADD = $(LIBS_SVCCTL) $(CHECK_LIBS)

check_PROGRAMS += tests/unit/test_svcctl_screens
TESTS += tests/unit/test_svcctl_screens
EXTRA_DIST += tests/data/screens
tests_unit_test_svcctl_screens_SOURCES = tests/unit/test_svcctl_screens.c $(SVCCTL_WORLD)
tests_unit_test_svcctl_screens_CPPFLAGS = $(AM_CPPFLAGS) -DSCREENS='"$(abs_top_srcdir)/tests/data/screens"'
tests_unit_test_svcctl_screens_CFLAGS = $(BUS_TEST_CFLAGS) $(JSON_CFLAGS)
tests_unit_test_svcctl_screens_LDADD = $(LIBS_BUS) $(JSON_LIBS) $(GIO_LIBS) $(CHECK_LIBS)
