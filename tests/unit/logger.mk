# SPDX-License-Identifier: LGPL-2.1-or-later

TESTS += tests/unit/test_log_file
tests_unit_test_log_file_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_log_file_LDADD = libtest.a liblogger.a $(LIBS_BASE) $(CHECK_LIBS)

TESTS += tests/unit/test_logger
tests_unit_test_logger_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_logger_LDADD = libtest.a liblogger.a $(LIBS_BASE) $(CHECK_LIBS)

TESTS += tests/unit/test_logger_syslog
tests_unit_test_logger_syslog_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_logger_syslog_LDADD = libtest.a $(LIBS_BASE) $(CHECK_LIBS)
