/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Listen: when sockets are open, and the effect of a connection.
 */
#include "config.h"

#include <check.h>

#include "tests/lib/suite.h"
#include "tests/lib/world.h"

#define LOCAL "ListenStream=/run/it.sock\n"
#define BOTH LOCAL "ListenStream=80\n"
#define DAEMON "== it\n[Service]\nExec=/usr/sbin/d\nReady=notify\n"
#define IT DAEMON "[Socket]\n" BOTH
#define ON_DEMAND "[service it]\nActivation=on-demand\n"
#define ADDRESS "/run/it.sock"

static void expect_listens(World *w, const char *service, Listens expected)
{
	ck_assert_str_eq(listens_name(world_find(w, service)->listens), listens_name(expected));
}

static bool awaits(World *w, const char *service)
{
	return world_find(w, service)->awaits_connection;
}

/* A client connects. The manager reports this only while the service awaits a connection. */
static bool connect_to(World *w, const char *service)
{
	if (!awaits(w, service))
		return false;
	engine_connection(world_engine(w), service, ADDRESS, world_now(w));
	return true;
}

START_TEST(an_on_demand_service_is_started_by_the_first_connection)
{
	g_autoptr(World) w = world_new_with_policy(IT, ON_DEMAND);

	expect_state(w, "it", STATE_IDLE);
	expect_listens(w, "it", LISTENS_ALL);
	ck_assert(connect_to(w, "it"));
	expect_log(w, "start it");
	expect_cause(w, "it", "connection on /run/it.sock");
	ck_assert_int_eq(world_find(w, "it")->want_reason, WANT_CONNECTION);
	world_settle(w);
	expect_state(w, "it", STATE_READY);
	ck_assert(!awaits(w, "it"));
}
END_TEST

START_TEST(what_is_ordered_after_a_service_that_listens_waits_until_its_sockets_are_open)
{
	g_autoptr(World) w = NULL;

	world_open_sockets_slowly();
	w = world_new_with_policy(IT
				  "== client\n[Service]\nExec=/usr/bin/c\n[Conditions]\nAfter=it\n",
				  ON_DEMAND "[runlevel 2]\nActivate=client\n");

	expect_state(w, "it", STATE_IDLE);
	expect_listens(w, "it", LISTENS_ALL);
	expect_state(w, "client", STATE_WAITING);
	ck_assert(!engine_is_settled(world_find(w, "it")));
	ck_assert(!engine_is_at_rest(world_engine(w)));

	engine_sockets_opened(world_engine(w), "it");
	ck_assert(engine_is_settled(world_find(w, "it")));
	expect_log(w, "start client");
}
END_TEST

START_TEST(a_boot_service_starts_without_a_client_and_listens_too)
{
	g_autoptr(World) w = world_new(IT);

	expect_log(w, "start it");
	expect_listens(w, "it", LISTENS_ALL);
	ck_assert(!awaits(w, "it"));
}
END_TEST

START_TEST(an_unwanted_service_opens_no_port_even_while_it_runs)
{
	g_autoptr(World) w = world_new_with_policy(IT, "[runlevel 2]\n");

	expect_listens(w, "it", LISTENS_LOCAL);
	ck_assert(connect_to(w, "it"));
	world_settle(w);
	expect_state(w, "it", STATE_READY);
	expect_listens(w, "it", LISTENS_LOCAL);
}
END_TEST

START_TEST(a_service_needed_by_one_that_a_connection_started_opens_no_port)
{
	g_autoptr(World) w = world_new_with_policy(
		IT "[Conditions]\nWants=other\n== other\n[Service]\nExec=/bin/o\n[Socket]\n"
		   "ListenStream=81\n",
		"[runlevel 2]\n");

	ck_assert(connect_to(w, "it"));
	world_settle(w);
	expect_state(w, "other", STATE_READY);
	expect_listens(w, "other", LISTENS_LOCAL);
	world_start(w, "it");
	world_stop(w, "other");
	world_settle(w);
	world_start(w, "other");
	expect_listens(w, "other", LISTENS_ALL);
}
END_TEST

START_TEST(an_admins_start_opens_the_ports_of_an_unwanted_service)
{
	g_autoptr(World) w = world_new_with_policy(IT, "[runlevel 2]\n");

	world_start(w, "it");
	expect_listens(w, "it", LISTENS_ALL);
}
END_TEST

START_TEST(a_service_that_a_wanted_one_needs_is_named_by_it)
{
	g_autoptr(World) w = world_new_with_policy(
		IT "== user\n[Service]\nExec=/bin/u\n[Conditions]\nWants=it\n",
		"[runlevel 2]\nActivate=user\n");

	expect_listens(w, "it", LISTENS_ALL);
}
END_TEST

START_TEST(manual_and_never_are_closed)
{
	g_autoptr(World) manual = world_new_with_policy(IT, "[service it]\nActivation=manual\n");
	g_autoptr(World) never = world_new_with_policy(IT, "[service it]\nActivation=never\n");

	expect_listens(manual, "it", LISTENS_CLOSED);
	expect_listens(never, "it", LISTENS_CLOSED);
	ck_assert(!awaits(manual, "it") && !awaits(never, "it"));
	world_start(manual, "it");
	expect_listens(manual, "it", LISTENS_ALL);
}
END_TEST

START_TEST(a_boot_service_of_another_runlevel_is_closed)
{
	g_autoptr(World) w = world_new_with_policy(IT, "[runlevel 3]\nActivate=it\n");

	expect_listens(w, "it", LISTENS_CLOSED);
	world_runlevel(w, "3");
	expect_listens(w, "it", LISTENS_ALL);
}
END_TEST

START_TEST(an_admins_stop_closes_and_shutdown_closes)
{
	g_autoptr(World) w = world_new_with_policy(IT, ON_DEMAND);

	world_stop(w, "it");
	expect_listens(w, "it", LISTENS_CLOSED);
	world_request(w, REQUEST_VERB_CLEAR, "it");
	expect_listens(w, "it", LISTENS_ALL);
	world_runlevel(w, "0");
	expect_listens(w, "it", LISTENS_CLOSED);
}
END_TEST

START_TEST(sockets_are_opened_when_the_world_is_ready_and_stay_open)
{
	g_autoptr(World) w = world_new_with_policy(IT "[Conditions]\nWhile=flag:go\n", ON_DEMAND);

	expect_listens(w, "it", LISTENS_CLOSED);
	world_set(w, "flag:go", true);
	expect_listens(w, "it", LISTENS_ALL);
	world_set(w, "flag:go", false);
	expect_listens(w, "it", LISTENS_ALL);

	/* Later clients wait in the same queue. */
	ck_assert(connect_to(w, "it"));
	expect_state(w, "it", STATE_WAITING);
	ck_assert(!awaits(w, "it"));
	world_set(w, "flag:go", true);
	expect_state(w, "it", STATE_STARTING);
}
END_TEST

START_TEST(sockets_are_closed_when_the_program_is_removed)
{
	g_autoptr(World) w = world_new_with_policy(
		IT "[Conditions]\nWhen=path:exec:/usr/sbin/d\nWhile=flag:go\n", ON_DEMAND);

	world_set(w, "path:exec:/usr/sbin/d", true);
	world_set(w, "flag:go", true);
	expect_listens(w, "it", LISTENS_ALL);
	world_set(w, "flag:go", false);
	expect_listens(w, "it", LISTENS_ALL);

	world_set(w, "path:exec:/usr/sbin/d", false);
	expect_listens(w, "it", LISTENS_CLOSED);

	world_set(w, "path:exec:/usr/sbin/d", true);
	world_set(w, "flag:go", true);
	expect_listens(w, "it", LISTENS_ALL);
}
END_TEST

START_TEST(other_services_that_it_needs_are_started_by_the_connection)
{
	g_autoptr(World) w = world_new_with_policy(
		IT "[Conditions]\nWhile=service:base\n== base\n[Service]\nExec=/bin/b\n",
		ON_DEMAND);

	expect_listens(w, "it", LISTENS_ALL);
	ck_assert(connect_to(w, "it"));
	world_settle(w);
	expect_state(w, "base", STATE_READY);
	expect_state(w, "it", STATE_READY);
}
END_TEST

START_TEST(an_idle_service_that_listens_has_settled)
{
	g_autoptr(World) w = world_new_with_policy(
		IT "== user\n[Service]\nExec=/bin/u\n[Conditions]\nAfter=it\n",
		ON_DEMAND "[runlevel 2]\nActivate=user\n");

	expect_log(w, "start user");
	expect_state(w, "it", STATE_IDLE);
}
END_TEST

START_TEST(one_that_ended_with_success_is_started_by_the_next_connection)
{
	g_autoptr(World) w = world_new_with_policy(IT, ON_DEMAND);

	ck_assert(connect_to(w, "it"));
	world_settle(w);
	world_dies(w, "it", 0);
	expect_state(w, "it", STATE_IDLE);
	ck_assert(!service_is_wanted(world_find(w, "it")));
	(void)world_log(w);
	ck_assert(connect_to(w, "it"));
	expect_log(w, "start it");
}
END_TEST

START_TEST(one_that_boot_wants_and_that_ended_by_itself_is_started_by_a_connection)
{
	g_autoptr(World) w = world_new(IT);

	world_settle(w);
	world_dies(w, "it", 0);
	expect_state(w, "it", STATE_IDLE);
	(void)world_log(w);
	ck_assert(connect_to(w, "it"));
	expect_log(w, "start it");
	expect_cause(w, "it", "connection on /run/it.sock");
}
END_TEST

START_TEST(one_that_crashed_is_started_by_a_connection_after_the_delay)
{
	g_autoptr(World) w = world_new_with_policy(IT, ON_DEMAND);

	ck_assert(connect_to(w, "it"));
	world_settle(w);
	world_dies(w, "it", 3);
	expect_state(w, "it", STATE_FAILED);
	expect_listens(w, "it", LISTENS_ALL);
	ck_assert(!awaits(w, "it"));
	world_advance_s(w, 0.2);
	(void)world_log(w);
	ck_assert(connect_to(w, "it"));
	expect_log(w, "start it");
}
END_TEST

START_TEST(crash_after_crash_ends_with_closed_sockets)
{
	g_autoptr(World) w = world_new_with_policy(IT, ON_DEMAND);
	int n = 0;

	for (; n < 20 && world_find(w, "it")->listens != LISTENS_CLOSED; n++) {
		world_advance_s(w, 1.7);
		if (connect_to(w, "it"))
			world_dies(w, "it", 3);
	}
	ck_assert_int_lt(n, 20);
	expect_state(w, "it", STATE_FAILED);
	expect_cause(w, "it",
		     "exit status 3; it ended 5 times within 10.0 s, and is not started again "
		     "(RestartLimit=)");
	world_start(w, "it");
	expect_listens(w, "it", LISTENS_ALL);
	expect_state(w, "it", STATE_STARTING);
}
END_TEST

START_TEST(one_that_never_takes_its_clients_fails_and_is_closed)
{
	g_autoptr(World) w = world_new_with_policy(IT "TriggerLimit=3/1min\n", ON_DEMAND);

	for (int i = 0; i < 3; i++) {
		ck_assert(connect_to(w, "it"));
		world_settle(w);
		world_dies(w, "it", 0);
	}
	ck_assert(connect_to(w, "it"));
	expect_state(w, "it", STATE_FAILED);
	expect_cause(
		w, "it",
		"connections on /run/it.sock started it 3 times within 1 min 0 s, and it did not "
		"accept them (TriggerLimit=)");
	expect_listens(w, "it", LISTENS_CLOSED);
	world_crash(w);
	expect_state(w, "it", STATE_FAILED);
	expect_listens(w, "it", LISTENS_CLOSED);
	world_request(w, REQUEST_VERB_CLEAR, "it");
	expect_state(w, "it", STATE_IDLE);
	ck_assert(connect_to(w, "it"));
}
END_TEST

START_TEST(starts_that_are_far_enough_apart_are_no_loop)
{
	g_autoptr(World) w = world_new_with_policy(IT "TriggerLimit=3/1min\n", ON_DEMAND);

	for (int i = 0; i < 10; i++) {
		ck_assert(connect_to(w, "it"));
		world_settle(w);
		world_dies(w, "it", 0);
		world_advance_s(w, 21);
	}
	expect_state(w, "it", STATE_IDLE);
}
END_TEST

START_TEST(a_connection_does_not_stop_what_conflicts_but_waits_for_it)
{
	g_autoptr(World) w = world_new_with_policy(
		IT "[Conditions]\nConflicts=rival\n== rival\n[Service]\nExec=/bin/r\n", ON_DEMAND);

	world_start(w, "rival");
	world_settle(w);
	ck_assert(!connect_to(w, "it"));
	expect_listens(w, "it", LISTENS_ALL);
	world_stop(w, "rival");
	world_settle(w);
	ck_assert(connect_to(w, "it"));
	expect_state(w, "it", STATE_STARTING);
}
END_TEST

START_TEST(another_manager_knows_that_it_listens_and_why_it_runs)
{
	g_autoptr(World) w = world_new_with_policy(IT, ON_DEMAND);

	ck_assert(connect_to(w, "it"));
	world_settle(w);
	world_crash(w);
	expect_state(w, "it", STATE_READY);
	expect_listens(w, "it", LISTENS_ALL);
	ck_assert_int_eq(world_find(w, "it")->want_reason, WANT_CONNECTION);
	world_dies(w, "it", 0);
	ck_assert(connect_to(w, "it"));
}
END_TEST

START_TEST(a_late_connection_changes_nothing)
{
	g_autoptr(World) w = world_new_with_policy(IT, ON_DEMAND);

	world_start(w, "it");
	world_settle(w);
	(void)world_log(w);
	engine_connection(world_engine(w), "it", ADDRESS, world_now(w));
	engine_connection(world_engine(w), "nobody", ADDRESS, world_now(w));
	expect_log(w, "");
	ck_assert_int_eq(world_find(w, "it")->admin, ADMIN_START);
}
END_TEST

START_TEST(new_files_may_give_and_take_sockets)
{
	g_autoptr(World) w = world_new_with_policy(DAEMON, ON_DEMAND);

	expect_listens(w, "it", LISTENS_CLOSED);
	world_reload(w, IT, NULL);
	expect_listens(w, "it", LISTENS_ALL);
	ck_assert(awaits(w, "it"));
	world_reload(w, DAEMON, NULL);
	expect_listens(w, "it", LISTENS_CLOSED);
	ck_assert(!awaits(w, "it"));
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("listen");

	ADD_CASE(suite, "open", a_boot_service_starts_without_a_client_and_listens_too,
		 what_is_ordered_after_a_service_that_listens_waits_until_its_sockets_are_open,
		 an_unwanted_service_opens_no_port_even_while_it_runs,
		 a_service_needed_by_one_that_a_connection_started_opens_no_port,
		 an_admins_start_opens_the_ports_of_an_unwanted_service,
		 a_service_that_a_wanted_one_needs_is_named_by_it, manual_and_never_are_closed,
		 a_boot_service_of_another_runlevel_is_closed,
		 an_admins_stop_closes_and_shutdown_closes,
		 sockets_are_opened_when_the_world_is_ready_and_stay_open,
		 sockets_are_closed_when_the_program_is_removed,
		 new_files_may_give_and_take_sockets);
	ADD_CASE(suite, "connection", an_on_demand_service_is_started_by_the_first_connection,
		 other_services_that_it_needs_are_started_by_the_connection,
		 an_idle_service_that_listens_has_settled,
		 one_that_ended_with_success_is_started_by_the_next_connection,
		 one_that_boot_wants_and_that_ended_by_itself_is_started_by_a_connection,
		 one_that_crashed_is_started_by_a_connection_after_the_delay,
		 crash_after_crash_ends_with_closed_sockets,
		 one_that_never_takes_its_clients_fails_and_is_closed,
		 starts_that_are_far_enough_apart_are_no_loop,
		 a_connection_does_not_stop_what_conflicts_but_waits_for_it,
		 another_manager_knows_that_it_listens_and_why_it_runs,
		 a_late_connection_changes_nothing);
	return suite;
}
