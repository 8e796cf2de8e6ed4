# SPDX-License-Identifier: LGPL-2.1-or-later

check_PROGRAMS += tests/unit/test_logger
TESTS += tests/unit/test_logger
tests_unit_test_logger_SOURCES = tests/unit/test_logger.c tests/lib/check-main.c tests/lib/tree.c tests/lib/tree.h
tests_unit_test_logger_CPPFLAGS = $(AM_CPPFLAGS) -DSVC_LOGGER='"$(abs_top_builddir)/svc-logger"'
tests_unit_test_logger_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_logger_LDADD = liblogger.a $(LIBS_BASE) $(CHECK_LIBS)
tests_unit_test_logger_DEPENDENCIES = svc-logger$(EXEEXT) liblogger.a libbase.a
