# SPDX-License-Identifier: LGPL-2.1-or-later

LIBS_PROCESS = libprocess.a libmodel.a libsandbox.a libworker.a libloop.a $(LIBS_BASE)
STAGE_TEST_LDADD = libstage.a libtest.a $(LIBS_PROCESS) $(CHECK_LIBS)

TESTS += tests/unit/test_supervise
tests_unit_test_supervise_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_supervise_LDADD = $(STAGE_TEST_LDADD)

TESTS += tests/unit/test_supervise_no_cgroup
tests_unit_test_supervise_no_cgroup_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_supervise_no_cgroup_LDADD = $(STAGE_TEST_LDADD)

TESTS += tests/unit/test_supervise_probe
tests_unit_test_supervise_probe_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_supervise_probe_LDADD = $(STAGE_TEST_LDADD)

TESTS += tests/unit/test_supervise_script
tests_unit_test_supervise_script_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_supervise_script_LDADD = $(STAGE_TEST_LDADD)

TESTS += tests/unit/test_supervise_script_crash
tests_unit_test_supervise_script_crash_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_supervise_script_crash_LDADD = $(STAGE_TEST_LDADD)

TESTS += tests/unit/test_supervise_script_pid_file
tests_unit_test_supervise_script_pid_file_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_supervise_script_pid_file_LDADD = $(STAGE_TEST_LDADD)

TESTS += tests/unit/test_supervise_script_restart
tests_unit_test_supervise_script_restart_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_supervise_script_restart_LDADD = $(STAGE_TEST_LDADD)

TESTS += tests/unit/test_supervise_start
tests_unit_test_supervise_start_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_supervise_start_LDADD = $(STAGE_TEST_LDADD)

TESTS += tests/unit/test_supervise_stop
tests_unit_test_supervise_stop_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_supervise_stop_LDADD = $(STAGE_TEST_LDADD)

TESTS += tests/unit/test_supervise_watchdog
tests_unit_test_supervise_watchdog_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_supervise_watchdog_LDADD = $(STAGE_TEST_LDADD)

TESTS += tests/unit/test_keeper_link
tests_unit_test_keeper_link_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_keeper_link_LDADD = libtest.a $(LIBS_PROCESS) $(CHECK_LIBS)

TESTS += tests/unit/test_privileges
tests_unit_test_privileges_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_privileges_LDADD = libtest.a $(LIBS_PROCESS) $(CHECK_LIBS)

TESTS += tests/unit/test_resources
tests_unit_test_resources_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_resources_LDADD = libtest.a $(LIBS_PROCESS) $(CHECK_LIBS)

TESTS += tests/unit/test_notify_socket
tests_unit_test_notify_socket_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_notify_socket_LDADD = libtest.a $(LIBS_PROCESS) $(CHECK_LIBS)

TESTS += tests/unit/test_log_router
tests_unit_test_log_router_CPPFLAGS = $(AM_CPPFLAGS) -DSVC_LOGGER='"$(abs_top_builddir)/svc-logger"'
tests_unit_test_log_router_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_log_router_LDADD = $(STAGE_TEST_LDADD)
EXTRA_tests_unit_test_log_router_DEPENDENCIES = svc-logger$(EXEEXT)

TESTS += tests/unit/test_listening
tests_unit_test_listening_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_listening_LDADD = libtest.a $(LIBS_PROCESS) $(CHECK_LIBS)

TESTS += tests/fuzz/fuzz_keeper_link
EXTRA_DIST += tests/data/link-acts
tests_fuzz_fuzz_keeper_link_SOURCES = tests/fuzz/fuzz_keeper_link.c tests/fuzz/driver.c tests/fuzz/datagram.c tests/fuzz/datagram.h tests/fuzz/input.h
tests_fuzz_fuzz_keeper_link_CPPFLAGS = $(AM_CPPFLAGS) -DFUZZ_CORPUS='"$(abs_top_srcdir)/tests/data/link-acts"'
tests_fuzz_fuzz_keeper_link_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS)
tests_fuzz_fuzz_keeper_link_LDADD = $(LIBS_PROCESS)

TESTS += tests/fuzz/fuzz_notify
EXTRA_DIST += tests/data/notify-datagrams
tests_fuzz_fuzz_notify_SOURCES = tests/fuzz/fuzz_notify.c tests/fuzz/driver.c tests/fuzz/datagram.c tests/fuzz/datagram.h
tests_fuzz_fuzz_notify_CPPFLAGS = $(AM_CPPFLAGS) -DFUZZ_CORPUS='"$(abs_top_srcdir)/tests/data/notify-datagrams"'
tests_fuzz_fuzz_notify_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS)
tests_fuzz_fuzz_notify_LDADD = $(LIBS_PROCESS)
