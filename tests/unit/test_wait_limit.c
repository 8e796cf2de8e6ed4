/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * WaitTimeout=: how long an external condition may delay a service, and thus the services that wait
 * for that service.
 */
#include "config.h"

#include <check.h>
#include <string.h>

#include "engine/explain.h"
#include "tests/lib/suite.h"
#include "tests/lib/world.h"

#define TASK "[Service]\nType=task\nExec=/bin/t\n"
#define DAEMON "[Service]\nExec=/usr/sbin/d\nReady=notify\n"
#define MOUNT TASK "[Conditions]\nWhile=label:DATA\nWaitTimeout=90s\n"
#define OVER "label:DATA did not become true within 1 min 30 s"

static const char *note_of(World *w, const char *service)
{
	static char note[128];

	engine_note(world_engine(w), world_find(w, service), note, sizeof(note));
	return note;
}

/* --- services that wait --- */

START_TEST(what_comes_after_it_waits_for_the_device)
{
	g_autoptr(World)
		w = world_new("== data\n" MOUNT "== db\n" DAEMON "[Conditions]\nAfter=data\n");

	world_advance_s(w, 60);
	expect_state(w, "db", STATE_WAITING);
	ck_assert(!engine_is_at_rest(world_engine(w)));

	world_set(w, "label:DATA", true);
	expect_log(w, "start data");
	world_exits(w, "data", 0);
	expect_log(w, "start db");
}
END_TEST

START_TEST(when_the_time_is_over_it_has_failed_and_others_go_on)
{
	g_autoptr(World)
		w = world_new("== data\n" MOUNT "== db\n" DAEMON "[Conditions]\nAfter=data\n");

	ck_assert_int_eq(service_wait_until(world_find(w, "db")), 0);
	ck_assert_int_eq(service_wait_until(world_find(w, "data")),
			 world_now(w) + 90 * G_USEC_PER_SEC);
	world_advance_s(w, 89.9);
	expect_state(w, "data", STATE_WAITING);
	world_advance_s(w, 0.1);
	ck_assert_int_eq(service_wait_until(world_find(w, "data")), 0);
	expect_state(w, "data", STATE_FAILED);
	expect_cause(w, "data", OVER);
	expect_log(w, "start db");
}
END_TEST

START_TEST(without_a_limit_it_waits_for_ever_and_delays_nothing)
{
	g_autoptr(World) w = world_new(
		"== data\n" TASK "[Conditions]\nWhile=label:DATA\nWaitTimeout=0\n== db\n" DAEMON
		"[Conditions]\nAfter=data\n");

	expect_log(w, "start db");
	world_advance_s(w, 1000000);
	expect_state(w, "data", STATE_WAITING);
}
END_TEST

START_TEST(the_clock_begins_when_the_services_it_waits_for_are_there)
{
	g_autoptr(World) w = world_new("== data\n" MOUNT "After=root\n== root\n" TASK);

	world_advance_s(w, 60);
	world_exits(w, "root", 0);
	world_advance_s(w, 89);
	expect_state(w, "data", STATE_WAITING);
	world_advance_s(w, 1);
	expect_state(w, "data", STATE_FAILED);
}
END_TEST

START_TEST(a_service_that_comes_and_goes_does_not_restart_the_limit)
{
	g_autoptr(World) w = world_new("== data\n" MOUNT "After=root\n== root\n" DAEMON);

	world_ready(w, "root");
	world_advance_s(w, 80);
	world_restart(w, "root");
	world_settle(w);
	world_advance_s(w, 10);
	expect_state(w, "data", STATE_FAILED);
}
END_TEST

START_TEST(a_wait_that_external_conditions_cannot_end_has_no_limit)
{
	g_autoptr(World) w = world_new(
		"== a\n" TASK "[Conditions]\nWhen=kernel:data\nWhen=label:DATA\nWaitTimeout=1s\n"
		"== b\n" TASK "[Conditions]\nWhen=service:never\nWaitTimeout=1s\n"
		"== never\n" TASK "[Conditions]\nWhen=flag:f\n"
		"== c\n" DAEMON "[Conditions]\nAfter=a b\n");

	world_advance_s(w, 100);
	expect_state(w, "a", STATE_WAITING);
	expect_state(w, "b", STATE_WAITING);
	expect_state(w, "c", STATE_STARTING);
}
END_TEST

START_TEST(the_loser_of_a_conflict_does_not_run_out_of_time)
{
	g_autoptr(World)
		w = world_new_with_policy("== data\n" MOUNT "Conflicts=other\n== other\n" DAEMON,
					  "[runlevel 2]\nActivate=other data\n");

	world_advance_s(w, 100);
	expect_state(w, "data", STATE_WAITING);
	world_stop(w, "other");
	world_settle(w);
	world_advance_s(w, 89);
	expect_state(w, "data", STATE_WAITING);
	world_advance_s(w, 1);
	expect_state(w, "data", STATE_FAILED);
}
END_TEST

START_TEST(an_unknown_level_counts_from_the_beginning)
{
	g_autoptr(World) w = world_new("== data\n" MOUNT);

	world_set_unknown(w, "label:DATA");
	world_advance_s(w, 90);
	expect_state(w, "data", STATE_FAILED);
	expect_cause(w, "data", OVER);
}
END_TEST

START_TEST(several_terms_are_all_named)
{
	g_autoptr(World) w = world_new(
		TASK "[Conditions]\nWhile=label:DATA\nWhen=path:/x | flag:f\nWhen=flag:g\n"
		     "WaitTimeout=5s\n");

	world_set(w, "flag:g", true);
	world_advance_s(w, 5);
	expect_cause(w, "it", "path:/x | flag:f and label:DATA did not become true within 5.0 s");
}
END_TEST

/* --- afterwards --- */

static const struct {
	const char *conditions;
	bool was_known;
} late[] = {
	{ "While=label:DATA\nWaitTimeout=90s\n", true },
	{ "When=label:DATA\nWaitTimeout=90s\n", true },
	{ "While=label:DATA\nWaitTimeout=90s\n", false },
};

START_TEST(when_the_device_comes_late_it_gets_its_new_chance)
{
	g_autofree char *file = g_strconcat(TASK "[Conditions]\n", late[_i].conditions, NULL);
	g_autoptr(World) w = world_new(file);

	if (!late[_i].was_known)
		world_set_unknown(w, "label:DATA");
	world_advance_s(w, 100);
	expect_state(w, "it", STATE_FAILED);
	world_set(w, "label:DATA", true);
	expect_state(w, "it", STATE_STARTING);
	world_exits(w, "it", 0);
	expect_state(w, "it", STATE_DONE);
}
END_TEST

START_TEST(what_failed_by_itself_gets_one_new_chance_when_a_while_term_flips)
{
	g_autoptr(World) w = world_new(MOUNT);

	world_set(w, "label:DATA", true);
	world_dies(w, "it", 1);
	expect_state(w, "it", STATE_FAILED);
	world_advance_s(w, 1000);
	expect_state(w, "it", STATE_FAILED);

	world_set(w, "label:DATA", false);
	expect_state(w, "it", STATE_FAILED);
	world_set(w, "label:DATA", true);
	expect_state(w, "it", STATE_STARTING);
	ck_assert_uint_eq(world_find(w, "it")->invocation, 2);
}
END_TEST

START_TEST(a_device_that_leaves_is_waited_for_anew)
{
	g_autoptr(World) w = world_new(MOUNT);

	world_set(w, "label:DATA", true);
	world_settle(w);
	world_advance_s(w, 1000);
	world_set(w, "label:DATA", false);
	world_settle(w);
	world_advance_s(w, 89);
	expect_state(w, "it", STATE_WAITING);
	world_set(w, "label:DATA", true);
	world_settle(w);
	expect_state(w, "it", STATE_DONE);
	world_advance_s(w, 1000);
	expect_state(w, "it", STATE_DONE);
}
END_TEST

START_TEST(an_admins_start_begins_the_time_again)
{
	g_autoptr(World) w = world_new(MOUNT);

	world_advance_s(w, 90);
	world_start(w, "it");
	expect_state(w, "it", STATE_WAITING);
	world_advance_s(w, 89);
	expect_state(w, "it", STATE_WAITING);
	world_advance_s(w, 1);
	expect_state(w, "it", STATE_FAILED);
}
END_TEST

START_TEST(a_reload_may_shorten_or_end_it)
{
	g_autoptr(World) w = world_new("== it\n" MOUNT);

	world_advance_s(w, 10);
	world_reload(w, "== it\n" TASK "[Conditions]\nWhile=label:DATA\nWaitTimeout=5s\n", NULL);
	world_advance_s(w, 5);
	expect_state(w, "it", STATE_FAILED);
	world_start(w, "it");
	world_reload(w, "== it\n" TASK "[Conditions]\nWhile=label:DATA\n", NULL);
	world_advance_s(w, 1000);
	expect_state(w, "it", STATE_WAITING);
	ck_assert(engine_is_at_rest(world_engine(w)));
}
END_TEST

/* --- a crash of the manager --- */

START_TEST(the_deadline_survives_the_manager)
{
	g_autoptr(World)
		w = world_new("== it\n" MOUNT "== after\n" DAEMON "[Conditions]\nAfter=it\n");

	world_advance_s(w, 60);
	world_crash(w);
	expect_state(w, "it", STATE_WAITING);
	expect_state(w, "after", STATE_WAITING);
	world_advance_s(w, 29);
	expect_state(w, "it", STATE_WAITING);
	world_advance_s(w, 1);
	expect_state(w, "it", STATE_FAILED);
	expect_cause(w, "it", OVER);
}
END_TEST

START_TEST(a_new_manager_knows_that_it_failed_and_why)
{
	g_autoptr(World) w = world_new(MOUNT);

	world_advance_s(w, 90);
	world_crash(w);
	expect_state(w, "it", STATE_FAILED);
	expect_cause(w, "it", OVER);
	world_set(w, "label:DATA", true);
	expect_state(w, "it", STATE_STARTING);
}
END_TEST

START_TEST(an_absurd_deadline_in_a_note_is_capped_by_the_file)
{
	g_autoptr(World) w = world_new(MOUNT);

	ck_assert_ptr_nonnull(strstr(note_of(w, "it"), " u="));
	ck_assert(engine_recover(world_engine(w), "it", "v=1 s=w u=zzzzzzzzzz", false, 0, 0,
				 world_now(w)));
	engine_begin(world_engine(w), NULL, world_now(w));
	world_advance_s(w, 90);
	expect_state(w, "it", STATE_FAILED);
}
END_TEST

/* --- explain --- */

static bool is_told(World *w, const char *service, const char *sentence)
{
	g_autoptr(GPtrArray) reasons = explain_service(world_engine(w), service, world_now(w));

	for (unsigned i = 0; i < reasons->len; i++) {
		const Reason *reason = g_ptr_array_index(reasons, i);

		if (strstr(reason->text, sentence))
			return true;
	}
	return false;
}

START_TEST(explain_shows_the_time_left_and_the_missed_check)
{
	g_autoptr(World) w = world_new(MOUNT);

	world_advance_s(w, 60);
	ck_assert(is_told(w, "it", "30.0 s are left of WaitTimeout=."));
	world_advance_s(w, 30);
	ck_assert(is_told(w, "it", OVER ". It is tried again when all its conditions are true."));
	ck_assert(is_told(w, "it",
			  "waiting for a volume labelled DATA (/etc/svcd/services.d/it.svc:5)."));
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("wait limit");

	ADD_CASE(suite, "waiting", what_comes_after_it_waits_for_the_device,
		 when_the_time_is_over_it_has_failed_and_others_go_on,
		 without_a_limit_it_waits_for_ever_and_delays_nothing,
		 the_clock_begins_when_the_services_it_waits_for_are_there,
		 a_service_that_comes_and_goes_does_not_restart_the_limit,
		 a_wait_that_external_conditions_cannot_end_has_no_limit,
		 the_loser_of_a_conflict_does_not_run_out_of_time,
		 an_unknown_level_counts_from_the_beginning, several_terms_are_all_named);
	suite_add_loop(suite, "afterwards", when_the_device_comes_late_it_gets_its_new_chance,
		       G_N_ELEMENTS(late));
	ADD_CASE(suite, "afterwards",
		 what_failed_by_itself_gets_one_new_chance_when_a_while_term_flips,
		 a_device_that_leaves_is_waited_for_anew, an_admins_start_begins_the_time_again,
		 a_reload_may_shorten_or_end_it, explain_shows_the_time_left_and_the_missed_check);
	ADD_CASE(suite, "crash", the_deadline_survives_the_manager,
		 a_new_manager_knows_that_it_failed_and_why,
		 an_absurd_deadline_in_a_note_is_capped_by_the_file);
	return suite;
}
