# SPDX-License-Identifier: LGPL-2.1-or-later

TESTS += tests/unit/test_name
tests_unit_test_name_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_name_LDADD = libtest.a $(LIBS_MODEL) $(CHECK_LIBS)

TESTS += tests/unit/test_key
tests_unit_test_key_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_key_LDADD = libtest.a $(LIBS_MODEL) $(CHECK_LIBS)

TESTS += tests/unit/test_term
tests_unit_test_term_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_term_LDADD = libtest.a $(LIBS_MODEL) $(CHECK_LIBS)

TESTS += tests/unit/test_held_programs
tests_unit_test_held_programs_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_held_programs_LDADD = libtest.a $(LIBS_MODEL) $(CHECK_LIBS)

TESTS += tests/unit/test_ini_source
tests_unit_test_ini_source_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_ini_source_LDADD = libtest.a $(LIBS_MODEL) $(CHECK_LIBS)

TESTS += tests/unit/test_service_parse
tests_unit_test_service_parse_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_service_parse_LDADD = libtest.a $(LIBS_MODEL) $(CHECK_LIBS)
tests_unit_test_service_parse_CPPFLAGS = $(AM_CPPFLAGS) -DTEST_DOCS='"$(abs_top_srcdir)/docs"'

TESTS += tests/unit/test_sandbox_keys
tests_unit_test_sandbox_keys_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_sandbox_keys_LDADD = libtest.a $(LIBS_MODEL) $(CHECK_LIBS)

TESTS += tests/unit/test_check
tests_unit_test_check_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_check_LDADD = libtest.a $(LIBS_MODEL) $(CHECK_LIBS)

TESTS += tests/unit/test_policy
tests_unit_test_policy_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_policy_LDADD = libtest.a $(LIBS_MODEL) $(CHECK_LIBS)

TESTS += tests/unit/test_policy_statement
tests_unit_test_policy_statement_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_policy_statement_LDADD = libtest.a $(LIBS_MODEL) $(CHECK_LIBS)

TESTS += tests/unit/test_service_set
tests_unit_test_service_set_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_service_set_LDADD = libtest.a $(LIBS_MODEL) $(CHECK_LIBS)

TESTS += tests/unit/test_graph
tests_unit_test_graph_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_graph_LDADD = libtest.a $(LIBS_MODEL) $(CHECK_LIBS)

TESTS += tests/unit/test_exec_def
tests_unit_test_exec_def_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_exec_def_LDADD = libtest.a $(LIBS_MODEL) $(CHECK_LIBS)

TESTS += tests/unit/test_bad_files
tests_unit_test_bad_files_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_bad_files_LDADD = libtest.a $(LIBS_MODEL) $(CHECK_LIBS)
tests_unit_test_bad_files_CPPFLAGS = $(AM_CPPFLAGS) -DTEST_DATA='"$(abs_top_srcdir)/tests/data"'
EXTRA_DIST += tests/data/bad-services tests/data/bad-policies

# Fuzz targets. Here each runs over its corpus and a fixed number of mutations of it. For a longer
# search, build its file with -fsanitize=fuzzer and without driver.c.
TESTS += tests/fuzz/fuzz_service tests/fuzz/fuzz_policy
tests_fuzz_fuzz_service_SOURCES = tests/fuzz/fuzz_service.c tests/fuzz/driver.c
tests_fuzz_fuzz_service_CPPFLAGS = $(AM_CPPFLAGS) -DFUZZ_CORPUS='"$(abs_top_srcdir)/tests/data/bad-services"'
tests_fuzz_fuzz_service_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS)
tests_fuzz_fuzz_service_LDADD = $(LIBS_MODEL)
tests_fuzz_fuzz_policy_SOURCES = tests/fuzz/fuzz_policy.c tests/fuzz/driver.c
tests_fuzz_fuzz_policy_CPPFLAGS = $(AM_CPPFLAGS) -DFUZZ_CORPUS='"$(abs_top_srcdir)/tests/data/bad-policies"'
tests_fuzz_fuzz_policy_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS)
tests_fuzz_fuzz_policy_LDADD = $(LIBS_MODEL)

TESTS += tests/unit/test_socket_fields
tests_unit_test_socket_fields_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_socket_fields_LDADD = libtest.a $(LIBS_MODEL) $(CHECK_LIBS)

TESTS += tests/unit/test_socket_def
tests_unit_test_socket_def_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_socket_def_LDADD = libtest.a $(LIBS_MODEL) $(CHECK_LIBS)
