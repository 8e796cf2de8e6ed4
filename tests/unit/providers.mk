# SPDX-License-Identifier: LGPL-2.1-or-later

check_PROGRAMS += tests/unit/test_path tests/unit/test_registry
TESTS += tests/unit/test_path tests/unit/test_registry

providers_test_libs = libproviders.a libloop.a libmodel.a libbase.a $(DBUS_LIBS) $(UDEV_LIBS) $(INIH_LIBS) $(GLIB_LIBS) \
	$(CHECK_LIBS)

tests_unit_test_path_SOURCES = tests/unit/test_path.c tests/lib/check-main.c
tests_unit_test_path_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(DBUS_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_path_LDADD = $(providers_test_libs)

tests_unit_test_registry_SOURCES = tests/unit/test_registry.c tests/lib/check-main.c
tests_unit_test_registry_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(DBUS_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_registry_LDADD = $(providers_test_libs)
