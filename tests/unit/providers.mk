# SPDX-License-Identifier: LGPL-2.1-or-later

TESTS += tests/unit/test_path tests/unit/test_registry

providers_test_libs = libtest.a libproviders.a libworker.a libloop.a libmodel.a libsandbox.a libbase.a libtokens.a libpaths.a $(DBUS_LIBS) \
	$(UDEV_LIBS) $(GLIB_LIBS) $(CHECK_LIBS)

tests_unit_test_path_CFLAGS = $(TEST_CFLAGS) $(DBUS_CFLAGS)
tests_unit_test_path_LDADD = $(providers_test_libs)

tests_unit_test_registry_CFLAGS = $(TEST_CFLAGS) $(DBUS_CFLAGS)
tests_unit_test_registry_LDADD = $(providers_test_libs)

TESTS += tests/unit/test_mount
tests_unit_test_mount_CFLAGS = $(TEST_CFLAGS) $(DBUS_CFLAGS)
tests_unit_test_mount_LDADD = $(providers_test_libs)

TESTS += tests/unit/test_path_walker
tests_unit_test_path_walker_CFLAGS = $(TEST_CFLAGS) $(DBUS_CFLAGS)
tests_unit_test_path_walker_LDADD = $(providers_test_libs)

# This test uses its own network namespace, ip(8) and a dbus-daemon.
TESTS += tests/unit/test_network
tests_unit_test_network_CFLAGS = $(TEST_CFLAGS) $(DBUS_CFLAGS)
tests_unit_test_network_LDADD = $(providers_test_libs)

# For the driver and its use see model.mk.
TESTS += tests/fuzz/fuzz_netlink
tests_fuzz_fuzz_netlink_SOURCES = tests/fuzz/fuzz_netlink.c tests/fuzz/driver.c
tests_fuzz_fuzz_netlink_CPPFLAGS = $(AM_CPPFLAGS) -DFUZZ_CORPUS='"$(abs_top_srcdir)/tests/data/netlink-bytes"'
tests_fuzz_fuzz_netlink_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS)
tests_fuzz_fuzz_netlink_LDADD = $(providers_test_libs)
EXTRA_DIST += tests/data/netlink-bytes

TESTS += tests/unit/test_network_merge
tests_unit_test_network_merge_CFLAGS = $(TEST_CFLAGS) $(DBUS_CFLAGS)
tests_unit_test_network_merge_LDADD = $(providers_test_libs)

TESTS += tests/unit/test_network_rtnl
tests_unit_test_network_rtnl_CFLAGS = $(TEST_CFLAGS) $(DBUS_CFLAGS)
tests_unit_test_network_rtnl_LDADD = $(providers_test_libs)

TESTS += tests/unit/test_udev_record_match
tests_unit_test_udev_record_match_CFLAGS = $(TEST_CFLAGS) $(DBUS_CFLAGS) $(UDEV_CFLAGS)
tests_unit_test_udev_record_match_LDADD = $(providers_test_libs)

TESTS += tests/unit/test_udev_record
tests_unit_test_udev_record_CFLAGS = $(TEST_CFLAGS) $(DBUS_CFLAGS) $(UDEV_CFLAGS)
tests_unit_test_udev_record_LDADD = $(providers_test_libs)

TESTS += tests/unit/test_udev_table
tests_unit_test_udev_table_CFLAGS = $(TEST_CFLAGS) $(DBUS_CFLAGS) $(UDEV_CFLAGS)
tests_unit_test_udev_table_LDADD = $(providers_test_libs)

TESTS += tests/unit/test_udev_recheck
tests_unit_test_udev_recheck_CFLAGS = $(TEST_CFLAGS) $(DBUS_CFLAGS) $(UDEV_CFLAGS)
tests_unit_test_udev_recheck_LDADD = $(providers_test_libs)

TESTS += tests/unit/test_udev_reader
tests_unit_test_udev_reader_CFLAGS = $(TEST_CFLAGS) $(DBUS_CFLAGS) $(UDEV_CFLAGS)
tests_unit_test_udev_reader_LDADD = $(providers_test_libs)

TESTS += tests/unit/test_udev_daemon
tests_unit_test_udev_daemon_CFLAGS = $(TEST_CFLAGS) $(DBUS_CFLAGS) $(UDEV_CFLAGS)
tests_unit_test_udev_daemon_LDADD = $(providers_test_libs)

TESTS += tests/unit/test_bus_value tests/unit/test_dbus_name tests/unit/test_dbus_property
tests_unit_test_bus_value_CFLAGS = $(TEST_CFLAGS) $(DBUS_CFLAGS)
tests_unit_test_bus_value_LDADD = $(providers_test_libs)

tests_unit_test_dbus_name_CFLAGS = $(TEST_CFLAGS) $(DBUS_CFLAGS)
tests_unit_test_dbus_name_LDADD = $(providers_test_libs)

TESTS += tests/unit/test_flag
tests_unit_test_flag_CFLAGS = $(TEST_CFLAGS) $(DBUS_CFLAGS)
tests_unit_test_flag_LDADD = $(providers_test_libs)

tests_unit_test_dbus_property_CFLAGS = $(TEST_CFLAGS) $(DBUS_CFLAGS)
tests_unit_test_dbus_property_LDADD = $(providers_test_libs)

TESTS += tests/fuzz/fuzz_udev
EXTRA_DIST += tests/data/udev-properties
tests_fuzz_fuzz_udev_SOURCES = tests/fuzz/fuzz_udev.c tests/fuzz/driver.c
tests_fuzz_fuzz_udev_CPPFLAGS = $(AM_CPPFLAGS) -DFUZZ_CORPUS='"$(abs_top_srcdir)/tests/data/udev-properties"'
tests_fuzz_fuzz_udev_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS)
tests_fuzz_fuzz_udev_LDADD = $(providers_test_libs)

TESTS += tests/unit/test_schedule
tests_unit_test_schedule_CFLAGS = $(TEST_CFLAGS) $(DBUS_CFLAGS)
tests_unit_test_schedule_LDADD = $(providers_test_libs)
