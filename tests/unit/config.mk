# SPDX-License-Identifier: LGPL-2.1-or-later

TESTS += tests/unit/test_loader
tests_unit_test_loader_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_loader_LDADD = libtest.a $(LIBS_CONFIG) $(CHECK_LIBS)

TESTS += tests/unit/test_policy_property
tests_unit_test_policy_property_CPPFLAGS = $(AM_CPPFLAGS) -DSHIPPED_POLICIES='"$(abs_top_srcdir)/services.d/policy"'
tests_unit_test_policy_property_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_policy_property_LDADD = libtest.a $(LIBS_CONFIG) $(CHECK_LIBS)

TESTS += tests/unit/test_source_file
tests_unit_test_source_file_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_source_file_LDADD = libtest.a $(LIBS_CONFIG) $(CHECK_LIBS)

TESTS += tests/unit/test_search_path
tests_unit_test_search_path_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_search_path_LDADD = libtest.a $(LIBS_CONFIG) $(CHECK_LIBS)

TESTS += tests/unit/test_kernel_cmdline
tests_unit_test_kernel_cmdline_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_kernel_cmdline_LDADD = libtest.a $(LIBS_CONFIG) $(CHECK_LIBS)

TESTS += tests/unit/test_groups
tests_unit_test_groups_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_groups_LDADD = libtest.a $(LIBS_CONFIG) $(CHECK_LIBS)

TESTS += tests/unit/test_accounts
tests_unit_test_accounts_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_accounts_LDADD = libtest.a $(LIBS_CONFIG) $(CHECK_LIBS)

TESTS += tests/unit/test_bundle
tests_unit_test_bundle_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_bundle_LDADD = libtest.a $(LIBS_CONFIG) $(CHECK_LIBS)

TESTS += tests/fuzz/fuzz_bundle
tests_fuzz_fuzz_bundle_SOURCES = tests/fuzz/fuzz_bundle.c tests/fuzz/driver.c
tests_fuzz_fuzz_bundle_CPPFLAGS = $(AM_CPPFLAGS) -DFUZZ_CORPUS='"$(abs_top_srcdir)/tests/data/bundles"'
tests_fuzz_fuzz_bundle_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS)
tests_fuzz_fuzz_bundle_LDADD = $(LIBS_CONFIG)

EXTRA_DIST += tests/data/bundles
