/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Notes and recovery: the state that survives the manager's death, and the damage that a bad note
 * can do.
 */
#include "config.h"

#include <check.h>
#include <string.h>

#include "boot/progress.h"
#include "tests/lib/suite.h"
#include "tests/lib/world.h"

#define DAEMON "[Service]\nExec=/usr/sbin/d\nReady=notify\nRestart=on-failure\n"
#define TASK "[Service]\nType=task\nExec=/usr/sbin/t\n"

/* The engine's part of a note. The manager adds another part. */
enum { OWN_BYTES = 84 };

static const char *note_of(World *w, const char *service)
{
	static char note[128];

	engine_note(world_engine(w), world_find(w, service), note, sizeof(note));
	return note;
}

/* --- a crash of the manager --- */

START_TEST(nothing_is_touched_when_the_manager_dies)
{
	g_autoptr(World) w = world_new("== a\n" DAEMON "== t\n" TASK "== b\n" DAEMON);
	int64_t since_us;

	world_ready(w, "a");
	world_exits(w, "t", 0);
	world_advance_s(w, 5);
	since_us = world_find(w, "a")->since_us;
	(void)world_log(w);

	world_crash(w);
	expect_log(w, "");
	expect_state(w, "a", STATE_READY);
	expect_state(w, "t", STATE_DONE);
	expect_state(w, "b", STATE_STARTING);
	ck_assert_int_eq(world_find(w, "a")->since_us, since_us);
	ck_assert_int_eq(world_find(w, "a")->main_pid, 4711);
	ck_assert_uint_eq(world_find(w, "a")->invocation, 1);
}
END_TEST

START_TEST(requests_of_the_admin_are_remembered)
{
	g_autoptr(World) w =
		world_new_with_policy("== a\n" DAEMON "== m\n" DAEMON,
				      "[runlevel 2]\nActivate=a\n[service m]\nActivation=manual\n");

	int64_t since_us;

	world_settle(w);
	world_stop(w, "a");
	world_start(w, "m");
	world_settle(w);
	(void)world_log(w);
	since_us = world_find(w, "a")->since_us;
	world_advance_s(w, 5);
	world_crash(w);
	world_settle(w);
	expect_log(w, "");
	expect_state(w, "a", STATE_IDLE);
	ck_assert_int_eq(world_find(w, "a")->since_us, since_us);
	expect_state(w, "m", STATE_READY);
}
END_TEST

START_TEST(the_restart_count_and_the_limit_go_on)
{
	g_autoptr(World) w = world_new(DAEMON);

	for (int i = 0; i < 4; i++) {
		world_dies(w, "it", 1);
		world_crash(w);
		ck_assert_uint_eq(world_find(w, "it")->n_restarts, (unsigned)i + 1);
		world_advance_s(w, 1.7);
		expect_state(w, "it", STATE_STARTING);
	}
	world_dies(w, "it", 1);
	expect_state(w, "it", STATE_FAILED);
	world_crash(w);
	expect_state(w, "it", STATE_FAILED);
	ck_assert(world_find(w, "it")->is_failed_for_good);
	ck_assert_str_eq(service_cause(world_find(w, "it")), "exit status 1");
}
END_TEST

START_TEST(a_backoff_goes_on_with_the_time_left)
{
	g_autoptr(World)
		w = world_new("[Service]\nExec=/bin/d\nRestart=always\nRestartDelay=10s\n");

	world_dies(w, "it", 1);
	world_advance_s(w, 7);
	world_crash(w);
	expect_state(w, "it", STATE_BACKOFF);
	world_advance_s(w, 2);
	expect_state(w, "it", STATE_BACKOFF);
	world_advance_s(w, 1);
	expect_state(w, "it", STATE_STARTING);
}
END_TEST

START_TEST(a_stop_that_was_under_way_ends)
{
	g_autoptr(World) w = world_new("== a\n" DAEMON "== b\n" DAEMON "[Conditions]\nAfter=a\n");

	world_settle(w);
	world_runlevel(w, "0");
	expect_state(w, "b", STATE_STOPPING);
	expect_state(w, "a", STATE_READY);
	world_crash(w);
	ck_assert(engine_is_shutting_down(world_engine(w)));
	expect_state(w, "a", STATE_READY);
	world_settle(w);
	expect_state(w, "a", STATE_IDLE);
	ck_assert(engine_is_stopped(world_engine(w)));
}
END_TEST

START_TEST(the_boot_is_not_begun_anew)
{
	g_autoptr(World) w = world_new(DAEMON);
	Progress progress;

	world_settle(w);
	progress_get(world_engine(w), &progress);
	ck_assert(progress.finished);
	world_advance_s(w, 50);
	world_crash(w);
	progress_get(world_engine(w), &progress);
	ck_assert(progress.finished);
	ck_assert_double_eq(progress_fraction(world_engine(w), world_now(w)), 1.0);
	ck_assert_int_eq(progress.boot_us, 100 * G_USEC_PER_SEC);
}
END_TEST

START_TEST(a_run_that_ended_unseen_is_a_failed_one)
{
	g_autoptr(World) w = world_new(DAEMON);
	Engine *engine = world_engine(w);

	ck_assert(engine_recover(engine, "it", "v=1 s=r i=4 t=5", false, 0, 0, world_now(w)));
	engine_begin(engine, NULL, world_now(w));
	expect_state(w, "it", STATE_BACKOFF);
	expect_cause(w, "it", "ended while no manager ran; next start in 100 ms");
	ck_assert_uint_eq(world_find(w, "it")->invocation, 4);
}
END_TEST

START_TEST(a_failure_without_recorded_text_still_has_a_cause)
{
	g_autoptr(World) w = world_new(DAEMON);

	ck_assert(engine_recover(world_engine(w), "it", "v=1 s=b i=4 t=5 x=", false, 0, 0,
				 world_now(w)));
	ck_assert_ptr_null(world_find(w, "it")->result);
	expect_cause(w, "it", "taken over from the previous manager");
}
END_TEST

/* --- the text --- */

START_TEST(a_service_without_history_has_no_note)
{
	g_autoptr(World) w = world_new_with_policy(DAEMON, "[runlevel 3]\nActivate=it\n");

	ck_assert_str_eq(note_of(w, "it"), "");
}
END_TEST

START_TEST(a_note_is_short_whatever_it_holds)
{
	g_autoptr(World) w = world_new_with_policy(
		"[Service]\nExec=/bin/d\nRestart=always\nRestartLimit=60/10min\n",
		"[runlevel 3]\nActivate=it\n");

	ck_assert(engine_recover(world_engine(w), "it",
				 "v=1 s=b i=9999999999 t=zzzzzzzz future=yes y=later "
				 "p=main:3:12345678901234:-rfxs",
				 false, 0, 0, INT64_MAX / 2));
	world_start(w, "it");
	for (int i = 0; i < 40; i++) {
		world_start_fails(
			w, "it",
			"cannot execute /usr/local/sbin/a-long-name: Permission denied, and more");
		world_gone(w, "it");
		ck_assert_uint_le(strlen(note_of(w, "it")), OWN_BYTES);
		ck_assert_ptr_nonnull(strstr(note_of(w, "it"), "v=1 s="));
		world_start(w, "it");
	}
}
END_TEST

/* The meaningless "exit statu" must not remain. */
START_TEST(a_result_that_does_not_fit_loses_the_part_before_its_last_colon)
{
	g_autoptr(World) w = world_new(
		"[Service]\nExec=/bin/d\nReady=notify\nRestart=always\nRestartLimit=60/10min\n"
		"RestartDelay=1s\n");

	for (int i = 0; i < 5; i++) {
		world_advance_s(w, 3600);
		world_start(w, "it");
		world_start_fails(w, "it", "ended before it was ready: exit status 233");
		world_gone(w, "it");
	}
	ck_assert_ptr_null(strstr(note_of(w, "it"), "ended"));
	world_crash(w);
	ck_assert_str_eq(world_find(w, "it")->result, "exit status 233");
}
END_TEST

START_TEST(unknown_tokens_are_kept_and_the_managers_are_not)
{
	g_autoptr(World) w = world_new(DAEMON);

	ck_assert(engine_recover(world_engine(w), "it", "v=1 s=r i=1 y=later p=main:0:0:-", true, 1,
				 7, world_now(w)));
	ck_assert_ptr_nonnull(strstr(note_of(w, "it"), " y=later"));
	ck_assert_ptr_null(strstr(note_of(w, "it"), "p=main"));
}
END_TEST

static const char *const bad_notes[] = {
	"hello",
	"v=2 s=r i=1",
	"v=1 s=q",
	"v=1 s=r i=!",
	"v=1 s=r a=z0@1",
	"v=1 s=r a=s0",
	"v=1 s=r b=1..2",
	"s=r i=1",
	"v=1 s=r t=-5",
	"v=1 s=rr",
	"v=1 s=r i=zzzzzzzzzzzzzzzzzzzz",
};

START_TEST(a_note_that_cannot_be_read_costs_the_history_never_the_process)
{
	g_autoptr(World) w = world_new(DAEMON);

	ck_assert_msg(!engine_recover(world_engine(w), "it", bad_notes[_i], true, 6, 321,
				      world_now(w)),
		      "%s", bad_notes[_i]);
	engine_begin(world_engine(w), NULL, world_now(w));
	expect_state(w, "it", STATE_READY);
	ck_assert_uint_eq(world_find(w, "it")->invocation, 6);
	ck_assert_int_eq(world_find(w, "it")->main_pid, 321);
}
END_TEST

/*
 * A manager without notes, or without the admin's files, must not stop unknown services.
 */
START_TEST(a_process_without_a_note_is_kept_although_nothing_wants_it)
{
	g_autoptr(World) w = world_new(DAEMON);

	ck_assert(engine_recover(world_engine(w), "orphan", "", true, 2, 99, world_now(w)));
	engine_begin(world_engine(w), NULL, world_now(w));
	expect_state(w, "orphan", STATE_READY);
	ck_assert_int_eq(world_find(w, "orphan")->want_reason, WANT_ADMIN);

	ck_assert(engine_set_runlevel(world_engine(w), "0", &(Requester){ 0 }, world_now(w), NULL));
	expect_state(w, "orphan", STATE_STOPPING);
}
END_TEST

START_TEST(a_process_without_a_note_ends_with_the_machine)
{
	g_autoptr(World) w = world_new(DAEMON);

	ck_assert(engine_recover(world_engine(w), "orphan", "", true, 2, 99, world_now(w)));
	engine_begin(world_engine(w), "0", world_now(w));
	expect_state(w, "orphan", STATE_STOPPING);
}
END_TEST

START_TEST(between_two_processes_of_a_run_the_note_names_the_invocation)
{
	g_autoptr(World) w = world_new(DAEMON);

	ck_assert(engine_recover(world_engine(w), "it", "v=1 s=s i=3 t=5 p=cleanup:1:0:-", true, 0,
				 0, world_now(w)));
	ck_assert_uint_eq(world_find(w, "it")->invocation, 3);
	expect_state(w, "it", STATE_STOPPING);
}
END_TEST

START_TEST(a_living_service_without_a_file_is_kept_until_it_ends)
{
	g_autoptr(World) w = world_new(DAEMON);
	const ProcessEvent gone = { .kind = PROCESS_GONE };

	ck_assert(engine_recover(world_engine(w), "orphan", "v=1 s=r i=2 t=5", true, 2, 99,
				 world_now(w)));
	expect_state(w, "orphan", STATE_READY);
	engine_begin(world_engine(w), NULL, world_now(w));
	expect_state(w, "orphan", STATE_STOPPING);
	engine_process_event(world_engine(w), "orphan", 2, &gone, world_now(w));
	ck_assert_ptr_null(engine_find(world_engine(w), "orphan"));
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("note");

	ADD_CASE(suite, "crash", nothing_is_touched_when_the_manager_dies,
		 requests_of_the_admin_are_remembered, the_restart_count_and_the_limit_go_on,
		 a_backoff_goes_on_with_the_time_left, a_stop_that_was_under_way_ends,
		 the_boot_is_not_begun_anew, a_run_that_ended_unseen_is_a_failed_one,
		 a_failure_without_recorded_text_still_has_a_cause);
	suite_add_loop(suite, "text",
		       a_note_that_cannot_be_read_costs_the_history_never_the_process,
		       G_N_ELEMENTS(bad_notes));
	ADD_CASE(suite, "text", a_service_without_history_has_no_note,
		 a_note_is_short_whatever_it_holds,
		 a_result_that_does_not_fit_loses_the_part_before_its_last_colon,
		 unknown_tokens_are_kept_and_the_managers_are_not,
		 a_process_without_a_note_is_kept_although_nothing_wants_it,
		 a_process_without_a_note_ends_with_the_machine,
		 between_two_processes_of_a_run_the_note_names_the_invocation,
		 a_living_service_without_a_file_is_kept_until_it_ends);
	return suite;
}
