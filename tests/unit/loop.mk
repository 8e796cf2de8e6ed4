# SPDX-License-Identifier: LGPL-2.1-or-later

TESTS += tests/unit/test_loop

tests_unit_test_loop_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_loop_LDADD = libtest.a libloop.a libbase.a libtokens.a $(GLIB_LIBS) $(CHECK_LIBS)

TESTS += tests/unit/test_worker_pool
tests_unit_test_worker_pool_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_worker_pool_LDADD = libtest.a libworker.a libloop.a libbase.a libtokens.a $(GLIB_LIBS) $(CHECK_LIBS)

TESTS += tests/unit/test_bus_address
tests_unit_test_bus_address_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_bus_address_LDADD = libtest.a libloop.a libbase.a libtokens.a $(GLIB_LIBS) $(CHECK_LIBS)

TESTS += tests/unit/test_dbus_stream
tests_unit_test_dbus_stream_CFLAGS = $(TEST_CFLAGS) $(DBUS_CFLAGS)
tests_unit_test_dbus_stream_LDADD = libtest.a $(LIBS_LOOP) $(CHECK_LIBS)

TESTS += tests/unit/test_system_bus
tests_unit_test_system_bus_CFLAGS = $(TEST_CFLAGS) $(DBUS_CFLAGS)
tests_unit_test_system_bus_LDADD = libtest.a $(LIBS_LOOP) $(CHECK_LIBS)

# This test uses its own network namespace and ip(8).
TESTS += tests/unit/test_netlink
tests_unit_test_netlink_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_netlink_LDADD = libtest.a $(LIBS_LOOP) $(CHECK_LIBS)

TESTS += tests/unit/test_udev_source
tests_unit_test_udev_source_CFLAGS = $(TEST_CFLAGS) $(UDEV_CFLAGS)
tests_unit_test_udev_source_LDADD = libtest.a $(LIBS_LOOP) $(CHECK_LIBS)
