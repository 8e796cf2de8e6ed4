# SPDX-License-Identifier: LGPL-2.1-or-later

check_PROGRAMS += tests/unit/test_name
TESTS += tests/unit/test_name
tests_unit_test_name_SOURCES = tests/unit/test_name.c tests/lib/check-main.c
tests_unit_test_name_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_name_LDADD = $(LIBS_MODEL) $(CHECK_LIBS)

check_PROGRAMS += tests/unit/test_key
TESTS += tests/unit/test_key
tests_unit_test_key_SOURCES = tests/unit/test_key.c tests/lib/check-main.c
tests_unit_test_key_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_key_LDADD = $(LIBS_MODEL) $(CHECK_LIBS)

check_PROGRAMS += tests/unit/test_term
TESTS += tests/unit/test_term
tests_unit_test_term_SOURCES = tests/unit/test_term.c tests/lib/check-main.c
tests_unit_test_term_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_term_LDADD = $(LIBS_MODEL) $(CHECK_LIBS)

check_PROGRAMS += tests/unit/test_ini_source
TESTS += tests/unit/test_ini_source
tests_unit_test_ini_source_SOURCES = tests/unit/test_ini_source.c tests/lib/check-main.c tests/lib/diags.h
tests_unit_test_ini_source_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_ini_source_LDADD = $(LIBS_MODEL) $(CHECK_LIBS)

check_PROGRAMS += tests/unit/test_service_parse
TESTS += tests/unit/test_service_parse
tests_unit_test_service_parse_SOURCES = tests/unit/test_service_parse.c tests/lib/check-main.c tests/lib/diags.h
tests_unit_test_service_parse_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_service_parse_LDADD = $(LIBS_MODEL) $(CHECK_LIBS)
tests_unit_test_service_parse_CPPFLAGS = $(AM_CPPFLAGS) -DTEST_DOCS='"$(abs_top_srcdir)/docs"'

check_PROGRAMS += tests/unit/test_sandbox_keys
TESTS += tests/unit/test_sandbox_keys
tests_unit_test_sandbox_keys_SOURCES = tests/unit/test_sandbox_keys.c tests/lib/check-main.c tests/lib/diags.h
tests_unit_test_sandbox_keys_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_sandbox_keys_LDADD = $(LIBS_MODEL) $(CHECK_LIBS)

check_PROGRAMS += tests/unit/test_check
TESTS += tests/unit/test_check
tests_unit_test_check_SOURCES = tests/unit/test_check.c tests/lib/check-main.c tests/lib/diags.h \
	tests/lib/many-names.h
tests_unit_test_check_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_check_LDADD = $(LIBS_MODEL) $(CHECK_LIBS)

check_PROGRAMS += tests/unit/test_policy
TESTS += tests/unit/test_policy
tests_unit_test_policy_SOURCES = tests/unit/test_policy.c tests/lib/check-main.c tests/lib/diags.h
tests_unit_test_policy_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_policy_LDADD = $(LIBS_MODEL) $(CHECK_LIBS)

check_PROGRAMS += tests/unit/test_policy_statement
TESTS += tests/unit/test_policy_statement
tests_unit_test_policy_statement_SOURCES = tests/unit/test_policy_statement.c tests/lib/check-main.c tests/lib/diags.h
tests_unit_test_policy_statement_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_policy_statement_LDADD = $(LIBS_MODEL) $(CHECK_LIBS)

check_PROGRAMS += tests/unit/test_service_set
TESTS += tests/unit/test_service_set
tests_unit_test_service_set_SOURCES = tests/unit/test_service_set.c tests/lib/check-main.c tests/lib/diags.h
tests_unit_test_service_set_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_service_set_LDADD = $(LIBS_MODEL) $(CHECK_LIBS)

check_PROGRAMS += tests/unit/test_graph
TESTS += tests/unit/test_graph
tests_unit_test_graph_SOURCES = tests/unit/test_graph.c tests/lib/check-main.c tests/lib/diags.h
tests_unit_test_graph_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_graph_LDADD = $(LIBS_MODEL) $(CHECK_LIBS)

check_PROGRAMS += tests/unit/test_exec_def
TESTS += tests/unit/test_exec_def
tests_unit_test_exec_def_SOURCES = tests/unit/test_exec_def.c tests/lib/check-main.c tests/lib/diags.h
tests_unit_test_exec_def_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_exec_def_LDADD = $(LIBS_MODEL) $(CHECK_LIBS)

check_PROGRAMS += tests/unit/test_bad_files
TESTS += tests/unit/test_bad_files
tests_unit_test_bad_files_SOURCES = tests/unit/test_bad_files.c tests/lib/check-main.c tests/lib/diags.h
tests_unit_test_bad_files_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_bad_files_LDADD = $(LIBS_MODEL) $(CHECK_LIBS)
tests_unit_test_bad_files_CPPFLAGS = $(AM_CPPFLAGS) -DTEST_DATA='"$(abs_top_srcdir)/tests/data"'
EXTRA_DIST += tests/data/bad-services tests/data/bad-policies

# Fuzz targets. Here each runs over its corpus and a fixed number of mutations of it; to search for more, build the
# file with -fsanitize=fuzzer and without driver.c.
check_PROGRAMS += tests/fuzz/fuzz_service tests/fuzz/fuzz_policy
TESTS += tests/fuzz/fuzz_service tests/fuzz/fuzz_policy
tests_fuzz_fuzz_service_SOURCES = tests/fuzz/fuzz_service.c tests/fuzz/driver.c
tests_fuzz_fuzz_service_CPPFLAGS = $(AM_CPPFLAGS) -DFUZZ_CORPUS='"$(abs_top_srcdir)/tests/data/bad-services"'
tests_fuzz_fuzz_service_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS)
tests_fuzz_fuzz_service_LDADD = $(LIBS_MODEL)
tests_fuzz_fuzz_policy_SOURCES = tests/fuzz/fuzz_policy.c tests/fuzz/driver.c
tests_fuzz_fuzz_policy_CPPFLAGS = $(AM_CPPFLAGS) -DFUZZ_CORPUS='"$(abs_top_srcdir)/tests/data/bad-policies"'
tests_fuzz_fuzz_policy_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS)
tests_fuzz_fuzz_policy_LDADD = $(LIBS_MODEL)

check_PROGRAMS += tests/unit/test_socket_def
TESTS += tests/unit/test_socket_def
tests_unit_test_socket_def_SOURCES = tests/unit/test_socket_def.c tests/lib/check-main.c tests/lib/diags.h
tests_unit_test_socket_def_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_socket_def_LDADD = $(LIBS_MODEL) $(CHECK_LIBS)
