# SPDX-License-Identifier: LGPL-2.1-or-later

check_PROGRAMS += tests/unit/test_loader
TESTS += tests/unit/test_loader
tests_unit_test_loader_SOURCES = tests/unit/test_loader.c tests/lib/check-main.c tests/lib/diags.h \
	tests/lib/many-names.h tests/lib/tree.c tests/lib/tree.h
tests_unit_test_loader_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_loader_LDADD = $(LIBS_CONFIG) $(CHECK_LIBS)

check_PROGRAMS += tests/unit/test_policy_property
TESTS += tests/unit/test_policy_property
tests_unit_test_policy_property_SOURCES = tests/unit/test_policy_property.c tests/lib/check-main.c tests/lib/diags.h \
	tests/lib/tree.c tests/lib/tree.h
tests_unit_test_policy_property_CPPFLAGS = $(AM_CPPFLAGS) \
	-DSHIPPED_POLICIES='"$(abs_top_srcdir)/services.d/policy"'
tests_unit_test_policy_property_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_policy_property_LDADD = $(LIBS_CONFIG) $(CHECK_LIBS)

check_PROGRAMS += tests/unit/test_source_file
TESTS += tests/unit/test_source_file
tests_unit_test_source_file_SOURCES = tests/unit/test_source_file.c tests/lib/check-main.c tests/lib/tree.c tests/lib/tree.h
tests_unit_test_source_file_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_source_file_LDADD = $(LIBS_CONFIG) $(CHECK_LIBS)

check_PROGRAMS += tests/unit/test_search_path
TESTS += tests/unit/test_search_path
tests_unit_test_search_path_SOURCES = tests/unit/test_search_path.c tests/lib/check-main.c
tests_unit_test_search_path_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_search_path_LDADD = $(LIBS_CONFIG) $(CHECK_LIBS)

check_PROGRAMS += tests/unit/test_kernel_cmdline
TESTS += tests/unit/test_kernel_cmdline
tests_unit_test_kernel_cmdline_SOURCES = tests/unit/test_kernel_cmdline.c tests/lib/check-main.c
tests_unit_test_kernel_cmdline_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_kernel_cmdline_LDADD = $(LIBS_CONFIG) $(CHECK_LIBS)

check_PROGRAMS += tests/unit/test_groups
TESTS += tests/unit/test_groups
tests_unit_test_groups_SOURCES = tests/unit/test_groups.c tests/lib/check-main.c tests/lib/tree.c tests/lib/tree.h
tests_unit_test_groups_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_groups_LDADD = $(LIBS_CONFIG) $(CHECK_LIBS)

check_PROGRAMS += tests/unit/test_accounts
TESTS += tests/unit/test_accounts
tests_unit_test_accounts_SOURCES = tests/unit/test_accounts.c tests/lib/check-main.c
tests_unit_test_accounts_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_accounts_LDADD = $(LIBS_CONFIG) $(CHECK_LIBS)
