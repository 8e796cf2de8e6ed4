# SPDX-License-Identifier: LGPL-2.1-or-later

TESTS += tests/unit/test_fstab
tests_unit_test_fstab_CPPFLAGS = $(AM_CPPFLAGS) -iquote $(top_srcdir)/tools
tests_unit_test_fstab_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_fstab_LDADD = libtest.a libgenerate.a $(LIBS_MODEL) $(CHECK_LIBS)

TESTS += tests/unit/test_volumes
tests_unit_test_volumes_CPPFLAGS = $(AM_CPPFLAGS) -iquote $(top_srcdir)/tools \
	-DSHIPPED_FILES='"$(abs_top_srcdir)/services.d"'
tests_unit_test_volumes_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_volumes_LDADD = libtest.a libgenerate.a $(LIBS_CONFIG) $(CHECK_LIBS)

TESTS += tests/unit/test_consoles
tests_unit_test_consoles_CPPFLAGS = $(AM_CPPFLAGS) -iquote $(top_srcdir)/tools
tests_unit_test_consoles_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_consoles_LDADD = libtest.a libgenerate.a $(LIBS_BASE) $(CHECK_LIBS)

TESTS += tests/unit/test_bus_activation
tests_unit_test_bus_activation_CPPFLAGS = $(AM_CPPFLAGS) -iquote $(top_srcdir)/tools
tests_unit_test_bus_activation_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_bus_activation_LDADD = libtest.a libgenerate.a $(LIBS_MODEL) $(CHECK_LIBS)

TESTS += tests/unit/test_inittab
tests_unit_test_inittab_CPPFLAGS = $(AM_CPPFLAGS) -iquote $(top_srcdir)/tools
tests_unit_test_inittab_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_inittab_LDADD = libtest.a libgenerate.a $(LIBS_MODEL) $(CHECK_LIBS)

TESTS += tests/fuzz/fuzz_inittab
tests_fuzz_fuzz_inittab_SOURCES = tests/fuzz/fuzz_inittab.c tests/fuzz/driver.c
tests_fuzz_fuzz_inittab_CPPFLAGS = $(AM_CPPFLAGS) -iquote $(top_srcdir)/tools \
	-DFUZZ_CORPUS='"$(abs_top_srcdir)/tests/data/inittabs"'
tests_fuzz_fuzz_inittab_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS)
tests_fuzz_fuzz_inittab_LDADD = libgenerate.a $(LIBS_BASE)
EXTRA_DIST += tests/data/inittabs

TESTS += tests/unit/test_generate
tests_unit_test_generate_CPPFLAGS = $(AM_CPPFLAGS) -iquote $(top_srcdir)/tools
tests_unit_test_generate_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_generate_LDADD = libtest.a $(LIBS_GENERATE) $(CHECK_LIBS)

TESTS += tests/unit/test_crypttab
tests_unit_test_crypttab_CPPFLAGS = $(AM_CPPFLAGS) -iquote $(top_srcdir)/tools
tests_unit_test_crypttab_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_crypttab_LDADD = libtest.a libgenerate.a $(LIBS_MODEL) $(CHECK_LIBS)

TESTS += tests/unit/test_generators
tests_unit_test_generators_CPPFLAGS = $(AM_CPPFLAGS) -iquote $(top_srcdir)/tools \
	-DSHIPPED_FILES='"$(abs_top_srcdir)/services.d"'
tests_unit_test_generators_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_generators_LDADD = libtest.a $(LIBS_GENERATE) $(CHECK_LIBS)
