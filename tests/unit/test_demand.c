/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Demand: a call on the bus that starts a service.
 */
#include "config.h"

#include <check.h>

#include "base/errors.h"
#include "base/limits.h"
#include "tests/lib/suite.h"
#include "tests/lib/world.h"

#define DAEMON "[Service]\nExec=/usr/sbin/d\nReady=notify\n"
#define NAME "org.example.It"

static const Requester activator = { .uid = 0, .pid = 99 };

/* The text of the error; "" if the demand was granted. */
static const char *demand(World *w)
{
	static char text[256];
	g_autoptr(GError) error = NULL;

	text[0] = '\0';
	if (!engine_demand(world_engine(w), "it", NAME, &activator, world_now(w), &error))
		g_strlcpy(text, error->message, sizeof(text));
	return text;
}

START_TEST(an_on_demand_service_is_started_and_stays_until_the_next_runlevel)
{
	g_autoptr(World) w = world_new_with_policy("== it\n" DAEMON, "[runlevel 2]\n");

	ck_assert_str_eq(demand(w), "");
	expect_log(w, "start it");
	expect_cause(w, "it", "requested on the bus, as org.example.It");
	world_settle(w);
	expect_state(w, "it", STATE_READY);

	world_runlevel(w, "3");
	expect_log(w, "stop it");
}
END_TEST

START_TEST(a_second_demand_changes_nothing)
{
	g_autoptr(World) w = world_new_with_policy("== it\n" DAEMON, "[runlevel 2]\n");

	ck_assert_str_eq(demand(w), "");
	world_settle(w);
	(void)world_log(w);
	ck_assert_str_eq(demand(w), "");
	expect_log(w, "");
}
END_TEST

START_TEST(a_daemon_that_ends_when_it_is_idle_is_not_wanted_until_the_next_call)
{
	g_autoptr(World) w = world_new_with_policy("== it\n" DAEMON, "[runlevel 2]\n");

	ck_assert_str_eq(demand(w), "");
	world_settle(w);
	world_dies(w, "it", 0);
	expect_state(w, "it", STATE_IDLE);
	ck_assert(!service_is_wanted(world_find(w, "it")));

	(void)world_log(w);
	ck_assert_str_eq(demand(w), "");
	expect_log(w, "start it");
}
END_TEST

/* Any user can repeat the call endlessly. That must not push out the history of the service. */
START_TEST(refused_demands_leave_the_history_alone)
{
	g_autoptr(World) w = world_new_with_policy("== it\n" DAEMON, "[runlevel 2]\nActivate=it\n");
	const Service *it = world_find(w, "it");
	unsigned n;

	world_settle(w);
	world_stop(w, "it");
	world_settle(w);
	n = service_count_causes(it);
	for (int i = 0; i < LIMIT_CAUSES; i++) {
		ck_assert_str_ne(demand(w), "");
		ck_assert(!engine_demand(world_engine(w), "it", "org.example.Other", &activator,
					 world_now(w), NULL));
	}

	ck_assert_uint_eq(service_count_causes(it), n + 1);
	ck_assert(g_str_has_prefix(service_cause(it), "refused: requested on the bus, as "
						      "org.example.Other, by uid 0"));
}
END_TEST

START_TEST(a_demand_survives_the_manager)
{
	g_autoptr(World) w = world_new_with_policy("== it\n" DAEMON, "[runlevel 2]\n");

	ck_assert_str_eq(demand(w), "");
	world_settle(w);
	(void)world_log(w);
	world_crash(w);
	expect_log(w, "");
	expect_state(w, "it", STATE_READY);
	ck_assert_int_eq(world_find(w, "it")->want_reason, WANT_DEMAND);
}
END_TEST

/* --- refusals --- */

static const struct {
	const char *activation;
	const char *refusal; /* prefix of the message */
} refusals[] = {
	{ "never", "it: its policy is never (" },
	{ "manual", "it: its policy is manual (" },
};

START_TEST(policy_is_respected_and_named)
{
	g_autofree char *policy = g_strdup_printf("[runlevel 2]\n[service it]\nActivation=%s\n",
						  refusals[_i].activation);
	g_autoptr(World) w = world_new_with_policy("== it\n" DAEMON, policy);
	const char *refusal = demand(w);

	ck_assert_msg(g_str_has_prefix(refusal, refusals[_i].refusal), "%s", refusal);
	ck_assert_ptr_nonnull(strstr(refusal, ".policy:3)"));
	expect_log(w, "");
}
END_TEST

START_TEST(a_manual_service_that_an_admin_started_answers)
{
	g_autoptr(World) w = world_new_with_policy(
		"== it\n" DAEMON, "[runlevel 2]\n[service it]\nActivation=manual\n");

	world_start(w, "it");
	ck_assert_str_eq(demand(w), "");
}
END_TEST

START_TEST(what_an_admin_stopped_stays_stopped)
{
	g_autoptr(World) w = world_new_with_policy("== it\n" DAEMON, "[runlevel 2]\n");

	ck_assert_str_eq(demand(w), "");
	world_settle(w);
	world_stop(w, "it");
	world_settle(w);
	(void)world_log(w);
	ck_assert_str_eq(demand(w), "it: an admin stopped it: stop by uid 0 (pid 812)");
	expect_log(w, "");
}
END_TEST

START_TEST(what_has_failed_is_tried_again_but_not_at_once)
{
	g_autoptr(World) w = world_new_with_policy("== it\n" DAEMON, "[runlevel 2]\n");

	ck_assert_str_eq(demand(w), "");
	world_started(w, "it");
	world_dies(w, "it", 3);
	expect_state(w, "it", STATE_FAILED);
	(void)world_log(w);
	ck_assert_str_eq(demand(w), "it: it has failed: exit status 3");
	expect_log(w, "");

	world_advance_s(w, 2); /* RestartLimit=5/10s */
	ck_assert_str_eq(demand(w), "");
	expect_log(w, "start it");
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("demand");

	ADD_CASE(suite, "granted",
		 an_on_demand_service_is_started_and_stays_until_the_next_runlevel,
		 a_second_demand_changes_nothing,
		 a_daemon_that_ends_when_it_is_idle_is_not_wanted_until_the_next_call,
		 a_demand_survives_the_manager);
	ADD_CASE(suite, "refused", a_manual_service_that_an_admin_started_answers,
		 what_an_admin_stopped_stays_stopped,
		 what_has_failed_is_tried_again_but_not_at_once,
		 refused_demands_leave_the_history_alone);
	suite_add_loop(suite, "refused", policy_is_respected_and_named, G_N_ELEMENTS(refusals));
	return suite;
}
