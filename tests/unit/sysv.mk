# SPDX-License-Identifier: LGPL-2.1-or-later

TESTS += tests/unit/test_initctl
tests_unit_test_initctl_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_initctl_LDADD = libtest.a libsysv.a $(LIBS_LOOP) $(CHECK_LIBS)

TESTS += tests/unit/test_shutdown_schedule
tests_unit_test_shutdown_schedule_SOURCES = tests/unit/test_shutdown_schedule.c tools/svc-sysv/allowed.c \
	tools/svc-sysv/schedule.c
tests_unit_test_shutdown_schedule_CPPFLAGS = $(svc_sysv_CPPFLAGS)
tests_unit_test_shutdown_schedule_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_shutdown_schedule_LDADD = libtest.a $(LIBS_BASE) $(CHECK_LIBS)

TESTS += tests/fuzz/fuzz_initctl
tests_fuzz_fuzz_initctl_SOURCES = tests/fuzz/fuzz_initctl.c tests/fuzz/driver.c
tests_fuzz_fuzz_initctl_CPPFLAGS = $(AM_CPPFLAGS) -DFUZZ_CORPUS='"$(abs_top_srcdir)/tests/data/initctl-records"'
tests_fuzz_fuzz_initctl_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS)
tests_fuzz_fuzz_initctl_LDADD = libsysv.a $(LIBS_LOOP)
EXTRA_DIST += tests/data/initctl-records
