/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Want: policy, admin, needs, lingering; and conflicts among wanted services.
 */
#include "config.h"

#include <check.h>

#include "tests/lib/suite.h"
#include "tests/lib/world.h"

#define DAEMON "[Service]\nExec=/usr/sbin/d\nReady=notify\n"

/* --- needs --- */

START_TEST(the_needs_of_a_wanted_service_are_started)
{
	g_autoptr(World) w = world_new_with_policy(
		"== app\n" DAEMON "[Conditions]\nWhile=service:bus\nWants=helper\n"
		"== bus\n" DAEMON "== helper\n" DAEMON "== other\n" DAEMON,
		"[runlevel 2]\nActivate=app\n");

	expect_log(w, "start bus, start helper");
	expect_cause(w, "bus", "needed by app");
	expect_state(w, "other", STATE_IDLE);
}
END_TEST

START_TEST(terms_with_alternatives_or_negations_need_nothing)
{
	g_autoptr(World) w = world_new_with_policy("== app\n" DAEMON
						   "[Conditions]\nWhen=service:a | service:b\n"
						   "When=!service:c\nAfter=d\n== a\n" DAEMON
						   "== b\n" DAEMON "== c\n" DAEMON "== d\n" DAEMON,
						   "[runlevel 2]\nActivate=app\n");

	expect_log(w, "");
	expect_state(w, "app", STATE_WAITING);
}
END_TEST

START_TEST(a_service_that_nothing_needs_any_more_is_stopped_after_its_user)
{
	g_autoptr(World)
		w = world_new_with_policy("== app\n" DAEMON
					  "[Conditions]\nWhile=service:bus\n== bus\n" DAEMON,
					  "[runlevel 2]\nActivate=app\n");

	world_settle(w);
	(void)world_log(w);
	world_stop(w, "app");
	expect_log(w, "stop app");
	world_settle(w);
	expect_log(w, "stop bus");
	expect_cause(w, "bus", "nothing wants it any more");
}
END_TEST

START_TEST(two_services_that_only_need_each_other_stop)
{
	g_autoptr(World)
		w = world_new_with_policy("== a\n" DAEMON "[Conditions]\nWants=b\n== b\n" DAEMON
					  "[Conditions]\nWants=a\n== root\n" DAEMON
					  "[Conditions]\nWants=a\n",
					  "[runlevel 2]\nActivate=root\n");

	world_settle(w);
	expect_state(w, "b", STATE_READY);
	world_stop(w, "root");
	world_settle(w);
	expect_state(w, "a", STATE_IDLE);
	expect_state(w, "b", STATE_IDLE);
}
END_TEST

START_TEST(a_wanted_service_keeps_its_needs_in_any_state)
{
	g_autoptr(World) w =
		world_new_with_policy("== app\n[Service]\nExec=/bin/app\nRestart=no\n[Conditions]\n"
				      "While=service:bus\n== bus\n" DAEMON,
				      "[runlevel 2]\nActivate=app\n");

	world_settle(w);
	world_dies(w, "app", 1);
	expect_state(w, "app", STATE_FAILED);
	expect_state(w, "bus", STATE_READY);
}
END_TEST

START_TEST(a_manual_service_is_needed_only_by_what_an_admin_started)
{
	g_autoptr(World) w = world_new_with_policy(
		"== app\n" DAEMON "[Conditions]\nWhen=service:mid\n== mid\n" DAEMON
		"[Conditions]\nWhen=service:low\n== low\n" DAEMON,
		"[runlevel 2]\nActivate=app\n[service low]\nActivation=manual\n");

	expect_state(w, "low", STATE_IDLE);
	expect_state(w, "mid", STATE_WAITING);

	world_start(w, "app");
	expect_state(w, "low", STATE_STARTING);
	expect_cause(w, "low", "needed by mid");
}
END_TEST

START_TEST(never_holds_against_a_need)
{
	g_autoptr(World) w = world_new_with_policy(
		"== app\n" DAEMON "[Conditions]\nWhen=service:low\n== low\n" DAEMON,
		"[runlevel 2]\nActivate=app\n[service low]\nActivation=never\n");

	world_start(w, "app");
	expect_state(w, "low", STATE_IDLE);
	expect_log(w, "");
}
END_TEST

START_TEST(an_admins_stop_beats_a_need_until_the_next_start)
{
	g_autoptr(World)
		w = world_new("== app\n" DAEMON "[Conditions]\nWhile=service:bus\n== bus\n" DAEMON);

	world_settle(w);
	(void)world_log(w);
	world_stop(w, "bus");
	world_settle(w);
	expect_log(w, "stop app, stop bus");
	expect_state(w, "app", STATE_WAITING);
	expect_state(w, "bus", STATE_IDLE);

	world_start(w, "bus");
	world_settle(w);
	expect_state(w, "app", STATE_READY);
}
END_TEST

/* --- lingering --- */

#define LINGERING \
	"== app\n" DAEMON "[Conditions]\nWants=db\n== db\n[Service]\nExec=/bin/db\nLinger=5s\n"

START_TEST(linger_keeps_a_service_for_a_while)
{
	g_autoptr(World) w = world_new_with_policy(LINGERING, "[runlevel 2]\nActivate=app\n");

	world_settle(w);
	world_stop(w, "app");
	world_settle(w);
	expect_state(w, "db", STATE_READY);

	world_advance_s(w, 4);
	expect_state(w, "db", STATE_READY);
	world_advance_s(w, 1);
	expect_state(w, "db", STATE_STOPPING);
}
END_TEST

START_TEST(a_new_want_ends_the_lingering)
{
	g_autoptr(World) w = world_new_with_policy(LINGERING, "[runlevel 2]\nActivate=app\n");

	world_settle(w);
	world_stop(w, "app");
	world_settle(w);
	world_start(w, "app");
	world_settle(w);
	world_advance_s(w, 60);
	expect_state(w, "db", STATE_READY);
}
END_TEST

START_TEST(nothing_lingers_after_an_admins_stop_or_at_shutdown)
{
	g_autoptr(World) w = world_new_with_policy(LINGERING, "[runlevel 2]\nActivate=app db\n");

	world_settle(w);
	world_stop(w, "db");
	expect_state(w, "db", STATE_STOPPING);
	world_settle(w);
	world_start(w, "db");
	world_settle(w);
	world_runlevel(w, "6");
	world_settle(w);
	expect_state(w, "db", STATE_IDLE);
}
END_TEST

/* --- conflicts --- */

#define RIVALS "== a\n" DAEMON "[Conditions]\nConflicts=b\n== b\n" DAEMON

START_TEST(of_two_that_conflict_the_one_that_policy_names_first_runs)
{
	g_autoptr(World) w = world_new_with_policy(RIVALS, "[runlevel 2]\nActivate=b a\n");

	expect_log(w, "start b");
	expect_state(w, "a", STATE_WAITING);
}
END_TEST

START_TEST(an_explicit_start_makes_the_loser_the_winner)
{
	g_autoptr(World) w = world_new_with_policy(RIVALS, "[runlevel 2]\nActivate=b a\n");

	world_settle(w);
	(void)world_log(w);
	world_start(w, "a");
	expect_log(w, "stop b");
	expect_cause(w, "b", "conflicts with a");
	expect_state(w, "a", STATE_WAITING);

	world_settle(w);
	expect_log(w, "start a");
	expect_state(w, "b", STATE_WAITING);
}
END_TEST

START_TEST(the_loser_returns_when_the_winner_is_not_wanted_any_more)
{
	g_autoptr(World) w = world_new_with_policy(RIVALS, "[runlevel 2]\nActivate=b a\n");

	world_settle(w);
	world_stop(w, "b");
	world_settle(w);
	expect_state(w, "a", STATE_READY);
	expect_state(w, "b", STATE_IDLE);
}
END_TEST

START_TEST(a_third_one_runs_when_its_rival_lost)
{
	g_autoptr(World)
		w = world_new_with_policy("== a\n" DAEMON "[Conditions]\nConflicts=b\n== b\n" DAEMON
					  "[Conditions]\nConflicts=c\n== c\n" DAEMON,
					  "[runlevel 2]\nActivate=a b c\n");

	expect_log(w, "start a, start c");
}
END_TEST

/* --- stand-ins --- */

#define LOGIN_ON_TERMINAL                                                            \
	"== dm\n" DAEMON                                                             \
	"[Conditions]\nWhen=!kernel:text\nWhen=path:exec:/bin/dm\nConflicts=login\n" \
	"== login\n" DAEMON "[Conditions]\nStandIn=yes\n"
#define LOGIN_NAMED_FIRST "[runlevel 2]\nActivate=login dm\n"

static World *world_with_login(const char *when_text, Level program)
{
	World *w = world_new_with_policy(LOGIN_ON_TERMINAL, LOGIN_NAMED_FIRST);

	world_set(w, "kernel:text", when_text != NULL);
	world_set_level(w, "path:exec:/bin/dm", program, NULL, NULL);
	world_settle(w);
	return w;
}

START_TEST(a_stand_in_yields_regardless_of_policy_order_and_requester)
{
	g_autoptr(World) w = world_with_login(NULL, LEVEL_TRUE);

	expect_state(w, "dm", STATE_READY);
	expect_state(w, "login", STATE_WAITING);
	world_start(w, "login");
	world_settle(w);
	expect_state(w, "dm", STATE_READY);
	expect_state(w, "login", STATE_WAITING);
}
END_TEST

START_TEST(a_stand_in_runs_when_the_other_has_failed_and_stops_when_it_starts_again)
{
	g_autoptr(World) w = world_with_login(NULL, LEVEL_TRUE);

	world_exits(w, "dm", 1);
	world_settle(w);
	expect_state(w, "dm", STATE_FAILED);
	expect_state(w, "login", STATE_READY);

	(void)world_log(w);
	world_start(w, "dm");
	expect_log(w, "stop login");
	world_settle(w);
	expect_state(w, "dm", STATE_READY);
	expect_state(w, "login", STATE_WAITING);
}
END_TEST

START_TEST(a_stand_in_runs_when_the_other_is_stopped)
{
	g_autoptr(World) w = world_with_login(NULL, LEVEL_TRUE);

	world_stop(w, "dm");
	expect_state(w, "login", STATE_WAITING); /* until the other service has ended */
	world_settle(w);
	expect_state(w, "login", STATE_READY);
}
END_TEST

START_TEST(a_stand_in_runs_when_the_other_cannot_before_the_next_boot)
{
	g_autoptr(World) w = world_with_login("text", LEVEL_TRUE);

	expect_state(w, "dm", STATE_WAITING);
	expect_state(w, "login", STATE_READY);
}
END_TEST

START_TEST(a_stand_in_runs_when_the_other_is_not_installed_once_that_is_known)
{
	g_autoptr(World) w = world_with_login(NULL, LEVEL_UNKNOWN);

	expect_state(w, "login", STATE_WAITING);
	world_set(w, "path:exec:/bin/dm", false);
	world_settle(w);
	expect_state(w, "login", STATE_READY);

	world_set(w, "path:exec:/bin/dm", true);
	world_settle(w);
	expect_state(w, "dm", STATE_READY);
	expect_state(w, "login", STATE_WAITING);
}
END_TEST

START_TEST(a_restart_of_the_other_does_not_start_the_stand_in)
{
	g_autoptr(World) w = world_with_login(NULL, LEVEL_TRUE);

	(void)world_log(w);
	world_restart(w, "dm");
	world_settle(w);
	expect_log(w, "stop dm, start dm");
}
END_TEST

START_TEST(a_stand_in_does_not_run_while_the_other_is_tried_again_with_a_mended_file)
{
	const char *const sound = "== dm\n" DAEMON
				  "Restart=on-failure\n[Conditions]\nConflicts=login\n"
				  "== login\n" DAEMON "[Conditions]\nStandIn=yes\n";
	g_autoptr(World) w = world_new_with_policy(sound, LOGIN_NAMED_FIRST);

	world_settle(w);
	world_dies(w, "dm", 0);
	world_settle(w);
	expect_state(w, "dm", STATE_IDLE);
	expect_state(w, "login", STATE_READY);

	world_reload(
		w,
		"== dm\n[Service]\nExec=not/absolute\n[Conditions]\nConflicts=login\n== login\n" DAEMON
		"[Conditions]\nStandIn=yes\n",
		NULL);
	world_settle(w);
	expect_state(w, "login", STATE_READY);
	world_reload(w, sound, NULL);
	world_settle(w);
	expect_state(w, "dm", STATE_READY);

	world_dies(w, "dm", 1);
	expect_state(w, "dm", STATE_BACKOFF);
	expect_state(w, "login", STATE_WAITING);
}
END_TEST

/* If login stood in for dm, helper and then dm would start, and dm would stop login again. */
START_TEST(no_service_stands_in_for_its_dependent)
{
	g_autoptr(World) w = world_new_with_policy(
		"== dm\n" DAEMON
		"[Conditions]\nWhile=service:helper | flag:f\nWaitTimeout=10s\nConflicts=login\n"
		"== helper\n" DAEMON "[Conditions]\nWhile=service:login\n"
		"== login\n" DAEMON "[Conditions]\nStandIn=yes\n",
		"[runlevel 2]\nActivate=login dm helper\n");

	world_set(w, "flag:f", false);
	world_settle(w);
	world_advance_s(w, 60);
	world_settle(w);
	expect_state(w, "dm", STATE_FAILED);
	expect_state(w, "login", STATE_WAITING);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("want");

	ADD_CASE(suite, "needs", the_needs_of_a_wanted_service_are_started,
		 terms_with_alternatives_or_negations_need_nothing,
		 a_service_that_nothing_needs_any_more_is_stopped_after_its_user,
		 two_services_that_only_need_each_other_stop,
		 a_wanted_service_keeps_its_needs_in_any_state,
		 a_manual_service_is_needed_only_by_what_an_admin_started,
		 never_holds_against_a_need, an_admins_stop_beats_a_need_until_the_next_start);
	ADD_CASE(suite, "linger", linger_keeps_a_service_for_a_while, a_new_want_ends_the_lingering,
		 nothing_lingers_after_an_admins_stop_or_at_shutdown);
	ADD_CASE(suite, "conflicts", of_two_that_conflict_the_one_that_policy_names_first_runs,
		 an_explicit_start_makes_the_loser_the_winner,
		 the_loser_returns_when_the_winner_is_not_wanted_any_more,
		 a_third_one_runs_when_its_rival_lost);
	ADD_CASE(suite, "stand-ins", a_stand_in_yields_regardless_of_policy_order_and_requester,
		 a_stand_in_runs_when_the_other_has_failed_and_stops_when_it_starts_again,
		 a_stand_in_runs_when_the_other_is_stopped,
		 a_stand_in_runs_when_the_other_cannot_before_the_next_boot,
		 a_stand_in_runs_when_the_other_is_not_installed_once_that_is_known,
		 a_restart_of_the_other_does_not_start_the_stand_in,
		 a_stand_in_does_not_run_while_the_other_is_tried_again_with_a_mended_file,
		 no_service_stands_in_for_its_dependent);
	return suite;
}
