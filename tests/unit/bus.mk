# SPDX-License-Identifier: LGPL-2.1-or-later

EXTRA_DIST += tests/lib/bus-world.c tests/lib/bus-world.h

LIBS_BUS = libbus.a $(LIBS_ENGINE) $(LIBS_LOOP)
BUS_TEST_CFLAGS = $(AM_CFLAGS) $(GIO_CFLAGS) $(DBUS_CFLAGS) $(CHECK_CFLAGS)

check_PROGRAMS += tests/unit/test_bus_auth
TESTS += tests/unit/test_bus_auth
tests_unit_test_bus_auth_SOURCES = tests/unit/test_bus_auth.c tests/lib/check-main.c
tests_unit_test_bus_auth_CFLAGS = $(BUS_TEST_CFLAGS)
tests_unit_test_bus_auth_LDADD = $(LIBS_BUS) $(CHECK_LIBS)

check_PROGRAMS += tests/unit/test_bus_peer
TESTS += tests/unit/test_bus_peer
tests_unit_test_bus_peer_SOURCES = tests/unit/test_bus_peer.c tests/lib/check-main.c
tests_unit_test_bus_peer_CFLAGS = $(BUS_TEST_CFLAGS)
tests_unit_test_bus_peer_LDADD = $(LIBS_BUS) $(CHECK_LIBS)

check_PROGRAMS += tests/unit/test_bus_rows
TESTS += tests/unit/test_bus_rows
tests_unit_test_bus_rows_SOURCES = tests/unit/test_bus_rows.c tests/lib/check-main.c
tests_unit_test_bus_rows_CFLAGS = $(BUS_TEST_CFLAGS)
tests_unit_test_bus_rows_LDADD = $(LIBS_BUS) $(GIO_LIBS) $(CHECK_LIBS)

check_PROGRAMS += tests/unit/test_bus
TESTS += tests/unit/test_bus
tests_unit_test_bus_SOURCES = tests/unit/test_bus.c tests/lib/bus-world.c tests/lib/world.c tests/lib/tree.c \
	tests/lib/check-main.c
tests_unit_test_bus_CFLAGS = $(BUS_TEST_CFLAGS)
tests_unit_test_bus_LDADD = $(LIBS_BUS) $(GIO_LIBS) $(CHECK_LIBS)

check_PROGRAMS += tests/unit/test_operate
TESTS += tests/unit/test_operate
tests_unit_test_operate_SOURCES = tests/unit/test_operate.c tests/lib/bus-world.c tests/lib/world.c tests/lib/tree.c \
	tests/lib/check-main.c
tests_unit_test_operate_CFLAGS = $(BUS_TEST_CFLAGS)
tests_unit_test_operate_LDADD = $(LIBS_BUS) $(GIO_LIBS) $(CHECK_LIBS)

check_PROGRAMS += tests/unit/test_polkit
TESTS += tests/unit/test_polkit
tests_unit_test_polkit_SOURCES = tests/unit/test_polkit.c tests/lib/check-main.c
tests_unit_test_polkit_CFLAGS = $(BUS_TEST_CFLAGS)
tests_unit_test_polkit_LDADD = $(LIBS_BUS) $(CHECK_LIBS)

check_PROGRAMS += tests/unit/test_system_client
TESTS += tests/unit/test_system_client
tests_unit_test_system_client_SOURCES = tests/unit/test_system_client.c tests/lib/bus-daemon.c tests/lib/bus-world.c \
	tests/lib/world.c tests/lib/tree.c tests/lib/check-main.c
tests_unit_test_system_client_CFLAGS = $(BUS_TEST_CFLAGS)
tests_unit_test_system_client_LDADD = $(LIBS_BUS) $(GIO_LIBS) $(CHECK_LIBS)

check_PROGRAMS += tests/unit/test_conditions
TESTS += tests/unit/test_conditions
tests_unit_test_conditions_SOURCES = tests/unit/test_conditions.c tests/lib/bus-world.c tests/lib/world.c \
	tests/lib/tree.c tests/lib/check-main.c
tests_unit_test_conditions_CFLAGS = $(BUS_TEST_CFLAGS)
tests_unit_test_conditions_LDADD = $(LIBS_BUS) $(GIO_LIBS) $(CHECK_LIBS)

# The driver and how it is run: model.mk.
check_PROGRAMS += tests/fuzz/fuzz_peer
TESTS += tests/fuzz/fuzz_peer
tests_fuzz_fuzz_peer_SOURCES = tests/fuzz/fuzz_peer.c tests/fuzz/driver.c
tests_fuzz_fuzz_peer_CPPFLAGS = $(AM_CPPFLAGS) -DFUZZ_CORPUS='"$(abs_top_srcdir)/tests/data/bus-bytes"'
tests_fuzz_fuzz_peer_CFLAGS = $(BUS_TEST_CFLAGS)
tests_fuzz_fuzz_peer_LDADD = $(LIBS_BUS)
EXTRA_DIST += tests/data/bus-bytes
