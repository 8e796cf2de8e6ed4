# SPDX-License-Identifier: LGPL-2.1-or-later

# Runs ./svcctl, which make check has built.
check_PROGRAMS += tests/unit/test_svcctl
TESTS += tests/unit/test_svcctl
tests_unit_test_svcctl_SOURCES = tests/unit/test_svcctl.c tests/lib/bus-world.c tests/lib/world.c tests/lib/tree.c \
	tests/lib/check-main.c
tests_unit_test_svcctl_CFLAGS = $(BUS_TEST_CFLAGS) $(JSON_CFLAGS)
tests_unit_test_svcctl_LDADD = $(LIBS_BUS) $(JSON_LIBS) $(GIO_LIBS) $(CHECK_LIBS)

check_PROGRAMS += tests/unit/test_forecast
TESTS += tests/unit/test_forecast
tests_unit_test_forecast_SOURCES = tests/unit/test_forecast.c tests/lib/check-main.c
tests_unit_test_forecast_CPPFLAGS = $(libsvcctl_a_CPPFLAGS)
tests_unit_test_forecast_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_forecast_LDADD = libsvcctl.a libengine.a $(LIBS_CONFIG) $(CHECK_LIBS)
