# SPDX-License-Identifier: LGPL-2.1-or-later

EXTRA_DIST += docs/engine.md docs/how-svcd-decides.md

TESTS += \
	tests/unit/test_backoff \
	tests/unit/test_boot_record \
	tests/unit/test_chain \
	tests/unit/test_demand \
	tests/unit/test_durations \
	tests/unit/test_engine \
	tests/unit/test_explain \
	tests/unit/test_health \
	tests/unit/test_listen \
	tests/unit/test_load \
	tests/unit/test_login_screen \
	tests/unit/test_note \
	tests/unit/test_progress \
	tests/unit/test_impact \
	tests/unit/test_refusal \
	tests/unit/test_request \
	tests/unit/test_script \
	tests/unit/test_settled \
	tests/unit/test_start_lock \
	tests/unit/test_stop_order \
	tests/unit/test_transitions \
	tests/unit/test_wait_limit \
	tests/unit/test_want

ENGINE_TEST_LDADD = libtest.a $(LIBS_BOOT) $(CHECK_LIBS)

tests_unit_test_login_screen_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_login_screen_LDADD = $(ENGINE_TEST_LDADD)

tests_unit_test_backoff_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_backoff_LDADD = $(ENGINE_TEST_LDADD)

tests_unit_test_transitions_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_transitions_LDADD = $(ENGINE_TEST_LDADD)

tests_unit_test_boot_record_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_boot_record_LDADD = $(ENGINE_TEST_LDADD)

tests_unit_test_chain_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_chain_LDADD = $(ENGINE_TEST_LDADD)

tests_unit_test_demand_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_demand_LDADD = $(ENGINE_TEST_LDADD)

tests_unit_test_listen_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_listen_LDADD = $(ENGINE_TEST_LDADD)

tests_unit_test_impact_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_impact_LDADD = $(ENGINE_TEST_LDADD)

tests_unit_test_refusal_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_refusal_LDADD = $(ENGINE_TEST_LDADD)

tests_unit_test_engine_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_engine_LDADD = $(ENGINE_TEST_LDADD)

tests_unit_test_health_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_health_LDADD = $(ENGINE_TEST_LDADD)

tests_unit_test_request_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_request_LDADD = $(ENGINE_TEST_LDADD)

tests_unit_test_explain_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_explain_LDADD = $(ENGINE_TEST_LDADD)

tests_unit_test_load_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_load_LDADD = $(ENGINE_TEST_LDADD)

tests_unit_test_note_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_note_LDADD = $(ENGINE_TEST_LDADD)

tests_unit_test_script_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_script_LDADD = $(ENGINE_TEST_LDADD)

tests_unit_test_settled_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_settled_LDADD = $(ENGINE_TEST_LDADD)


tests_unit_test_start_lock_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_start_lock_LDADD = $(ENGINE_TEST_LDADD)

tests_unit_test_stop_order_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_stop_order_LDADD = $(ENGINE_TEST_LDADD)

tests_unit_test_want_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_want_LDADD = $(ENGINE_TEST_LDADD)

tests_unit_test_wait_limit_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_wait_limit_LDADD = $(ENGINE_TEST_LDADD)

tests_unit_test_durations_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_durations_LDADD = $(ENGINE_TEST_LDADD)

tests_unit_test_progress_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_progress_LDADD = $(ENGINE_TEST_LDADD) -lm

TESTS += tests/fuzz/fuzz_durations
EXTRA_DIST += tests/data/durations
tests_fuzz_fuzz_durations_SOURCES = tests/fuzz/fuzz_durations.c tests/fuzz/driver.c
tests_fuzz_fuzz_durations_CPPFLAGS = $(AM_CPPFLAGS) -DFUZZ_CORPUS='"$(abs_top_srcdir)/tests/data/durations"'
tests_fuzz_fuzz_durations_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS)
tests_fuzz_fuzz_durations_LDADD = $(LIBS_BOOT)

TESTS += tests/fuzz/fuzz_note
EXTRA_DIST += tests/data/notes
tests_fuzz_fuzz_note_SOURCES = tests/fuzz/fuzz_note.c tests/fuzz/driver.c
tests_fuzz_fuzz_note_CPPFLAGS = $(AM_CPPFLAGS) -DFUZZ_CORPUS='"$(abs_top_srcdir)/tests/data/notes"'
tests_fuzz_fuzz_note_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS)
tests_fuzz_fuzz_note_LDADD = $(LIBS_BOOT)
