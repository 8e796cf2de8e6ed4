/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <check.h>
#include <time.h>

#include "model/check.h"
#include "model/graph.h"
#include "tests/lib/diags.h"
#include "tests/lib/many-names.h"
#include "tests/lib/suite.h"

typedef struct World {
	ServiceSet *set;
	Policy *policy;
	DiagList *diags;
} World;

static World *world_new(void)
{
	World *w = g_new0(World, 1);

	w->set = service_set_new();
	w->policy = policy_new();
	w->diags = diag_list_new();
	return w;
}

static void world_free(World *w)
{
	service_set_free(w->set);
	policy_free(w->policy);
	diag_list_free(w->diags);
	g_free(w);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(World, world_free)

/* The conditions begin on line 4 of NAME.svc. */
static ServiceDef *add(World *w, const char *name, const char *conditions)
{
	return add_service(w->set, name, conditions, w->diags);
}

static void check(World *w, const char *expected)
{
	check_set(w->set, w->policy, w->diags);
	diag_list_sort(w->diags);
	expect_diags(w->diags, expected);
}

START_TEST(a_need_for_a_service_that_does_not_exist_is_an_error_with_the_nearest_name)
{
	g_autoptr(World) w = world_new();
	ServiceDef *a = add(w, "a", "While=service:dbuss\n");

	add(w, "dbus", "");
	add(w, "z", "When=service:nothing-like-it\n");
	check(w,
	      "a.svc:4: While=service:dbuss: there is no service \"dbuss\"; did you mean "
	      "\"dbus\"?\n"
	      "z.svc:4: When=service:nothing-like-it: there is no service \"nothing-like-it\"\n");
	ck_assert_str_eq(
		a->problem,
		"a.svc:4: While=service:dbuss: there is no service \"dbuss\"; did you mean "
		"\"dbus\"?");
}
END_TEST

START_TEST(settled_and_active_of_a_service_that_does_not_exist_are_errors_too)
{
	g_autoptr(World) w = world_new();

	add(w, "a", "When=settled:x\nWhen=active:y\n");
	check(w, "a.svc:4: When=settled:x: there is no service \"x\"\n"
		 "a.svc:5: When=active:y: there is no service \"y\"\n");
}
END_TEST

static void add_policy(World *w, const char *text)
{
	ck_assert(policy_parse(w->policy, POLICY_LAYER_ADMIN, "p", text, strlen(text), w->diags));
}

START_TEST(conflicting_services_wanted_together_are_an_error_with_both_places)
{
	g_autoptr(World) w = world_new();

	add(w, "exim4", "Conflicts=postfix\n");
	add(w, "postfix", "Conflicts=exim4\n");
	add_policy(w, "[runlevel 2]\nActivate=exim4\n[runlevel 3]\nInclude=2\nActivate=postfix\n");
	check(w, "p:5: runlevel 3 wants postfix, and p:2 wants exim4, but they conflict "
		 "(exim4.svc:4); exim4 runs, postfix "
		 "waits; take one out: Activate=-postfix in [runlevel 3]\n");
}
END_TEST

START_TEST(conflicts_through_s_are_errors_and_the_service_that_runs_is_named)
{
	g_autoptr(World) w = world_new();

	add(w, "a", "Conflicts=b\n");
	add(w, "b", "");
	add_policy(w, "[runlevel S]\nActivate=b\n[runlevel 4]\nActivate=a\n");
	check(w, "p:4: runlevel 4 wants a, and p:2 wants b, but they conflict (a.svc:4); b runs, a "
		 "waits; take one out: "
		 "Activate=-a in [runlevel 4]\n");
}
END_TEST

START_TEST(conflicts_between_services_not_wanted_together_are_no_error)
{
	g_autoptr(World) w = world_new();

	add(w, "a", "Conflicts=b c d\n");
	add(w, "b", "");
	add(w, "c", "");
	add(w, "d", "");
	add_policy(w, "[runlevel 2]\nActivate=a c d\n[runlevel 3]\nActivate=b\n[service c]\n"
		      "Activation=on-demand\n"
		      "[service d]\nRunlevels=-2\n");
	check(w, "");
}
END_TEST

/* A report of the conflict would make the loader reject the policy file (config/last-good.c). */
START_TEST(a_service_with_an_error_never_runs_so_it_conflicts_with_nothing)
{
	g_autoptr(World) w = world_new();

	add(w, "a", "Conflicts=b\nWhile=service:nothing\n");
	add(w, "b", "");
	add(w, "c", "Conflicts=a\n");
	add_policy(w, "[runlevel 2]\nActivate=a b c\n");
	check(w, "a.svc:5: While=service:nothing: there is no service \"nothing\"\n");
}
END_TEST

/* Like a display manager and a login on its terminal, on a machine without a display manager. */
START_TEST(an_unnamed_conflicting_service_yields_without_a_message)
{
	g_autoptr(World) w = world_new();

	add(w, "dm", "Conflicts=login\n");
	add(w, "login", "");
	add_policy(w, "[defaults]\nNewServices=boot\n[runlevel 2]\nActivate=login\n");
	check(w, "");
}
END_TEST

/* Like a login on the terminal that a display manager uses. */
START_TEST(a_stand_in_may_be_wanted_with_its_original)
{
	g_autoptr(World) w = world_new();

	add(w, "dm", "Conflicts=login\n");
	add(w, "login", "StandIn=yes\n");
	add_policy(w, "[runlevel 2]\nActivate=login dm\n");
	check(w, "");
}
END_TEST

START_TEST(an_ignore_without_effect_gets_a_warning)
{
	g_autoptr(World) w = world_new();

	add(w, "a", "While=network:up\nAfter=b\n");
	add(w, "b", "Before=c\n");
	add(w, "c", "When=flag:x | flag:y\n");
	add_policy(
		w,
		"[service a]\nIgnore=network:up b network:online\n[service c]\nIgnore=b flag:y c\n");
	check(w, "p:2: warning: Ignore=network:online: a has no such term\n"
		 "p:4: warning: Ignore=c: c has no such term\n");
}
END_TEST

START_TEST(a_device_is_ignored_whatever_the_order_of_its_properties)
{
	g_autoptr(World) w = world_new();

	add(w, "a", "When=!udev:SUBSYSTEM=power_supply POWER_SUPPLY_TYPE=Mains\n");
	add_policy(w, "[service a]\nIgnore=\"udev:SUBSYSTEM=power_supply POWER_SUPPLY_TYPE=Mains\" "
		      "\"udev:POWER_SUPPLY_TYPE=Mains SUBSYSTEM=power_supply\"\n");
	check(w, "");
}
END_TEST

START_TEST(a_condition_that_a_service_can_supply_is_no_error)
{
	g_autoptr(World) w = world_new();

	add(w, "a",
	    "When=service:gone | service:b\nWhen=!active:gone\nAfter=gone $gone\n"
	    "When=settled:$gone\nWhen=service:c\n"
	    "When=facility:$x\n");
	add(w, "b", "Provides=c $x\n");
	check(w, "");
}
END_TEST

START_TEST(a_facility_without_providers_is_an_error)
{
	g_autoptr(World) w = world_new();

	add(w, "a", "When=facility:$net\n");
	check(w, "a.svc:4: When=facility:$net: no service provides $net\n");
}
END_TEST

START_TEST(what_needs_a_broken_service_is_not_broken_itself)
{
	g_autoptr(World) w = world_new();
	ServiceDef *a = add(w, "a", "While=service:b\n");
	ServiceDef *b = add(w, "b", "While=nonsense\n");

	check(w, "b.svc:4: While=nonsense: \"nonsense\" is not a condition; did you mean "
		 "\"service:nonsense\"?\n");
	ck_assert_ptr_null(a->problem);
	ck_assert_ptr_nonnull(b->problem);
}
END_TEST

START_TEST(a_cycle_of_needs_is_named_in_full_and_its_members_are_excluded)
{
	g_autoptr(World) w = world_new();
	ServiceDef *a = add(w, "a", "While=service:b\n");
	ServiceDef *b = add(w, "b", "When=service:c\n");
	ServiceDef *c = add(w, "c", "After=other\nWhen=settled:a\n");
	ServiceDef *d = add(w, "d", "While=service:a\n");

	check(w, "a.svc:4: cycle: a -> b -> c -> a; remove one of these conditions\n"
		 "b.svc:4: cycle: b -> c -> a -> b; remove one of these conditions\n"
		 "c.svc:5: cycle: c -> a -> b -> c; remove one of these conditions\n");
	ck_assert_str_eq(a->problem,
			 "a.svc:4: cycle: a -> b -> c -> a; remove one of these conditions");
	ck_assert_ptr_nonnull(b->problem);
	ck_assert_ptr_nonnull(c->problem);
	ck_assert_ptr_null(d->problem);
}
END_TEST

START_TEST(a_cycle_through_a_facility_names_it)
{
	g_autoptr(World) w = world_new();

	add(w, "a", "When=facility:$net\n");
	add(w, "b", "Provides=$net\nWhen=service:a\n");
	check(w, "a.svc:4: cycle: a -> $net -> b -> a; remove one of these conditions\n"
		 "b.svc:5: cycle: b -> a -> $net -> b; remove one of these conditions\n");
}
END_TEST

START_TEST(a_service_that_needs_itself_is_excluded)
{
	g_autoptr(World) w = world_new();
	ServiceDef *a = add(w, "a", "While=service:a\n");

	check(w, "a.svc:4: service:a: the service waits for itself; cycle: a -> a\n");
	ck_assert_ptr_nonnull(a->problem);
}
END_TEST

START_TEST(an_order_after_itself_is_left_out)
{
	g_autoptr(World) w = world_new();
	ServiceDef *a = add(w, "a", "After=a b\n");

	add(w, "b", "");
	check(w, "a.svc:4: warning: the service is ordered after itself; this entry is ignored\n");
	ck_assert_ptr_null(a->problem);
	ck_assert_uint_eq(a->after->len, 1);
}
END_TEST

START_TEST(soft_order_yields_to_a_need)
{
	g_autoptr(World) w = world_new();
	ServiceDef *a = add(w, "a", "After=b\n");
	ServiceDef *b = add(w, "b", "While=service:a\n");

	check(w, "a.svc:4: warning: the order of \"a\" after \"b\" is dropped, because it closes a "
		 "cycle: a -> b -> a\n");
	ck_assert_ptr_null(a->problem);
	ck_assert_ptr_null(b->problem);
	ck_assert_uint_eq(a->after->len, 0);
}
END_TEST

START_TEST(a_cycle_of_soft_order_loses_one_edge)
{
	g_autoptr(World) w = world_new();
	ServiceDef *a = add(w, "a", "After=b\n");
	ServiceDef *b = add(w, "b", "After=c\n");
	ServiceDef *c = add(w, "c", "Before=b\nAfter=a\n");

	check(w, "a.svc:4: warning: the order of \"a\" after \"b\" is dropped, because it closes a "
		 "cycle: "
		 "a -> b -> c -> a\n");
	ck_assert_uint_eq(a->after->len, 0);
	ck_assert_uint_eq(b->after->len, 2);
	ck_assert_uint_eq(c->after->len, 1);
}
END_TEST

START_TEST(before_becomes_an_after_of_the_other_service)
{
	g_autoptr(World) w = world_new();
	ServiceDef *a = add(w, "a", "Before=b $x nobody\nStopBefore=b $x\n");
	ServiceDef *b = add(w, "b", "");
	ServiceDef *c = add(w, "c", "Provides=$x\n");

	check(w, "");
	ck_assert_uint_eq(a->before->len, 0);
	ck_assert_uint_eq(b->after->len, 1);
	ck_assert_str_eq(((NameRef *)g_ptr_array_index(b->after, 0))->name, "a");
	ck_assert_str_eq(((NameRef *)g_ptr_array_index(b->after, 0))->origin.file, "a.svc");
	ck_assert_uint_eq(b->stop_after->len, 1);
	ck_assert_uint_eq(c->after->len, 1);
	ck_assert_uint_eq(c->stop_after->len, 1);
}
END_TEST

START_TEST(unknown_wants_are_reported_and_unknown_conflicts_are_not)
{
	g_autoptr(World) w = world_new();
	ServiceDef *a = add(w, "a", "Wants=rsyslg\nConflicts=postfix\nConflicts=a\n");

	add(w, "rsyslog", "");
	check(w, "a.svc:4: warning: Wants=rsyslg: there is no service \"rsyslg\"; did you mean "
		 "\"rsyslog\"?\n"
		 "a.svc:6: warning: Conflicts=a: that is the service itself\n");
	ck_assert_uint_eq(a->wants->len, 0);
	ck_assert_uint_eq(a->conflicts->len, 0);
}
END_TEST

START_TEST(an_alias_that_is_taken_is_reported)
{
	g_autoptr(World) w = world_new();

	add(w, "a", "");
	add(w, "b", "Provides=a\n");
	check(w, "b.svc:4: warning: Provides=a: service \"a\" has this name already\n");
}
END_TEST

START_TEST(policy_may_name_missing_services_and_gets_a_warning_for_likely_typos)
{
	static const char text[] =
		"[runlevel 2]\nActivate=sshh mysql\n[service postgresql]\nReason=x\n[service b]\n"
		"When=service:nix\n[service getty@]\nReason=x\n";
	g_autoptr(World) w = world_new();
	ServiceDef *b = add(w, "b", "");

	add(w, "ssh", "");
	ck_assert(policy_parse(w->policy, POLICY_LAYER_ADMIN, "p.policy", text, strlen(text),
			       w->diags));
	check(w, "p.policy:2: warning: there is no service \"sshh\"; did you mean \"ssh\"?\n"
		 "p.policy:6: When=service:nix: there is no service \"nix\"\n");
	ck_assert_ptr_nonnull(b->problem);
}
END_TEST

START_TEST(policy_with_an_alias_is_reported_with_the_main_name)
{
	static const char text[] = "[runlevel 2]\nActivate=ssh\n[service sshd]\nActivation=never\n";
	g_autoptr(World) w = world_new();

	add(w, "ssh", "Provides=sshd\n");
	add_policy(w, text);
	check(w, "p:3: warning: \"sshd\" is another name of \"ssh\"; policy uses the names of "
		 "service files, so this has no "
		 "effect; write \"ssh\"\n");
}
END_TEST

START_TEST(a_missing_condition_that_policy_ignores_is_no_error)
{
	static const char text[] = "[service a]\nIgnore=service:x y\n";
	g_autoptr(World) w = world_new();
	ServiceDef *a = add(w, "a", "When=service:x\nWhile=service:y\n");

	ck_assert(policy_parse(w->policy, POLICY_LAYER_ADMIN, "p.policy", text, strlen(text),
			       w->diags));
	check(w, "");
	ck_assert_ptr_null(a->problem);
}
END_TEST

enum { MANY = 10000 };

static ServiceDef *add_numbered(World *w, char letter, int number, const char *conditions)
{
	char name[16];

	g_snprintf(name, sizeof name, "%c%05d", letter, number);
	many_names_made = 1;
	return add(w, name, conditions);
}

START_TEST(a_chain_of_ten_thousand_is_no_cycle_and_quick)
{
	g_autoptr(World) w = world_new();
	const clock_t begin = clock();

	for (int i = 0; i < MANY; i++) {
		g_autofree char *conditions =
			i == 0 ?
				g_strdup("") :
				g_strdup_printf("While=service:s%05d\nAfter=s%05d\n", i - 1, i / 2);

		add_numbered(w, 's', i, conditions);
	}
	check(w, "");
	/*
	 * The check takes one second on a slow processor with sanitizers. A quadratic algorithm
	 * would take minutes.
	 */
	ck_assert_int_lt(clock() - begin, 20 * CLOCKS_PER_SEC);
}
END_TEST

START_TEST(a_tangle_of_orders_keeps_those_that_follow_the_needs)
{
	g_autoptr(World) w = world_new();
	g_autoptr(GArray) edges = NULL;
	g_autofree unsigned *components = NULL;
	unsigned n_after = 0;

	/* A chain of needs, with as many orderings along it as against it. */
	for (int i = 0; i < 500; i++) {
		g_autofree char *conditions =
			i == 0 ? g_strdup("After=s00250\n") :
				 g_strdup_printf("While=service:s%05d\nAfter=s%05d\nAfter=s%05d\n",
						 i - 1, i / 2, (i * 2) % 500);

		add_numbered(w, 's', i, conditions);
	}
	check_set(w->set, w->policy, w->diags);
	ck_assert_uint_eq(diag_list_count_errors(w->diags), 0);

	edges = graph_edges(w->set);
	components = graph_components(500, edges);
	for (guint i = 0; i < edges->len; i++) {
		const Edge *edge = &g_array_index(edges, Edge, i);

		ck_assert_uint_ne(components[edge->before], components[edge->after]);
		n_after += edge->kind == EDGE_SOFT;
	}
	ck_assert_uint_ge(n_after, 499); /* all of them along the chain */
}
END_TEST

START_TEST(a_ring_of_ten_thousand_and_ten_thousand_missing_names_are_quick)
{
	g_autoptr(World) w = world_new();
	const clock_t begin = clock();

	for (int i = 0; i < MANY; i++) {
		g_autofree char *conditions = g_strdup_printf("While=service:s%05d\nAfter=s%05d\n",
							      (i + 1) % MANY, (i + 7) % MANY);
		g_autofree char *missing = g_strdup_printf("While=service:z%05d\n", i + MANY);

		add_numbered(w, 's', i, conditions);
		add_numbered(w, 't', i, missing);
	}
	check_set(w->set, w->policy, w->diags);
	ck_assert_uint_ge(diag_list_count_errors(w->diags), 2 * MANY);
	ck_assert_int_lt(clock() - begin, 40 * CLOCKS_PER_SEC);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("check");

	ADD_CASE(suite, "names",
		 a_need_for_a_service_that_does_not_exist_is_an_error_with_the_nearest_name,
		 settled_and_active_of_a_service_that_does_not_exist_are_errors_too,
		 conflicting_services_wanted_together_are_an_error_with_both_places,
		 conflicts_through_s_are_errors_and_the_service_that_runs_is_named,
		 conflicts_between_services_not_wanted_together_are_no_error,
		 a_service_with_an_error_never_runs_so_it_conflicts_with_nothing,
		 an_unnamed_conflicting_service_yields_without_a_message,
		 a_stand_in_may_be_wanted_with_its_original,
		 an_ignore_without_effect_gets_a_warning,
		 a_device_is_ignored_whatever_the_order_of_its_properties,
		 a_condition_that_a_service_can_supply_is_no_error,
		 a_facility_without_providers_is_an_error,
		 what_needs_a_broken_service_is_not_broken_itself,
		 before_becomes_an_after_of_the_other_service,
		 unknown_wants_are_reported_and_unknown_conflicts_are_not,
		 an_alias_that_is_taken_is_reported,
		 policy_may_name_missing_services_and_gets_a_warning_for_likely_typos,
		 policy_with_an_alias_is_reported_with_the_main_name,
		 a_missing_condition_that_policy_ignores_is_no_error);
	ADD_CASE(suite, "cycles", a_cycle_of_needs_is_named_in_full_and_its_members_are_excluded,
		 a_cycle_through_a_facility_names_it, a_service_that_needs_itself_is_excluded,
		 an_order_after_itself_is_left_out, soft_order_yields_to_a_need,
		 a_cycle_of_soft_order_loses_one_edge);
	ADD_CASE(suite, "many", a_chain_of_ten_thousand_is_no_cycle_and_quick,
		 a_ring_of_ten_thousand_and_ten_thousand_missing_names_are_quick,
		 a_tangle_of_orders_keeps_those_that_follow_the_needs);
	return suite;
}
