# SPDX-License-Identifier: LGPL-2.1-or-later

LIBS_PROCESS = libprocess.a libmodel.a $(INIH_LIBS) libloop.a $(LIBS_BASE)

STAGE_SOURCES = tests/lib/stage.c tests/lib/stage.h \
	tests/lib/fake-keeper.c tests/lib/fake-keeper.h tests/lib/tree.c tests/lib/tree.h

check_PROGRAMS += tests/unit/test_supervise
TESTS += tests/unit/test_supervise
tests_unit_test_supervise_SOURCES = tests/unit/test_supervise.c tests/lib/check-main.c $(STAGE_SOURCES)
tests_unit_test_supervise_CPPFLAGS = $(AM_CPPFLAGS) -DSVC_EXEC='"$(abs_top_builddir)/svc-exec"'
tests_unit_test_supervise_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_supervise_LDADD = $(LIBS_PROCESS) $(CHECK_LIBS)
tests_unit_test_supervise_DEPENDENCIES = svc-exec$(EXEEXT) libprocess.a libmodel.a libloop.a libbase.a

check_PROGRAMS += tests/unit/test_supervise_probe
TESTS += tests/unit/test_supervise_probe
tests_unit_test_supervise_probe_SOURCES = tests/unit/test_supervise_probe.c tests/lib/check-main.c $(STAGE_SOURCES)
tests_unit_test_supervise_probe_CPPFLAGS = $(AM_CPPFLAGS) -DSVC_EXEC='"$(abs_top_builddir)/svc-exec"'
tests_unit_test_supervise_probe_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_supervise_probe_LDADD = $(LIBS_PROCESS) $(CHECK_LIBS)
tests_unit_test_supervise_probe_DEPENDENCIES = svc-exec$(EXEEXT) libprocess.a libmodel.a libloop.a libbase.a

check_PROGRAMS += tests/unit/test_supervise_script
TESTS += tests/unit/test_supervise_script
tests_unit_test_supervise_script_SOURCES = tests/unit/test_supervise_script.c tests/lib/check-main.c $(STAGE_SOURCES)
tests_unit_test_supervise_script_CPPFLAGS = $(AM_CPPFLAGS) -DSVC_EXEC='"$(abs_top_builddir)/svc-exec"'
tests_unit_test_supervise_script_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_supervise_script_LDADD = $(LIBS_PROCESS) $(CHECK_LIBS)
tests_unit_test_supervise_script_DEPENDENCIES = svc-exec$(EXEEXT) libprocess.a libmodel.a libloop.a libbase.a

check_PROGRAMS += tests/unit/test_keeper_link
TESTS += tests/unit/test_keeper_link
tests_unit_test_keeper_link_SOURCES = tests/unit/test_keeper_link.c tests/lib/check-main.c
tests_unit_test_keeper_link_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_keeper_link_LDADD = $(LIBS_PROCESS) $(CHECK_LIBS)

check_PROGRAMS += tests/unit/test_supervise_watchdog
TESTS += tests/unit/test_supervise_watchdog
tests_unit_test_supervise_watchdog_SOURCES = tests/unit/test_supervise_watchdog.c tests/lib/check-main.c $(STAGE_SOURCES)
tests_unit_test_supervise_watchdog_CPPFLAGS = $(AM_CPPFLAGS) -DSVC_EXEC='"$(abs_top_builddir)/svc-exec"'
tests_unit_test_supervise_watchdog_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_supervise_watchdog_LDADD = $(LIBS_PROCESS) $(CHECK_LIBS)
tests_unit_test_supervise_watchdog_DEPENDENCIES = svc-exec$(EXEEXT) libprocess.a libmodel.a libloop.a libbase.a

check_PROGRAMS += tests/unit/test_resources
TESTS += tests/unit/test_resources
tests_unit_test_resources_SOURCES = tests/unit/test_resources.c tests/lib/check-main.c \
	tests/lib/tree.c tests/lib/tree.h
tests_unit_test_resources_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_resources_LDADD = $(LIBS_PROCESS) $(CHECK_LIBS)

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

check_PROGRAMS += tests/unit/test_listening
TESTS += tests/unit/test_listening
tests_unit_test_listening_SOURCES = tests/unit/test_listening.c tests/lib/check-main.c
tests_unit_test_listening_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_listening_LDADD = $(LIBS_PROCESS) $(CHECK_LIBS)
