# SPDX-License-Identifier: LGPL-2.1-or-later

check_PROGRAMS += tests/unit/test_fstab
TESTS += tests/unit/test_fstab
tests_unit_test_fstab_SOURCES = tests/unit/test_fstab.c tests/lib/check-main.c tests/lib/diags.h
tests_unit_test_fstab_CPPFLAGS = $(AM_CPPFLAGS) -iquote $(top_srcdir)/tools
tests_unit_test_fstab_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_fstab_LDADD = libgenerate.a $(LIBS_MODEL) $(CHECK_LIBS)

check_PROGRAMS += tests/unit/test_volumes
TESTS += tests/unit/test_volumes
tests_unit_test_volumes_SOURCES = tests/unit/test_volumes.c tests/lib/check-main.c tests/lib/diags.h \
	tests/lib/tree.c tests/lib/tree.h
tests_unit_test_volumes_CPPFLAGS = $(AM_CPPFLAGS) -iquote $(top_srcdir)/tools \
	-DSHIPPED_FILES='"$(abs_top_srcdir)/services.d"'
tests_unit_test_volumes_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_volumes_LDADD = libgenerate.a $(LIBS_CONFIG) $(CHECK_LIBS)

check_PROGRAMS += tests/unit/test_consoles
TESTS += tests/unit/test_consoles
tests_unit_test_consoles_SOURCES = tests/unit/test_consoles.c tests/lib/check-main.c
tests_unit_test_consoles_CPPFLAGS = $(AM_CPPFLAGS) -iquote $(top_srcdir)/tools
tests_unit_test_consoles_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_consoles_LDADD = libgenerate.a $(LIBS_BASE) $(CHECK_LIBS)

check_PROGRAMS += tests/unit/test_bus_activation
TESTS += tests/unit/test_bus_activation
tests_unit_test_bus_activation_SOURCES = tests/unit/test_bus_activation.c tests/lib/check-main.c tests/lib/diags.h \
	tests/lib/tree.c tests/lib/tree.h
tests_unit_test_bus_activation_CPPFLAGS = $(AM_CPPFLAGS) -iquote $(top_srcdir)/tools
tests_unit_test_bus_activation_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_bus_activation_LDADD = libgenerate.a $(LIBS_MODEL) $(CHECK_LIBS)

check_PROGRAMS += tests/unit/test_display_manager
TESTS += tests/unit/test_display_manager
tests_unit_test_display_manager_SOURCES = tests/unit/test_display_manager.c tests/lib/check-main.c
tests_unit_test_display_manager_CPPFLAGS = $(AM_CPPFLAGS) -iquote $(top_srcdir)/tools
tests_unit_test_display_manager_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_display_manager_LDADD = libgenerate.a $(LIBS_BASE) $(CHECK_LIBS)

check_PROGRAMS += tests/unit/test_inittab
TESTS += tests/unit/test_inittab
tests_unit_test_inittab_SOURCES = tests/unit/test_inittab.c tests/lib/check-main.c tests/lib/diags.h
tests_unit_test_inittab_CPPFLAGS = $(AM_CPPFLAGS) -iquote $(top_srcdir)/tools
tests_unit_test_inittab_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_inittab_LDADD = libgenerate.a $(LIBS_MODEL) $(CHECK_LIBS)

check_PROGRAMS += tests/fuzz/fuzz_inittab
TESTS += tests/fuzz/fuzz_inittab
tests_fuzz_fuzz_inittab_SOURCES = tests/fuzz/fuzz_inittab.c tests/fuzz/driver.c
tests_fuzz_fuzz_inittab_CPPFLAGS = $(AM_CPPFLAGS) -iquote $(top_srcdir)/tools \
	-DFUZZ_CORPUS='"$(abs_top_srcdir)/tests/data/inittabs"'
tests_fuzz_fuzz_inittab_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS)
tests_fuzz_fuzz_inittab_LDADD = libgenerate.a $(LIBS_BASE)
EXTRA_DIST += tests/data/inittabs

check_PROGRAMS += tests/unit/test_generate
TESTS += tests/unit/test_generate
tests_unit_test_generate_SOURCES = tests/unit/test_generate.c tests/lib/check-main.c tests/lib/diags.h \
	tests/lib/tree.c tests/lib/tree.h
tests_unit_test_generate_CPPFLAGS = $(AM_CPPFLAGS) -iquote $(top_srcdir)/tools
tests_unit_test_generate_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_generate_LDADD = $(LIBS_GENERATE) $(CHECK_LIBS)

check_PROGRAMS += tests/unit/test_crypttab
TESTS += tests/unit/test_crypttab
tests_unit_test_crypttab_SOURCES = tests/unit/test_crypttab.c tests/lib/check-main.c tests/lib/diags.h
tests_unit_test_crypttab_CPPFLAGS = $(AM_CPPFLAGS) -iquote $(top_srcdir)/tools
tests_unit_test_crypttab_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_crypttab_LDADD = libgenerate.a $(LIBS_MODEL) $(CHECK_LIBS)

check_PROGRAMS += tests/unit/test_instances
TESTS += tests/unit/test_instances
tests_unit_test_instances_SOURCES = tests/unit/test_instances.c tests/lib/check-main.c tests/lib/diags.h \
	tests/lib/tree.c tests/lib/tree.h
tests_unit_test_instances_CPPFLAGS = $(AM_CPPFLAGS) -iquote $(top_srcdir)/tools
tests_unit_test_instances_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_instances_LDADD = libgenerate.a $(LIBS_MODEL) $(CHECK_LIBS)

check_PROGRAMS += tests/unit/test_samba
TESTS += tests/unit/test_samba
tests_unit_test_samba_SOURCES = tests/unit/test_samba.c tests/lib/check-main.c
tests_unit_test_samba_CPPFLAGS = $(AM_CPPFLAGS) -iquote $(top_srcdir)/tools
tests_unit_test_samba_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_samba_LDADD = libgenerate.a $(LIBS_BASE) $(CHECK_LIBS)
