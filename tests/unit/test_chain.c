/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Chain: ten thousand services that each need the previous one, and ten thousand that need the same
 * service. There is no recursion, and the cost of an event depends only on the number of affected
 * services. Higher costs exceed the time limit.
 */
#include "config.h"

#include <check.h>

#include "engine/explain.h"
#include "tests/lib/suite.h"
#include "tests/lib/world.h"

#define DAEMON "[Service]\nExec=/usr/sbin/d\nReady=notify\n"

enum { MANY = 10000 };

#ifdef __SANITIZE_ADDRESS__
int __lsan_is_turned_off(void);

/* GLib leaks its old tables of interned strings when they grow. */
int __lsan_is_turned_off(void)
{
	return 1;
}
#endif

static char *make_chain(void)
{
	g_autoptr(GString) files = g_string_new("== s0\n" DAEMON);

	for (int i = 1; i < MANY; i++)
		g_string_append_printf(files,
				       "== s%d\n" DAEMON
				       "[Conditions]\nWhile=service:s%d\nAfter=s%d\n",
				       i, i - 1, i - 1);
	return g_string_free(g_steal_pointer(&files), FALSE);
}

START_TEST(a_chain_starts_and_stops)
{
	g_autofree char *files = make_chain();
	g_autoptr(World) w = world_new_with_policy(files, "[runlevel 2]\nActivate=s9999\n");

	expect_state(w, "s0", STATE_STARTING);
	world_settle(w);
	expect_state(w, "s9999", STATE_READY);

	world_runlevel(w, "0");
	expect_state(w, "s9999", STATE_STOPPING);
	world_settle(w);
	expect_state(w, "s0", STATE_IDLE);
	ck_assert(engine_is_stopped(world_engine(w)));
}
END_TEST

START_TEST(a_chain_is_explained_down_to_its_end)
{
	g_autofree char *files = make_chain();
	g_autoptr(World) w = world_new_with_policy(files, "[runlevel 2]\nActivate=s9999\n");
	g_autoptr(GPtrArray) reasons = explain_service(world_engine(w), "s9999", world_now(w));
	const Reason *last = g_ptr_array_index(reasons, reasons->len - 1);

	ck_assert_uint_gt(reasons->len, MANY);
	ck_assert_str_eq(last->service, "s9999");
}
END_TEST

START_TEST(ten_thousand_services_need_one)
{
	g_autoptr(GString) files = g_string_new("== hub\n" DAEMON);
	g_autoptr(GString) policy = g_string_new("[runlevel 2]\n");
	g_autoptr(World) w = NULL;

	for (int i = 0; i < MANY; i++) {
		g_string_append_printf(files, "== s%d\n" DAEMON "[Conditions]\nWhile=service:hub\n",
				       i);
		g_string_append_printf(policy, "Activate=s%d\n", i);
	}
	w = world_new_with_policy(files->str, policy->str);
	world_settle(w);
	expect_state(w, "s9999", STATE_READY);

	world_restart(w, "hub");
	expect_state(w, "hub", STATE_READY);
	world_settle(w);
	expect_state(w, "hub", STATE_READY);
	expect_state(w, "s9999", STATE_READY);
	ck_assert_uint_eq(world_find(w, "s0")->invocation, 2);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("chain");

	ADD_CASE(suite, "many", a_chain_starts_and_stops, a_chain_is_explained_down_to_its_end,
		 ten_thousand_services_need_one);
	return suite;
}
