/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Impact: on random machines a request stops only services that were named beforehand.
 */
#include "config.h"

#include <check.h>
#include <string.h>

#include "tests/lib/suite.h"
#include "tests/lib/world.h"

enum { N_SERVICES = 8, N_MACHINES = 400 };

static const RequestVerb verbs[] = { REQUEST_VERB_START, REQUEST_VERB_STOP, REQUEST_VERB_RESTART,
				     REQUEST_VERB_CLEAR };

static void add_line(GString *files, GRand *rand, unsigned self)
{
	static const char *const lines[] = {
		"Conflicts=s%u",       "Conflicts=s%u",
		"While=service:s%u",   "While=service:s%u",
		"When=service:s%u",    "Wants=s%u",
		"While=facility:$f%u", "While=service:s%u | service:s0"
	};
	const unsigned line = (unsigned)g_rand_int_range(rand, 0, G_N_ELEMENTS(lines));
	const unsigned other = (unsigned)g_rand_int_range(rand, 0, N_SERVICES);
	g_autofree char *number = g_strdup_printf("%u", other);
	g_auto(GStrv) parts = g_strsplit(lines[line], "%u", 2);

	if (other != self)
		g_string_append_printf(files, "%s%s%s\n", parts[0], number, parts[1]);
}

static char *make_files(GRand *rand)
{
	static const char *const types[] = { "daemon\nExec=/bin/s", "daemon\nExec=/bin/s",
					     "task\nExec=/bin/s", "group" };
	GString *files = g_string_new(NULL);

	for (unsigned i = 0; i < N_SERVICES; i++) {
		g_string_append_printf(files,
				       "== s%u\n[Service]\nType=%s\n[Conditions]\nProvides=$f%u\n",
				       i, types[i % G_N_ELEMENTS(types)], i / 3);
		for (int n = g_rand_int_range(rand, 0, 3); n > 0; n--)
			add_line(files, rand, i);
	}
	return g_string_free(files, FALSE);
}

static char *make_policy(GRand *rand)
{
	GString *policy = g_string_new("[runlevel 2]\nActivate=");

	for (unsigned i = 0; i < N_SERVICES; i++) {
		if (g_rand_boolean(rand))
			g_string_append_printf(policy, "s%d ",
					       g_rand_int_range(rand, 0, N_SERVICES));
	}
	return g_string_free(g_string_append(policy, "\n"), FALSE);
}

static Service *pick(World *w, GRand *rand)
{
	g_autofree char *name = g_strdup_printf("s%d", g_rand_int_range(rand, 0, N_SERVICES));

	return world_find(w, name);
}

typedef struct Before {
	bool has_run;
	WantReason reason;
} Before;

static Before look_at(const Service *s)
{
	return (Before){ service_is_up(s) || s->state == STATE_STARTING, s->want_reason };
}

/*
 * Did @s run only because another service needed it? Then it stops with that service, and is not
 * named.
 */
static bool was_let_go(const Service *s, const Before *before)
{
	return before->reason == WANT_NEED && !service_is_wanted(s);
}

static void expect_named(World *w, const char *log, const GPtrArray *reached, const Service *first,
			 const Before *before, const char *files)
{
	const GPtrArray *all = engine_services(world_engine(w));

	for (guint i = 0; i < all->len; i++) {
		const Service *s = g_ptr_array_index(all, i);
		g_autofree char *stop = g_strdup_printf("stop %s", s->def->name);

		if (s != first && before[i].has_run && strstr(log, stop) &&
		    !was_let_go(s, &before[i]))
			ck_assert_msg(g_ptr_array_find((GPtrArray *)reached, s, NULL),
				      "%s of %s was not foreseen: %s\n%s", stop, first->def->name,
				      log, files);
	}
}

static void make_request(World *w, GRand *rand, const char *files)
{
	const Service *first = pick(w, rand);
	const RequestVerb verb = verbs[g_rand_int_range(rand, 0, G_N_ELEMENTS(verbs))];
	g_autoptr(GPtrArray) reached = engine_impact(verb, first);
	const GPtrArray *all = engine_services(world_engine(w));
	Before before[N_SERVICES];

	for (guint i = 0; i < all->len; i++)
		before[i] = look_at(g_ptr_array_index(all, i));
	(void)world_log(w);
	(void)world_request(w, verb, first->def->name);
	world_settle(w);
	expect_named(w, world_log(w), reached, first, before, files);
}

START_TEST(only_named_services_end)
{
	g_autoptr(GRand) rand = g_rand_new_with_seed((guint32)_i);
	g_autofree char *files = make_files(rand);
	g_autofree char *policy = make_policy(rand);
	g_autoptr(World) w = world_new_with_policy(files, policy);

	world_settle(w);
	for (unsigned n = 0; n < 6; n++)
		make_request(w, rand, files);
}
END_TEST

START_TEST(a_start_of_what_runs_ends_nothing)
{
	g_autoptr(World) w = world_new(
		"== a\n[Service]\nExec=/bin/a\n== b\n[Service]\nExec=/bin/b\n[Conditions]\n"
		"While=service:a\n");
	g_autoptr(GPtrArray) by_start = NULL;
	g_autoptr(GPtrArray) by_stop = NULL;

	world_settle(w);
	by_start = engine_impact(REQUEST_VERB_START, world_find(w, "a"));
	by_stop = engine_impact(REQUEST_VERB_STOP, world_find(w, "a"));
	ck_assert_uint_eq(by_start->len, 0);
	ck_assert_uint_eq(by_stop->len, 1);
	ck_assert_ptr_eq(g_ptr_array_index(by_stop, 0), world_find(w, "b"));
}
END_TEST

START_TEST(what_is_asked_of_a_group_reaches_its_members)
{
	g_autoptr(World) w = world_new(
		"== all\n[Service]\nType=group\n[Conditions]\nWants=a b\n"
		"== a\n[Service]\nExec=/bin/a\nReload=signal:HUP\n== b\n[Service]\nExec=/bin/b\n"
		"[Conditions]\nWhile=service:a\n");
	g_autoptr(GPtrArray) by_restart = NULL;
	g_autoptr(GPtrArray) by_reload = NULL;

	world_settle(w);
	by_restart = engine_impact(REQUEST_VERB_RESTART, world_find(w, "all"));
	by_reload = engine_impact(REQUEST_VERB_RELOAD, world_find(w, "all"));
	ck_assert_uint_eq(by_restart->len, 2);
	ck_assert_ptr_eq(g_ptr_array_index(by_restart, 0), world_find(w, "a"));
	ck_assert_ptr_eq(g_ptr_array_index(by_restart, 1), world_find(w, "b"));
	ck_assert_uint_eq(by_reload->len, 1);
	ck_assert_ptr_eq(g_ptr_array_index(by_reload, 0), world_find(w, "a"));
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("impact");

	suite_add_loop(suite, "all", only_named_services_end, N_MACHINES);
	ADD_CASE(suite, "all", a_start_of_what_runs_ends_nothing,
		 what_is_asked_of_a_group_reaches_its_members);
	return suite;
}
