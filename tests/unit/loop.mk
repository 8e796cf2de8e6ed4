# SPDX-License-Identifier: LGPL-2.1-or-later

check_PROGRAMS += tests/unit/test_loop
TESTS += tests/unit/test_loop

tests_unit_test_loop_SOURCES = tests/unit/test_loop.c tests/lib/check-main.c
tests_unit_test_loop_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_loop_LDADD = libloop.a libbase.a $(GLIB_LIBS) $(CHECK_LIBS)

check_PROGRAMS += tests/unit/test_dbus_stream
TESTS += tests/unit/test_dbus_stream
tests_unit_test_dbus_stream_SOURCES = tests/unit/test_dbus_stream.c tests/lib/check-main.c
tests_unit_test_dbus_stream_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(DBUS_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_dbus_stream_LDADD = $(LIBS_LOOP) $(CHECK_LIBS)

EXTRA_DIST += tests/lib/bus-daemon.h
check_PROGRAMS += tests/unit/test_system_bus
TESTS += tests/unit/test_system_bus
tests_unit_test_system_bus_SOURCES = tests/unit/test_system_bus.c tests/lib/bus-daemon.c tests/lib/check-main.c
tests_unit_test_system_bus_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(DBUS_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_system_bus_LDADD = $(LIBS_LOOP) $(CHECK_LIBS)

# In a network namespace of its own, with ip(8).
check_PROGRAMS += tests/unit/test_netlink
TESTS += tests/unit/test_netlink
tests_unit_test_netlink_SOURCES = tests/unit/test_netlink.c tests/lib/check-main.c
tests_unit_test_netlink_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_netlink_LDADD = $(LIBS_LOOP) $(CHECK_LIBS)
