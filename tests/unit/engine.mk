# SPDX-License-Identifier: LGPL-2.1-or-later

EXTRA_DIST += tests/lib/world.c tests/lib/world.h

check_PROGRAMS += tests/unit/test_engine
TESTS += tests/unit/test_engine
tests_unit_test_engine_SOURCES = tests/unit/test_engine.c tests/lib/world.c tests/lib/check-main.c
tests_unit_test_engine_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_engine_LDADD = $(LIBS_ENGINE) $(CHECK_LIBS)
