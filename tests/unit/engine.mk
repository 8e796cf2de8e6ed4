# SPDX-License-Identifier: LGPL-2.1-or-later

EXTRA_DIST += docs/engine.md tests/lib/world.c tests/lib/world.h

ENGINE_TESTS = \
	tests/unit/test_backoff \
	tests/unit/test_boot_record \
	tests/unit/test_chain \
	tests/unit/test_demand \
	tests/unit/test_durations \
	tests/unit/test_engine \
	tests/unit/test_explain \
	tests/unit/test_listen \
	tests/unit/test_load \
	tests/unit/test_note \
	tests/unit/test_progress \
	tests/unit/test_reach \
	tests/unit/test_refusal \
	tests/unit/test_script \
	tests/unit/test_settled \
	tests/unit/test_start_lock \
	tests/unit/test_stop_order \
	tests/unit/test_transitions \
	tests/unit/test_wait_limit \
	tests/unit/test_want

check_PROGRAMS += $(ENGINE_TESTS)
TESTS += $(ENGINE_TESTS)
ENGINE_TEST_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(CHECK_CFLAGS)
ENGINE_TEST_LDADD = $(LIBS_ENGINE) $(CHECK_LIBS)

tests_unit_test_backoff_SOURCES = tests/unit/test_backoff.c tests/lib/check-main.c
tests_unit_test_backoff_CFLAGS = $(ENGINE_TEST_CFLAGS)
tests_unit_test_backoff_LDADD = $(ENGINE_TEST_LDADD)

tests_unit_test_transitions_SOURCES = tests/unit/test_transitions.c tests/lib/check-main.c
tests_unit_test_transitions_CFLAGS = $(ENGINE_TEST_CFLAGS)
tests_unit_test_transitions_LDADD = $(ENGINE_TEST_LDADD)

tests_unit_test_boot_record_SOURCES = tests/unit/test_boot_record.c tests/lib/world.c tests/lib/check-main.c
tests_unit_test_boot_record_CFLAGS = $(ENGINE_TEST_CFLAGS)
tests_unit_test_boot_record_LDADD = $(ENGINE_TEST_LDADD)

tests_unit_test_chain_SOURCES = tests/unit/test_chain.c tests/lib/world.c tests/lib/check-main.c
tests_unit_test_chain_CFLAGS = $(ENGINE_TEST_CFLAGS)
tests_unit_test_chain_LDADD = $(ENGINE_TEST_LDADD)

tests_unit_test_demand_SOURCES = tests/unit/test_demand.c tests/lib/world.c tests/lib/check-main.c
tests_unit_test_demand_CFLAGS = $(ENGINE_TEST_CFLAGS)
tests_unit_test_demand_LDADD = $(ENGINE_TEST_LDADD)

tests_unit_test_listen_SOURCES = tests/unit/test_listen.c tests/lib/world.c tests/lib/check-main.c
tests_unit_test_listen_CFLAGS = $(ENGINE_TEST_CFLAGS)
tests_unit_test_listen_LDADD = $(ENGINE_TEST_LDADD)

tests_unit_test_reach_SOURCES = tests/unit/test_reach.c tests/lib/world.c tests/lib/check-main.c
tests_unit_test_reach_CFLAGS = $(ENGINE_TEST_CFLAGS)
tests_unit_test_reach_LDADD = $(ENGINE_TEST_LDADD)

tests_unit_test_refusal_SOURCES = tests/unit/test_refusal.c tests/lib/world.c tests/lib/check-main.c
tests_unit_test_refusal_CFLAGS = $(ENGINE_TEST_CFLAGS)
tests_unit_test_refusal_LDADD = $(ENGINE_TEST_LDADD)

tests_unit_test_engine_SOURCES = tests/unit/test_engine.c tests/lib/world.c tests/lib/check-main.c
tests_unit_test_engine_CFLAGS = $(ENGINE_TEST_CFLAGS)
tests_unit_test_engine_LDADD = $(ENGINE_TEST_LDADD)

tests_unit_test_explain_SOURCES = tests/unit/test_explain.c tests/lib/world.c tests/lib/check-main.c
tests_unit_test_explain_CFLAGS = $(ENGINE_TEST_CFLAGS)
tests_unit_test_explain_LDADD = $(ENGINE_TEST_LDADD)

tests_unit_test_load_SOURCES = tests/unit/test_load.c tests/lib/world.c tests/lib/check-main.c
tests_unit_test_load_CFLAGS = $(ENGINE_TEST_CFLAGS)
tests_unit_test_load_LDADD = $(ENGINE_TEST_LDADD)

tests_unit_test_note_SOURCES = tests/unit/test_note.c tests/lib/world.c tests/lib/check-main.c
tests_unit_test_note_CFLAGS = $(ENGINE_TEST_CFLAGS)
tests_unit_test_note_LDADD = $(ENGINE_TEST_LDADD)

tests_unit_test_script_SOURCES = tests/unit/test_script.c tests/lib/world.c tests/lib/check-main.c
tests_unit_test_script_CFLAGS = $(ENGINE_TEST_CFLAGS)
tests_unit_test_script_LDADD = $(ENGINE_TEST_LDADD)

tests_unit_test_settled_SOURCES = tests/unit/test_settled.c tests/lib/world.c tests/lib/check-main.c
tests_unit_test_settled_CFLAGS = $(ENGINE_TEST_CFLAGS)
tests_unit_test_settled_LDADD = $(ENGINE_TEST_LDADD)

tests_unit_test_start_lock_SOURCES = tests/unit/test_start_lock.c tests/lib/world.c tests/lib/check-main.c
tests_unit_test_start_lock_CFLAGS = $(ENGINE_TEST_CFLAGS)
tests_unit_test_start_lock_LDADD = $(ENGINE_TEST_LDADD)

tests_unit_test_stop_order_SOURCES = tests/unit/test_stop_order.c tests/lib/world.c tests/lib/check-main.c
tests_unit_test_stop_order_CFLAGS = $(ENGINE_TEST_CFLAGS)
tests_unit_test_stop_order_LDADD = $(ENGINE_TEST_LDADD)

tests_unit_test_want_SOURCES = tests/unit/test_want.c tests/lib/world.c tests/lib/check-main.c
tests_unit_test_want_CFLAGS = $(ENGINE_TEST_CFLAGS)
tests_unit_test_want_LDADD = $(ENGINE_TEST_LDADD)

tests_unit_test_wait_limit_SOURCES = tests/unit/test_wait_limit.c tests/lib/world.c tests/lib/check-main.c
tests_unit_test_wait_limit_CFLAGS = $(ENGINE_TEST_CFLAGS)
tests_unit_test_wait_limit_LDADD = $(ENGINE_TEST_LDADD)

tests_unit_test_durations_SOURCES = tests/unit/test_durations.c tests/lib/check-main.c
tests_unit_test_durations_CFLAGS = $(ENGINE_TEST_CFLAGS)
tests_unit_test_durations_LDADD = $(ENGINE_TEST_LDADD)

tests_unit_test_progress_SOURCES = tests/unit/test_progress.c tests/lib/world.c tests/lib/check-main.c
tests_unit_test_progress_CFLAGS = $(ENGINE_TEST_CFLAGS)
tests_unit_test_progress_LDADD = $(ENGINE_TEST_LDADD) -lm

check_PROGRAMS += tests/fuzz/fuzz_durations
TESTS += tests/fuzz/fuzz_durations
EXTRA_DIST += tests/data/durations
tests_fuzz_fuzz_durations_SOURCES = tests/fuzz/fuzz_durations.c tests/fuzz/driver.c
tests_fuzz_fuzz_durations_CPPFLAGS = $(AM_CPPFLAGS) -DFUZZ_CORPUS='"$(abs_top_srcdir)/tests/data/durations"'
tests_fuzz_fuzz_durations_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS)
tests_fuzz_fuzz_durations_LDADD = $(LIBS_ENGINE)
