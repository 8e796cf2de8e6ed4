# SPDX-License-Identifier: LGPL-2.1-or-later

KEEPER_TEST_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)

# Tests of a real keeper start this manager, which lets the test play the manager.
check_PROGRAMS += tests/lib/fake-manager
tests_lib_fake_manager_SOURCES = tests/lib/fake-manager.c

# The keeper expects svc-finale beside its manager.
check_PROGRAMS += tests/lib/svc-finale
tests_lib_svc_finale_SOURCES = daemon/finale/main.c
tests_lib_svc_finale_LDADD = libfinale.a

TESTS += tests/unit/test_keeper
tests_unit_test_keeper_CFLAGS = $(KEEPER_TEST_CFLAGS)
tests_unit_test_keeper_LDADD = libtest.a $(CHECK_LIBS)

TESTS += tests/unit/test_keeper_managers
tests_unit_test_keeper_managers_CFLAGS = $(KEEPER_TEST_CFLAGS)
tests_unit_test_keeper_managers_LDADD = libtest.a $(CHECK_LIBS)

TESTS += tests/unit/test_keeper_shutdown
tests_unit_test_keeper_shutdown_CFLAGS = $(KEEPER_TEST_CFLAGS)
tests_unit_test_keeper_shutdown_LDADD = libtest.a $(CHECK_LIBS)

TESTS += tests/unit/test_keeper_hostile
tests_unit_test_keeper_hostile_CFLAGS = $(KEEPER_TEST_CFLAGS)
tests_unit_test_keeper_hostile_LDADD = libtest.a $(CHECK_LIBS)

TESTS += tests/unit/test_keeper_disposal
tests_unit_test_keeper_disposal_CFLAGS = $(KEEPER_TEST_CFLAGS)
tests_unit_test_keeper_disposal_LDADD = libtest.a $(CHECK_LIBS)

TESTS += tests/unit/test_keeper_children
tests_unit_test_keeper_children_CFLAGS = $(KEEPER_TEST_CFLAGS)
tests_unit_test_keeper_children_LDADD = libtest.a $(CHECK_LIBS)

TESTS += tests/unit/test_keeper_tables
tests_unit_test_keeper_tables_CFLAGS = $(KEEPER_TEST_CFLAGS)
tests_unit_test_keeper_tables_LDADD = libtest.a libkeeper.a $(CHECK_LIBS)

TESTS += tests/unit/test_keeper_messages
tests_unit_test_keeper_messages_CFLAGS = $(KEEPER_TEST_CFLAGS)
tests_unit_test_keeper_messages_LDADD = libtest.a libkeeper.a $(CHECK_LIBS)

TESTS += tests/unit/test_keeper_reexec
tests_unit_test_keeper_reexec_CFLAGS = $(KEEPER_TEST_CFLAGS)
tests_unit_test_keeper_reexec_LDADD = libtest.a libkeeper.a $(CHECK_LIBS)

TESTS += tests/unit/test_keeper_resume
tests_unit_test_keeper_resume_CFLAGS = $(KEEPER_TEST_CFLAGS)
tests_unit_test_keeper_resume_LDADD = libtest.a libkeeper.a $(CHECK_LIBS)

TESTS += tests/unit/test_keeper_pids
tests_unit_test_keeper_pids_CFLAGS = $(KEEPER_TEST_CFLAGS)
tests_unit_test_keeper_pids_LDADD = libtest.a $(CHECK_LIBS)

TESTS += tests/unit/test_keeper_resume_faults
tests_unit_test_keeper_resume_faults_CFLAGS = $(KEEPER_TEST_CFLAGS)
tests_unit_test_keeper_resume_faults_LDADD = libtest.a libkeeper.a $(CHECK_LIBS)

TESTS += tests/unit/test_keeper_start
tests_unit_test_keeper_start_CFLAGS = $(KEEPER_TEST_CFLAGS)
tests_unit_test_keeper_start_LDADD = libtest.a $(CHECK_LIBS)

TESTS += tests/unit/test_file_systems
tests_unit_test_file_systems_CFLAGS = $(KEEPER_TEST_CFLAGS)
tests_unit_test_file_systems_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=open,--wrap=umount2,--wrap=mount,--wrap=swapoff,--wrap=sync
tests_unit_test_file_systems_LDADD = libtest.a libfinale.a $(CHECK_LIBS)

TESTS += tests/unit/test_keeper_restart_limit
tests_unit_test_keeper_restart_limit_CFLAGS = $(KEEPER_TEST_CFLAGS)
tests_unit_test_keeper_restart_limit_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=keeper_now_us,--wrap=spawn_process
tests_unit_test_keeper_restart_limit_LDADD = libtest.a libkeeper.a $(CHECK_LIBS)

# PID 1's own loop in a simulated world: the linker redirects the loop's calls.
FUZZ_KEEPER_WRAPS = -Wl,--wrap=poll,--wrap=kill,--wrap=wait4,--wrap=waitpid,--wrap=waitid,--wrap=execve,--wrap=spawn_process,--wrap=spawn_fork,--wrap=finale_run,--wrap=console_log,--wrap=keeper_now_us
EXTRA_DIST += tests/data/keeper-acts tests/data/keeper-tables

TESTS += tests/fuzz/fuzz_keeper tests/fuzz/fuzz_tables
tests_fuzz_fuzz_keeper_SOURCES = tests/fuzz/fuzz_keeper.c tests/fuzz/driver.c tests/fuzz/datagram.c tests/fuzz/datagram.h \
	tests/fuzz/input.h tests/fuzz/keeper-holdings.c tests/fuzz/keeper-holdings.h tests/fuzz/keeper-talk.c tests/fuzz/keeper-talk.h \
	tests/fuzz/keeper-world.c tests/fuzz/keeper-world.h
tests_fuzz_fuzz_keeper_CPPFLAGS = $(AM_CPPFLAGS) -DFUZZ_MUTATIONS=5 \
	-DFUZZ_CORPUS='"$(abs_top_srcdir)/tests/data/keeper-acts"'
tests_fuzz_fuzz_keeper_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS)
tests_fuzz_fuzz_keeper_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_KEEPER_WRAPS)
tests_fuzz_fuzz_keeper_LDADD = libkeeper.a $(LIBS_BASE)
tests_fuzz_fuzz_tables_SOURCES = tests/fuzz/fuzz_tables.c tests/fuzz/driver.c tests/fuzz/keeper-world.c tests/fuzz/keeper-world.h
tests_fuzz_fuzz_tables_CPPFLAGS = $(AM_CPPFLAGS) -DFUZZ_CORPUS='"$(abs_top_srcdir)/tests/data/keeper-tables"'
tests_fuzz_fuzz_tables_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS)
tests_fuzz_fuzz_tables_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_KEEPER_WRAPS)
tests_fuzz_fuzz_tables_LDADD = libkeeper.a $(LIBS_BASE)

# This test contains its own manager link.
TESTS += tests/unit/test_keeper_watchdog
tests_unit_test_keeper_watchdog_CFLAGS = $(KEEPER_TEST_CFLAGS)
tests_unit_test_keeper_watchdog_LDADD = libtest.a libkeeper.a $(CHECK_LIBS)
