# SPDX-License-Identifier: LGPL-2.1-or-later

# The program is tested from outside; libprocess writes its specifications, as in the manager.
check_PROGRAMS += tests/unit/test_exec
TESTS += tests/unit/test_exec
tests_unit_test_exec_SOURCES = tests/unit/test_exec.c tests/lib/check-main.c tests/lib/tree.c tests/lib/tree.h
tests_unit_test_exec_CPPFLAGS = $(AM_CPPFLAGS) -DSVC_EXEC='"$(abs_top_builddir)/svc-exec"'
tests_unit_test_exec_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_exec_LDADD = libprocess.a libmodel.a $(INIH_LIBS) libloop.a $(LIBS_BASE) $(CHECK_LIBS) -lutil
tests_unit_test_exec_DEPENDENCIES = svc-exec$(EXEEXT) libprocess.a libmodel.a libloop.a libbase.a
