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

# In a network namespace of its own, with ip(8) and a dbus-daemon.
check_PROGRAMS += tests/unit/test_network
TESTS += tests/unit/test_network
tests_unit_test_network_SOURCES = tests/unit/test_network.c tests/lib/bus-daemon.c tests/lib/check-main.c
tests_unit_test_network_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(DBUS_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_network_LDADD = $(providers_test_libs)

# The driver and how it is run: model.mk.
check_PROGRAMS += tests/fuzz/fuzz_netlink
TESTS += tests/fuzz/fuzz_netlink
tests_fuzz_fuzz_netlink_SOURCES = tests/fuzz/fuzz_netlink.c tests/fuzz/driver.c
tests_fuzz_fuzz_netlink_CPPFLAGS = $(AM_CPPFLAGS) -DFUZZ_CORPUS='"$(abs_top_srcdir)/tests/data/netlink-bytes"'
tests_fuzz_fuzz_netlink_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS)
tests_fuzz_fuzz_netlink_LDADD = $(providers_test_libs)
EXTRA_DIST += tests/data/netlink-bytes

check_PROGRAMS += tests/unit/test_network_merge
TESTS += tests/unit/test_network_merge
tests_unit_test_network_merge_SOURCES = tests/unit/test_network_merge.c tests/lib/check-main.c
tests_unit_test_network_merge_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(DBUS_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_network_merge_LDADD = $(providers_test_libs)

check_PROGRAMS += tests/unit/test_network_rtnl
TESTS += tests/unit/test_network_rtnl
tests_unit_test_network_rtnl_SOURCES = tests/unit/test_network_rtnl.c tests/lib/check-main.c
tests_unit_test_network_rtnl_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(DBUS_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_network_rtnl_LDADD = $(providers_test_libs)

check_PROGRAMS += tests/unit/test_udev_match
TESTS += tests/unit/test_udev_match
tests_unit_test_udev_match_SOURCES = tests/unit/test_udev_match.c tests/lib/check-main.c
tests_unit_test_udev_match_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(DBUS_CFLAGS) $(UDEV_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_udev_match_LDADD = $(providers_test_libs)

check_PROGRAMS += tests/unit/test_udev_record
TESTS += tests/unit/test_udev_record
tests_unit_test_udev_record_SOURCES = tests/unit/test_udev_record.c tests/lib/check-main.c
tests_unit_test_udev_record_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(DBUS_CFLAGS) $(UDEV_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_udev_record_LDADD = $(providers_test_libs)

check_PROGRAMS += tests/unit/test_udev_table
TESTS += tests/unit/test_udev_table
tests_unit_test_udev_table_SOURCES = tests/unit/test_udev_table.c tests/lib/check-main.c
tests_unit_test_udev_table_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(DBUS_CFLAGS) $(UDEV_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_udev_table_LDADD = $(providers_test_libs)

check_PROGRAMS += tests/unit/test_udev_daemon
TESTS += tests/unit/test_udev_daemon
tests_unit_test_udev_daemon_SOURCES = tests/unit/test_udev_daemon.c tests/lib/check-main.c
tests_unit_test_udev_daemon_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(DBUS_CFLAGS) $(UDEV_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_udev_daemon_LDADD = $(providers_test_libs)

EXTRA_DIST += tests/lib/bus-peer.h tests/lib/bus-stage.h
bus_stage_sources = tests/lib/bus-daemon.c tests/lib/bus-peer.c tests/lib/bus-stage.c tests/lib/check-main.c

check_PROGRAMS += tests/unit/test_bus_value tests/unit/test_dbus_name tests/unit/test_dbus_property
TESTS += tests/unit/test_bus_value tests/unit/test_dbus_name tests/unit/test_dbus_property
tests_unit_test_bus_value_SOURCES = tests/unit/test_bus_value.c tests/lib/check-main.c
tests_unit_test_bus_value_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(DBUS_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_bus_value_LDADD = $(providers_test_libs)

tests_unit_test_dbus_name_SOURCES = tests/unit/test_dbus_name.c $(bus_stage_sources)
tests_unit_test_dbus_name_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(DBUS_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_dbus_name_LDADD = $(providers_test_libs)

check_PROGRAMS += tests/unit/test_flag
TESTS += tests/unit/test_flag
tests_unit_test_flag_SOURCES = tests/unit/test_flag.c $(bus_stage_sources)
tests_unit_test_flag_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(DBUS_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_flag_LDADD = $(providers_test_libs)

tests_unit_test_dbus_property_SOURCES = tests/unit/test_dbus_property.c $(bus_stage_sources)
tests_unit_test_dbus_property_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(DBUS_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_dbus_property_LDADD = $(providers_test_libs)
