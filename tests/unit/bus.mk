# SPDX-License-Identifier: LGPL-2.1-or-later

LIBS_BUS = libbus.a $(LIBS_BOOT) $(LIBS_LOOP)
BUS_TEST_CFLAGS = $(AM_CFLAGS) $(GIO_CFLAGS) $(DBUS_CFLAGS) $(CHECK_CFLAGS)

TESTS += tests/unit/test_bus_auth
tests_unit_test_bus_auth_CFLAGS = $(BUS_TEST_CFLAGS)
tests_unit_test_bus_auth_LDADD = libtest.a $(LIBS_BUS) $(CHECK_LIBS)

TESTS += tests/unit/test_call_queue
tests_unit_test_call_queue_CFLAGS = $(BUS_TEST_CFLAGS)
tests_unit_test_call_queue_LDADD = libtest.a $(LIBS_BUS) $(CHECK_LIBS)

TESTS += tests/unit/test_bus_peer
tests_unit_test_bus_peer_CFLAGS = $(BUS_TEST_CFLAGS)
tests_unit_test_bus_peer_LDADD = libtest.a $(LIBS_BUS) $(CHECK_LIBS)

TESTS += tests/unit/test_peer_rights
tests_unit_test_peer_rights_CFLAGS = $(BUS_TEST_CFLAGS)
tests_unit_test_peer_rights_LDADD = libtest.a $(LIBS_BUS) $(CHECK_LIBS)

TESTS += tests/unit/test_client_socket
tests_unit_test_client_socket_CFLAGS = $(BUS_TEST_CFLAGS)
tests_unit_test_client_socket_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=accept4
tests_unit_test_client_socket_LDADD = libtest.a $(LIBS_BUS) $(CHECK_LIBS)

TESTS += tests/unit/test_bus_rows
tests_unit_test_bus_rows_CFLAGS = $(BUS_TEST_CFLAGS)
tests_unit_test_bus_rows_LDADD = libtest.a $(LIBS_BUS) $(GIO_LIBS) $(CHECK_LIBS)

TESTS += tests/unit/test_bus
tests_unit_test_bus_CFLAGS = $(BUS_TEST_CFLAGS)
tests_unit_test_bus_LDADD = libtest.a $(LIBS_BUS) $(GIO_LIBS) $(CHECK_LIBS)

TESTS += tests/unit/test_bus_bad_calls
tests_unit_test_bus_bad_calls_CFLAGS = $(BUS_TEST_CFLAGS)
tests_unit_test_bus_bad_calls_LDADD = libtest.a $(LIBS_BUS) $(GIO_LIBS) $(CHECK_LIBS)

TESTS += tests/unit/test_bus_requests
tests_unit_test_bus_requests_CFLAGS = $(BUS_TEST_CFLAGS)
tests_unit_test_bus_requests_LDADD = libtest.a $(LIBS_BUS) $(GIO_LIBS) $(CHECK_LIBS)

TESTS += tests/unit/test_bus_news
tests_unit_test_bus_news_CFLAGS = $(BUS_TEST_CFLAGS)
tests_unit_test_bus_news_LDADD = libtest.a $(LIBS_BUS) $(GIO_LIBS) $(CHECK_LIBS)

TESTS += tests/unit/test_bus_signals
tests_unit_test_bus_signals_CFLAGS = $(BUS_TEST_CFLAGS)
tests_unit_test_bus_signals_LDADD = libtest.a $(LIBS_BUS) $(GIO_LIBS) $(CHECK_LIBS)

TESTS += tests/unit/test_operate
tests_unit_test_operate_CFLAGS = $(BUS_TEST_CFLAGS)
tests_unit_test_operate_LDADD = libtest.a $(LIBS_BUS) $(GIO_LIBS) $(CHECK_LIBS)

TESTS += tests/unit/test_polkit
tests_unit_test_polkit_CFLAGS = $(BUS_TEST_CFLAGS)
tests_unit_test_polkit_LDADD = libtest.a $(LIBS_BUS) $(CHECK_LIBS)

TESTS += tests/unit/test_system_client
tests_unit_test_system_client_CFLAGS = $(BUS_TEST_CFLAGS)
tests_unit_test_system_client_LDADD = libtest.a $(LIBS_BUS) $(GIO_LIBS) $(CHECK_LIBS)

TESTS += tests/unit/test_conditions
tests_unit_test_conditions_CFLAGS = $(BUS_TEST_CFLAGS)
tests_unit_test_conditions_LDADD = libtest.a $(LIBS_BUS) $(GIO_LIBS) $(CHECK_LIBS)

# For the driver and its use see model.mk.
TESTS += tests/fuzz/fuzz_peer
tests_fuzz_fuzz_peer_SOURCES = tests/fuzz/fuzz_peer.c tests/fuzz/driver.c
tests_fuzz_fuzz_peer_CPPFLAGS = $(AM_CPPFLAGS) -DFUZZ_CORPUS='"$(abs_top_srcdir)/tests/data/bus-bytes"'
tests_fuzz_fuzz_peer_CFLAGS = $(BUS_TEST_CFLAGS)
tests_fuzz_fuzz_peer_LDADD = $(LIBS_BUS)
EXTRA_DIST += tests/data/bus-bytes
