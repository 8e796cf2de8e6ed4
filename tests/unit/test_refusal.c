/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Policy refusals are remembered with their caller, kind and count. A loop of them does not push
 * out other history.
 */
#include "config.h"

#include <check.h>
#include <string.h>

#include "base/limits.h"
#include "engine/explain.h"
#include "tests/lib/suite.h"
#include "tests/lib/world.h"

#define DAEMON "[Service]\nExec=/usr/sbin/d\nReady=notify\n"
#define NEVER "[service it]\nActivation=never\n"
#define APP "== app\n" DAEMON "[Conditions]\nWhile=service:it\n"

static const Requester activator = { .uid = 0, .pid = 99 };

static void demand(World *w, const char *name)
{
	ck_assert(!engine_demand(world_engine(w), "it", name, &activator, world_now(w), NULL));
}

static void expect_refusals(World *w, const char *expected)
{
	g_autofree char *text = refusals_describe(&world_find(w, "it")->refusals, world_now(w));

	ck_assert_str_eq(text ? text : "", expected);
}

/* The line of explain about refusals must be @expected; "": no such line. */
static void expect_explained(World *w, const char *expected)
{
	g_autoptr(GPtrArray) reasons = explain_service(world_engine(w), "it", world_now(w));
	const char *found = "";

	for (guint i = 0; i < reasons->len; i++) {
		const Reason *reason = g_ptr_array_index(reasons, i);

		if (g_str_has_prefix(reason->text, "Refused"))
			found = reason->text;
	}
	ck_assert_str_eq(found, expected);
}

START_TEST(never_refuses_every_kind_of_request_and_each_is_remembered)
{
	g_autoptr(World) w = world_new_with_policy("== it\n" DAEMON APP,
						   NEVER "[runlevel 2]\nActivate=app it\n");
	static const char all[] = "Refused 3 requests since the boot: "
				  "requested on the bus, as org.example.It, by uid 0 (pid 99) "
				  "(just now); "
				  "start by uid 0 (pid 812) (just now); needed by app (5.0 s ago).";

	world_settle(w);
	world_advance_s(w, 5);
	ck_assert_str_eq(world_refusal(w, REQUEST_VERB_START, "it"),
			 "it: its policy is never (/etc/svcd/policy.d/local.policy:2)");
	demand(w, "org.example.It");

	expect_log(w, "");
	expect_state(w, "it", STATE_IDLE);
	expect_state(w, "app", STATE_WAITING);
	expect_refusals(w, all);
	expect_explained(w, all);
}
END_TEST

START_TEST(a_loop_of_calls_is_one_record_and_leaves_the_others)
{
	g_autoptr(World) w = world_new_with_policy("== it\n" DAEMON, NEVER);
	const Service *it = world_find(w, "it");

	(void)world_refusal(w, REQUEST_VERB_START, "it");
	for (int i = 0; i < 1000; i++) {
		world_advance_s(w, 0.01);
		demand(w, "org.example.It");
		(void)world_refusal(w, REQUEST_VERB_RESTART, "it");
	}

	ck_assert_uint_eq(it->refusals.total, 2001);
	ck_assert_uint_eq(g_queue_get_length(it->refusals.records), 3);
	ck_assert_uint_le(service_count_causes(it), 2);
	expect_refusals(w, "Refused 2001 requests since the boot: "
			   "restart by uid 0 (pid 812) (1000 times, last just now); "
			   "requested on the bus, as org.example.It, by uid 0 (pid 99) (1000 "
			   "times, last just "
			   "now); start by uid 0 (pid 812) (10.0 s ago).");
}
END_TEST

START_TEST(the_last_of_many_requesters_are_named_and_all_are_counted)
{
	g_autoptr(World) w = world_new_with_policy("== it\n" DAEMON, NEVER);
	g_autofree char *text = NULL;

	for (int i = 0; i < LIMIT_REFUSALS + 5; i++) {
		g_autofree char *name = g_strdup_printf("org.example.N%d", i);

		demand(w, name);
	}
	ck_assert_uint_eq(g_queue_get_length(world_find(w, "it")->refusals.records),
			  LIMIT_REFUSALS);
	text = refusals_describe(&world_find(w, "it")->refusals, world_now(w));
	ck_assert_ptr_nonnull(strstr(text, "Refused 13 requests since the boot: requested on the "
					   "bus, as org.example.N12,"));
	ck_assert_ptr_nonnull(strstr(text, "; 5 by unknown requesters."));
}
END_TEST

START_TEST(a_new_manager_knows_how_many_and_counts_no_need_twice)
{
	g_autoptr(World) w =
		world_new_with_policy("== it\n" DAEMON APP, NEVER "[runlevel 2]\nActivate=app\n");

	world_settle(w);
	demand(w, "org.example.It");
	demand(w, "org.example.It");
	world_crash(w);
	ck_assert_uint_eq(world_find(w, "it")->refusals.total, 3);
	expect_refusals(w,
			"Refused 3 requests since the boot: needed by app (just now); 2 by unknown "
			"requesters.");

	demand(w, "org.example.It");
	ck_assert_uint_eq(world_find(w, "it")->refusals.total, 4);
}
END_TEST

START_TEST(a_service_that_becomes_never_is_stopped_with_its_dependents)
{
	g_autoptr(World)
		w = world_new_with_policy("== it\n" DAEMON APP, "[runlevel 2]\nActivate=app\n");

	world_settle(w);
	expect_state(w, "app", STATE_READY);
	world_reload(w, "== it\n" DAEMON APP, NEVER "[runlevel 2]\nActivate=app\n");
	world_settle(w);

	expect_state(w, "it", STATE_IDLE);
	expect_state(w, "app", STATE_WAITING);
	ck_assert_ptr_nonnull(strstr(service_cause(world_find(w, "it")), "its policy is never"));
	ck_assert_uint_eq(world_find(w, "it")->refusals.total, 1);
	expect_refusals(w, "Refused 1 request since the boot: needed by app (just now).");
}
END_TEST

START_TEST(what_an_admin_started_ends_when_it_becomes_never)
{
	g_autoptr(World) w = world_new_with_policy("== it\n" DAEMON, "[runlevel 2]\n");

	world_start(w, "it");
	world_settle(w);
	expect_state(w, "it", STATE_READY);
	world_reload(w, "== it\n" DAEMON, NEVER);
	world_settle(w);
	expect_state(w, "it", STATE_IDLE);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("refusal");

	ADD_CASE(suite, "all", never_refuses_every_kind_of_request_and_each_is_remembered,
		 a_loop_of_calls_is_one_record_and_leaves_the_others,
		 the_last_of_many_requesters_are_named_and_all_are_counted,
		 a_new_manager_knows_how_many_and_counts_no_need_twice,
		 a_service_that_becomes_never_is_stopped_with_its_dependents,
		 what_an_admin_started_ends_when_it_becomes_never);
	return suite;
}
