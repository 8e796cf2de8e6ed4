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
