/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Request: an admin's requests to the engine, and the CheckCommand= that some run first.
 */
#include "config.h"

#include "tests/lib/suite.h"
#include "tests/lib/world.h"

#define DAEMON "[Service]\nExec=/usr/sbin/d\nReady=notify\n"

/* --- requests --- */

START_TEST(an_admin_starts_and_stops_a_manual_service)
{
	g_autoptr(World) w = world_new_with_policy(DAEMON, "[service it]\nActivation=manual\n");

	expect_state(w, "it", STATE_IDLE);
	world_start(w, "it");
	expect_state(w, "it", STATE_STARTING);
	expect_cause(w, "it", "start by uid 0 (pid 812)");

	world_stop(w, "it");
	expect_state(w, "it", STATE_STOPPING);
	expect_cause(w, "it", "stop by uid 0 (pid 812)");
	world_dies(w, "it", 0);
	expect_state(w, "it", STATE_IDLE);
}
END_TEST

START_TEST(never_refuses_every_requester_and_is_remembered)
{
	g_autoptr(World) w = world_new_with_policy(DAEMON, "[service it]\nActivation=never\n");

	ck_assert_str_eq(world_refusal(w, REQUEST_VERB_START, "it"),
			 "it: its policy is never (/etc/svcd/policy.d/local.policy:2)");
	expect_state(w, "it", STATE_IDLE);
	expect_cause(w, "it",
		     "refused: start by uid 0 (pid 812): its policy is never "
		     "(/etc/svcd/policy.d/local.policy:2)");
}
END_TEST

START_TEST(restart_stops_and_starts)
{
	g_autoptr(World) w = world_new(DAEMON);

	world_settle(w);
	world_restart(w, "it");
	expect_state(w, "it", STATE_STOPPING);
	expect_cause(w, "it", "restart by uid 0 (pid 812)");
	world_settle(w);
	expect_state(w, "it", STATE_READY);
	expect_log(w, "start it, stop it, start it");
	ck_assert_uint_eq(world_find(w, "it")->n_restarts, 0);
}
END_TEST

START_TEST(restart_starts_what_did_not_run)
{
	g_autoptr(World) w = world_new_with_policy(DAEMON, "[service it]\nActivation=manual\n");

	world_restart(w, "it");
	expect_state(w, "it", STATE_STARTING);
}
END_TEST

START_TEST(a_restart_while_it_stops_is_not_lost)
{
	g_autoptr(World) w = world_new(DAEMON);

	world_settle(w);
	world_stop(w, "it");
	world_restart(w, "it");
	world_settle(w);
	expect_state(w, "it", STATE_READY);
}
END_TEST

START_TEST(a_stop_during_a_restart_wins)
{
	g_autoptr(World) w = world_new(DAEMON);

	world_settle(w);
	world_restart(w, "it");
	world_stop(w, "it");
	world_settle(w);
	expect_state(w, "it", STATE_IDLE);
}
END_TEST

START_TEST(a_start_gives_what_it_needs_another_chance_too)
{
	g_autoptr(World) w = world_new("== app\n" DAEMON
				       "[Conditions]\nWhile=service:bus\n== bus\n[Service]\n"
				       "Exec=/bin/bus\nReady=notify\nRestart=no\n");

	world_dies(w, "bus", 1);
	expect_state(w, "bus", STATE_FAILED);
	world_start(w, "app");
	expect_state(w, "bus", STATE_STARTING);
	expect_cause(w, "bus", "wanted in runlevel 2 (/etc/svcd/policy.d/local.policy:2)");
}
END_TEST

START_TEST(a_start_during_backoff_does_not_wait)
{
	g_autoptr(World) w = world_new("[Service]\nExec=/bin/d\nRestart=always\n");

	world_dies(w, "it", 1);
	expect_state(w, "it", STATE_BACKOFF);
	world_start(w, "it");
	expect_state(w, "it", STATE_STARTING);
}
END_TEST

START_TEST(reload_needs_a_reload_line)
{
	g_autoptr(World) w = world_new("== with\n" DAEMON "Reload=signal:HUP\n== without\n" DAEMON);

	world_settle(w);
	(void)world_log(w);
	ck_assert(world_request(w, REQUEST_VERB_RELOAD, "with"));
	expect_log(w, "reload with");
	ck_assert_str_eq(world_refusal(w, REQUEST_VERB_RELOAD, "without"),
			 "without: it has no Reload= in its service file");
}
END_TEST

START_TEST(clear_forgets_a_failure)
{
	g_autoptr(World) w = world_new("[Service]\nExec=/bin/d\nRestart=no\n");

	world_dies(w, "it", 1);
	expect_state(w, "it", STATE_FAILED);
	ck_assert(world_request(w, REQUEST_VERB_CLEAR, "it"));
	expect_state(w, "it", STATE_STARTING);
}
END_TEST

START_TEST(an_unknown_name_is_an_error)
{
	g_autoptr(World) w = world_new(DAEMON);

	ck_assert_str_eq(world_refusal(w, REQUEST_VERB_START, "nosuch"),
			 "there is no service \"nosuch\"");
}
END_TEST

/* --- CheckCommand= --- */

static const char checked[] =
	"== test\n[Service]\nExec=/bin/web\nReload=signal:HUP\nCheckCommand=/bin/web -t\n";

START_TEST(an_admins_stop_restart_and_reload_of_what_is_up_need_a_check)
{
	g_autoptr(World) w = world_new(checked);
	const Service *s = world_find(w, "test");

	ck_assert(!engine_needs_check(s, REQUEST_VERB_RESTART)); /* the service is not up yet */
	world_settle(w);

	expect_state(w, "test", STATE_READY);
	ck_assert(engine_needs_check(s, REQUEST_VERB_STOP));
	ck_assert(engine_needs_check(s, REQUEST_VERB_RESTART));
	ck_assert(engine_needs_check(s, REQUEST_VERB_RELOAD));
	ck_assert(!engine_needs_check(s, REQUEST_VERB_START));
	ck_assert(!engine_needs_check(s, REQUEST_VERB_CLEAR));
}
END_TEST

START_TEST(a_restart_of_a_group_needs_the_checks_of_its_members)
{
	g_autofree char *files =
		g_strconcat(checked,
			    "== plain\n[Service]\nExec=/bin/plain\nReload=signal:HUP\n"
			    "== all\n[Service]\nType=group\n[Conditions]\nWants=test plain\n",
			    NULL);
	g_autoptr(World) w = world_new(files);
	const RequestVerb verbs[] = { REQUEST_VERB_RESTART, REQUEST_VERB_RELOAD };

	world_settle(w);
	for (unsigned i = 0; i < G_N_ELEMENTS(verbs); i++) {
		g_autoptr(GPtrArray) all = engine_to_check(world_find(w, "all"), verbs[i]);

		ck_assert_uint_eq(all->len, 1);
		ck_assert_ptr_eq(g_ptr_array_index(all, 0), world_find(w, "test"));
	}
	ck_assert(!engine_needs_check(world_find(w, "all"), REQUEST_VERB_STOP));

	world_reload(w, files,
		     "[runlevel 2]\nActivate=test plain\n[service all]\nActivation=never\n");
	expect_state(w, "test", STATE_READY);
	ck_assert_ptr_nonnull(world_refusal(w, REQUEST_VERB_RESTART, "all"));
	ck_assert(!engine_needs_check(world_find(w, "all"), REQUEST_VERB_RESTART));
}
END_TEST

START_TEST(a_machine_that_goes_down_asks_no_check)
{
	g_autoptr(World) w = world_new(checked);

	world_settle(w);
	world_runlevel(w, "0");

	ck_assert(!engine_needs_check(world_find(w, "test"), REQUEST_VERB_STOP));
	world_settle(w);
	expect_state(w, "test", STATE_IDLE);
}
END_TEST

START_TEST(a_failed_check_is_in_the_history_and_changes_nothing)
{
	static const Requester requester = { .uid = 0, .pid = 812 };
	g_autoptr(World) w = world_new(checked);
	g_autoptr(GError) error = NULL;

	world_settle(w);
	engine_refuse(world_engine(w), REQUEST_VERB_RESTART, "test", &requester,
		      "exit status 1: line 7", world_now(w), &error);

	ck_assert_str_eq(
		error->message,
		"test: its CheckCommand= failed, so it keeps running unchanged: exit status 1: "
		"line 7");
	expect_state(w, "test", STATE_READY);
	expect_cause(w, "test",
		     "refused: restart by uid 0 (pid 812): its CheckCommand= failed, so it keeps "
		     "running unchanged: "
		     "exit status 1: line 7");
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("request");

	ADD_CASE(suite, "requests", an_admin_starts_and_stops_a_manual_service,
		 never_refuses_every_requester_and_is_remembered, restart_stops_and_starts,
		 restart_starts_what_did_not_run, a_restart_while_it_stops_is_not_lost,
		 a_stop_during_a_restart_wins, a_start_gives_what_it_needs_another_chance_too,
		 a_start_during_backoff_does_not_wait, reload_needs_a_reload_line,
		 clear_forgets_a_failure, an_unknown_name_is_an_error);
	ADD_CASE(suite,
		 "CheckCommand=", an_admins_stop_restart_and_reload_of_what_is_up_need_a_check,
		 a_restart_of_a_group_needs_the_checks_of_its_members,
		 a_machine_that_goes_down_asks_no_check,
		 a_failed_check_is_in_the_history_and_changes_nothing);
	return suite;
}
