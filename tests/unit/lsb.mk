# SPDX-License-Identifier: LGPL-2.1-or-later

TESTS += tests/unit/test_lsb_header
tests_unit_test_lsb_header_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_lsb_header_LDADD = libtest.a $(LIBS_LSB) $(CHECK_LIBS)

TESTS += tests/unit/test_lsb_facilities
tests_unit_test_lsb_facilities_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_lsb_facilities_LDADD = libtest.a $(LIBS_LSB) $(CHECK_LIBS)

TESTS += tests/unit/test_lsb_scripts
tests_unit_test_lsb_scripts_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_lsb_scripts_LDADD = libtest.a $(LIBS_LSB) $(CHECK_LIBS)

TESTS += tests/unit/test_lsb
tests_unit_test_lsb_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_lsb_LDADD = libtest.a $(LIBS_LSB) $(CHECK_LIBS)

TESTS += tests/unit/test_lsb_natives
tests_unit_test_lsb_natives_CPPFLAGS = $(AM_CPPFLAGS) -DLSB_README='"$(abs_top_srcdir)/lsb-compat/README.md"'
tests_unit_test_lsb_natives_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_lsb_natives_LDADD = libtest.a $(LIBS_LSB) $(CHECK_LIBS)

TESTS += tests/unit/test_lsb_waits
tests_unit_test_lsb_waits_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_lsb_waits_LDADD = libtest.a $(LIBS_LSB) $(CHECK_LIBS)

TESTS += tests/fuzz/fuzz_lsb_header tests/fuzz/fuzz_lsb_facilities
EXTRA_DIST += tests/data/init-scripts tests/data/insserv-confs
tests_fuzz_fuzz_lsb_header_SOURCES = tests/fuzz/fuzz_lsb_header.c tests/fuzz/driver.c
tests_fuzz_fuzz_lsb_header_CPPFLAGS = $(AM_CPPFLAGS) -DFUZZ_CORPUS='"$(abs_top_srcdir)/tests/data/init-scripts"'
tests_fuzz_fuzz_lsb_header_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS)
tests_fuzz_fuzz_lsb_header_LDADD = $(LIBS_LSB)
tests_fuzz_fuzz_lsb_facilities_SOURCES = tests/fuzz/fuzz_lsb_facilities.c tests/fuzz/driver.c
tests_fuzz_fuzz_lsb_facilities_CPPFLAGS = $(AM_CPPFLAGS) -DFUZZ_CORPUS='"$(abs_top_srcdir)/tests/data/insserv-confs"'
tests_fuzz_fuzz_lsb_facilities_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS)
tests_fuzz_fuzz_lsb_facilities_LDADD = $(LIBS_LSB)

TESTS += tests/unit/test_lsb_order
tests_unit_test_lsb_order_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_lsb_order_LDADD = libtest.a $(LIBS_LSB) $(CHECK_LIBS)
