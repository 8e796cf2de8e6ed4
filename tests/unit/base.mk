# SPDX-License-Identifier: LGPL-2.1-or-later

TESTS += tests/unit/test_arena
tests_unit_test_arena_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_arena_LDADD = libtest.a $(LIBS_BASE) $(CHECK_LIBS)

TESTS += tests/unit/test_channel
tests_unit_test_channel_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_channel_LDADD = libtest.a $(LIBS_BASE) $(CHECK_LIBS)

TESTS += tests/unit/test_diag
tests_unit_test_diag_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_diag_LDADD = libtest.a $(LIBS_BASE) $(CHECK_LIBS)

TESTS += tests/unit/test_fd
tests_unit_test_fd_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_fd_LDADD = libtest.a $(LIBS_BASE) $(CHECK_LIBS)

TESTS += tests/unit/test_list
tests_unit_test_list_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_list_LDADD = libtest.a $(LIBS_BASE) $(CHECK_LIBS)

TESTS += tests/unit/test_log
tests_unit_test_log_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_log_LDADD = libtest.a $(LIBS_BASE) $(CHECK_LIBS)

TESTS += tests/unit/test_text
tests_unit_test_text_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_text_LDADD = libtest.a $(LIBS_BASE) $(CHECK_LIBS)

TESTS += tests/unit/test_safe_path
tests_unit_test_safe_path_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_safe_path_LDADD = libtest.a $(LIBS_BASE) $(CHECK_LIBS)

TESTS += tests/unit/test_tokens
tests_unit_test_tokens_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_tokens_LDADD = libtest.a $(LIBS_BASE) $(CHECK_LIBS)

TESTS += tests/unit/test_calendar
tests_unit_test_calendar_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_calendar_LDADD = libtest.a $(LIBS_BASE) $(CHECK_LIBS)
