# SPDX-License-Identifier: LGPL-2.1-or-later

# The program is tested from outside; libprocess writes its specifications, as in the manager.
TESTS += tests/unit/test_exec
tests_unit_test_exec_CPPFLAGS = $(AM_CPPFLAGS) -DSVC_EXEC='"$(abs_top_builddir)/svc-exec"'
tests_unit_test_exec_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_exec_LDADD = libtest.a libprocess.a libmodel.a $(INIH_LIBS) libloop.a $(LIBS_BASE) $(CHECK_LIBS) \
	-lutil
EXTRA_tests_unit_test_exec_DEPENDENCIES = svc-exec$(EXEEXT)
