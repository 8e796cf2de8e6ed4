# SPDX-License-Identifier: LGPL-2.1-or-later

TESTS += tests/unit/test_import_unit
tests_unit_test_import_unit_CPPFLAGS = $(AM_CPPFLAGS) -iquote $(top_srcdir)/tools
tests_unit_test_import_unit_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_import_unit_LDADD = libtest.a libimportunit.a $(LIBS_MODEL) $(CHECK_LIBS)

TESTS += tests/fuzz/fuzz_unit
tests_fuzz_fuzz_unit_SOURCES = tests/fuzz/fuzz_unit.c tests/fuzz/driver.c
tests_fuzz_fuzz_unit_CPPFLAGS = $(AM_CPPFLAGS) -iquote $(top_srcdir)/tools \
	-DFUZZ_CORPUS='"$(abs_top_srcdir)/tests/data/units"'
tests_fuzz_fuzz_unit_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS)
tests_fuzz_fuzz_unit_LDADD = libimportunit.a $(LIBS_MODEL)
EXTRA_DIST += tests/data/units
