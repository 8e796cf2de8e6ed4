# SPDX-License-Identifier: LGPL-2.1-or-later

LIBS_PROCESS = libprocess.a libmodel.a $(INIH_LIBS) libloop.a $(LIBS_BASE)

check_PROGRAMS += tests/unit/test_supervise
TESTS += tests/unit/test_supervise
tests_unit_test_supervise_SOURCES = tests/unit/test_supervise.c tests/lib/check-main.c \
	tests/lib/fake-keeper.c tests/lib/fake-keeper.h tests/lib/tree.c tests/lib/tree.h
tests_unit_test_supervise_CPPFLAGS = $(AM_CPPFLAGS) -DSVC_EXEC='"$(abs_top_builddir)/svc-exec"'
tests_unit_test_supervise_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_supervise_LDADD = $(LIBS_PROCESS) $(CHECK_LIBS)
tests_unit_test_supervise_DEPENDENCIES = svc-exec$(EXEEXT) libprocess.a libmodel.a libloop.a libbase.a

check_PROGRAMS += tests/unit/test_notify_socket
TESTS += tests/unit/test_notify_socket
tests_unit_test_notify_socket_SOURCES = tests/unit/test_notify_socket.c tests/lib/check-main.c \
	tests/lib/tree.c tests/lib/tree.h
tests_unit_test_notify_socket_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_notify_socket_LDADD = $(LIBS_PROCESS) $(CHECK_LIBS)

check_PROGRAMS += tests/unit/test_log_pipe
TESTS += tests/unit/test_log_pipe
tests_unit_test_log_pipe_SOURCES = tests/unit/test_log_pipe.c tests/lib/check-main.c \
	tests/lib/fake-keeper.c tests/lib/fake-keeper.h tests/lib/tree.c tests/lib/tree.h
tests_unit_test_log_pipe_CPPFLAGS = $(AM_CPPFLAGS) -DSVC_LOGGER='"$(abs_top_builddir)/svc-logger"'
tests_unit_test_log_pipe_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_log_pipe_LDADD = $(LIBS_PROCESS) $(CHECK_LIBS)
tests_unit_test_log_pipe_DEPENDENCIES = svc-logger$(EXEEXT) libprocess.a libmodel.a libloop.a libbase.a
