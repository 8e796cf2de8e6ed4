# SPDX-License-Identifier: LGPL-2.1-or-later

LSB_TEST_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(CHECK_CFLAGS)

check_PROGRAMS += tests/unit/test_lsb_header
TESTS += tests/unit/test_lsb_header
tests_unit_test_lsb_header_SOURCES = tests/unit/test_lsb_header.c tests/lib/check-main.c tests/lib/diags.h
tests_unit_test_lsb_header_CFLAGS = $(LSB_TEST_CFLAGS)
tests_unit_test_lsb_header_LDADD = $(LIBS_LSB) $(CHECK_LIBS)

check_PROGRAMS += tests/unit/test_lsb_facilities
TESTS += tests/unit/test_lsb_facilities
tests_unit_test_lsb_facilities_SOURCES = tests/unit/test_lsb_facilities.c tests/lib/check-main.c tests/lib/diags.h
tests_unit_test_lsb_facilities_CFLAGS = $(LSB_TEST_CFLAGS)
tests_unit_test_lsb_facilities_LDADD = $(LIBS_LSB) $(CHECK_LIBS)

check_PROGRAMS += tests/unit/test_lsb_scripts
TESTS += tests/unit/test_lsb_scripts
tests_unit_test_lsb_scripts_SOURCES = tests/unit/test_lsb_scripts.c tests/lib/check-main.c tests/lib/diags.h \
	tests/lib/tree.c tests/lib/tree.h
tests_unit_test_lsb_scripts_CFLAGS = $(LSB_TEST_CFLAGS)
tests_unit_test_lsb_scripts_LDADD = $(LIBS_LSB) $(CHECK_LIBS)

check_PROGRAMS += tests/unit/test_lsb
TESTS += tests/unit/test_lsb
tests_unit_test_lsb_SOURCES = tests/unit/test_lsb.c tests/lib/check-main.c tests/lib/diags.h \
	tests/lib/tree.c tests/lib/tree.h
tests_unit_test_lsb_CPPFLAGS = $(AM_CPPFLAGS) -DLSB_README='"$(abs_top_srcdir)/lsb-compat/README.md"'
tests_unit_test_lsb_CFLAGS = $(LSB_TEST_CFLAGS)
tests_unit_test_lsb_LDADD = $(LIBS_LSB) $(CHECK_LIBS)

check_PROGRAMS += tests/fuzz/fuzz_lsb_header tests/fuzz/fuzz_lsb_facilities
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

check_PROGRAMS += tests/unit/test_lsb_order
TESTS += tests/unit/test_lsb_order
tests_unit_test_lsb_order_SOURCES = tests/unit/test_lsb_order.c tests/lib/check-main.c tests/lib/diags.h
tests_unit_test_lsb_order_CFLAGS = $(LSB_TEST_CFLAGS)
tests_unit_test_lsb_order_LDADD = $(LIBS_LSB) $(CHECK_LIBS)
