# SPDX-License-Identifier: LGPL-2.1-or-later

TESTS += tests/unit/test_logger
tests_unit_test_logger_CPPFLAGS = $(AM_CPPFLAGS) -DSVC_LOGGER='"$(abs_top_builddir)/svc-logger"'
tests_unit_test_logger_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_logger_LDADD = libtest.a liblogger.a $(LIBS_BASE) $(CHECK_LIBS)
EXTRA_tests_unit_test_logger_DEPENDENCIES = svc-logger$(EXEEXT)
