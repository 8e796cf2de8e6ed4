/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Foresight: who starts as soon as another one is up.
 */
#include "config.h"

#include <check.h>

#include "tests/lib/suite.h"
#include "tests/lib/world.h"

#define DAEMON "[Service]\nExec=/usr/sbin/d\nReady=notify\n"

/* Their names, one behind the other. */
static char *foreseen(World *w, const char *service, unsigned max)
{
	const Service *next[16];
	const unsigned n = engine_foresee(world_engine(w), service, next, max);
	GString *names = g_string_new(NULL);

	for (unsigned i = 0; i < n; i++)
		g_string_append_printf(names, "%s%s", i ? " " : "", next[i]->def->name);
	return g_string_free(names, FALSE);
}

static void expect_foreseen(World *w, const char *service, const char *expected)
{
	g_autofree char *names = foreseen(w, service, 4);

	ck_assert_str_eq(names, expected);
}

START_TEST(who_waits_for_nothing_else_is_next)
{
	g_autoptr(World) w = world_new("== a\n" DAEMON "== b\n" DAEMON "[Conditions]\nWhen=service:a\n"
				       "== c\n" DAEMON "[Conditions]\nWhile=service:b\nAfter=b\n");

	expect_state(w, "a", STATE_STARTING);
	expect_foreseen(w, "a", "b");
	expect_foreseen(w, "b", "c");
	expect_foreseen(w, "c", "");
	expect_foreseen(w, "nobody", "");

	world_ready(w, "a");
	expect_state(w, "b", STATE_STARTING);
	expect_foreseen(w, "a", "");
}
END_TEST

START_TEST(who_waits_for_something_else_too_is_not)
{
	g_autoptr(World) w = world_new("== a\n" DAEMON "== b\n" DAEMON "== c\n" DAEMON
				       "[Conditions]\nWhen=service:a\nWhen=service:b\n"
				       "== d\n" DAEMON "[Conditions]\nWhen=service:a\nWhen=flag:x\n");

	expect_foreseen(w, "a", "");
	world_ready(w, "b");
	expect_foreseen(w, "a", "c");
	world_set(w, "flag:x", true);
	expect_foreseen(w, "a", "c d");
}
END_TEST

START_TEST(who_is_not_wanted_or_waits_for_its_end_is_not)
{
	g_autoptr(World) w = world_new_with_policy("== a\n" DAEMON "== b\n" DAEMON "[Conditions]\nWhen=service:a\n"
						   "== c\n" DAEMON "[Conditions]\nWhen=!service:a\n",
						   "[runlevel 2]\nActivate=a c\n");

	expect_foreseen(w, "a", "");
}
END_TEST

START_TEST(of_many_no_more_are_named_than_there_is_room_for)
{
	g_autoptr(GString) files = g_string_new("== a\n" DAEMON);
	g_autoptr(World) w = NULL;
	g_autofree char *names = NULL;

	for (int i = 0; i < 9; i++)
		g_string_append_printf(files, "== b%d\n" DAEMON "[Conditions]\nWhen=service:a\n", i);
	w = world_new(files->str);
	names = foreseen(w, "a", 3);
	ck_assert_str_eq(names, "b0 b1 b2");
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("foresight");

	ADD_CASE(suite, "next", who_waits_for_nothing_else_is_next, who_waits_for_something_else_too_is_not,
		 who_is_not_wanted_or_waits_for_its_end_is_not, of_many_no_more_are_named_than_there_is_room_for);
	return suite;
}
