/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <check.h>

#include "model/graph.h"
#include "tests/lib/diags.h"
#include "tests/lib/suite.h"

static void add(ServiceSet *set, const char *name, const char *conditions)
{
	g_autoptr(DiagList) diags = diag_list_new();

	add_service(set, name, conditions, diags);
	expect_diags(diags, "");
}

static const char *node_name(const ServiceSet *set, unsigned node)
{
	return ((ServiceDef *)g_ptr_array_index(service_set_list(set), node))->name;
}

/* "a>b soft\n" for each edge: a starts before b. */
static void expect_edges(const ServiceSet *set, const char *expected)
{
	g_autoptr(GArray) edges = graph_edges(set);
	g_autoptr(GString) text = g_string_new(NULL);

	for (guint i = 0; i < edges->len; i++) {
		const Edge *edge = &g_array_index(edges, Edge, i);

		g_string_append_printf(text, "%s>%s %s\n", node_name(set, edge->before),
				       node_name(set, edge->after), edge_kind_name(edge->kind));
	}
	ck_assert_str_eq(text->str, expected);
}

START_TEST(order_is_soft_and_needs_are_hard)
{
	g_autoptr(ServiceSet) set = service_set_new();

	add(set, "a", "Before=b\n");
	add(set, "b", "");
	add(set, "c", "After=a nobody\nWhen=service:b\nWhile=active:a\nWhen=settled:b\n");
	expect_edges(set, "a>b soft\na>c soft\nb>c hard\nb>c hard\na>c hard\n");
}
END_TEST

START_TEST(alternatives_and_negations_make_no_edge)
{
	g_autoptr(ServiceSet) set = service_set_new();

	add(set, "a", "");
	add(set, "b", "When=service:a | flag:x\nWhen=!active:a\nWhen=path:/x\n");
	expect_edges(set, "");
}
END_TEST

/* "a>b\n" for each: a stops before b. */
static void expect_stop_edges(const ServiceSet *set, const char *expected)
{
	g_autoptr(GArray) edges = graph_stop_edges(set);
	g_autoptr(GString) text = g_string_new(NULL);

	for (guint i = 0; i < edges->len; i++) {
		const Edge *edge = &g_array_index(edges, Edge, i);

		g_string_append_printf(text, "%s>%s\n", node_name(set, edge->before),
				       node_name(set, edge->after));
	}
	ck_assert_str_eq(text->str, expected);
}

START_TEST(the_order_of_stopping_is_the_reverse)
{
	g_autoptr(ServiceSet) set = service_set_new();

	add(set, "a", "");
	add(set, "b", "After=a\n");
	add(set, "c", "Before=a\nWhen=service:b | flag:x\n");
	expect_stop_edges(set, "b>a\na>c\nc>b\n");
}
END_TEST

START_TEST(declared_stop_order_comes_first)
{
	g_autoptr(ServiceSet) set = service_set_new();

	add(set, "a", "");
	add(set, "b", "After=a\nStopAfter=a b nobody\n");
	expect_stop_edges(set, "a>b\n");
}
END_TEST

START_TEST(stop_order_said_takes_no_stop_order_from_the_start)
{
	g_autoptr(ServiceSet) set = service_set_new();
	g_autoptr(DiagList) diags = diag_list_new();
	ServiceDef *message;

	add(set, "a", "");
	message = add_service(set, "b", "After=a\nWhen=service:a\nBefore=c\n", diags);
	message->stop_order = STOP_ORDER_SAID;
	add(set, "c", "");
	add(set, "d", "After=b\n");
	expect_stop_edges(set, "d>b\n");
}
END_TEST

START_TEST(dependents_of_a_mount_stop_first)
{
	g_autoptr(ServiceSet) set = service_set_new();
	g_autoptr(DiagList) diags = diag_list_new();
	ServiceDef *mount = add_service(set, "m", "DoneWhile=mounted:/x\n", diags);

	mount->type = TYPE_TASK;
	mount->stop.kind = ACTION_COMMAND;
	add(set, "a", "While=mounted:/x/y\nWhen=!mounted:/x\n");
	add(set, "b", "When=mounted:/xy\n");
	expect_stop_edges(set, "a>m\n");
	expect_edges(set, "");
}
END_TEST

START_TEST(a_facility_stands_for_all_that_provide_it)
{
	g_autoptr(ServiceSet) set = service_set_new();

	add(set, "a", "Provides=$net\nAfter=$net\n");
	add(set, "b", "Provides=$net\n");
	add(set, "c", "After=$net\n");
	add(set, "d", "Before=$net\n");
	add(set, "e", "When=facility:$net\nAfter=$nobody\n");
	expect_edges(set, "a>c soft\nb>c soft\nd>a soft\nd>b soft\na>e hard\nb>e hard\n");
}
END_TEST

START_TEST(compact_edges_have_a_node_for_each_facility)
{
	g_autoptr(ServiceSet) set = service_set_new();
	g_autoptr(GPtrArray) facilities = NULL;
	g_autoptr(GArray) edges = NULL;

	for (int i = 0; i < 100; i++) {
		g_autofree char *provider = g_strdup_printf("p%d", i);
		g_autofree char *user = g_strdup_printf("u%d", i);

		add(set, provider, "Provides=$net\n");
		add(set, user, "After=$net\n");
	}
	edges = graph_edges_compact(set, &facilities);
	ck_assert_uint_eq(edges->len, 200);
	ck_assert_uint_eq(facilities->len, 1);
	ck_assert_str_eq(g_ptr_array_index(facilities, 0), "$net");
}
END_TEST

static void link_nodes(GArray *edges, unsigned before, unsigned after)
{
	const Edge edge = { .before = before, .after = after };

	g_array_append_val(edges, edge);
}

START_TEST(nodes_of_a_component_reach_each_other)
{
	g_autoptr(GArray) edges = g_array_new(FALSE, FALSE, sizeof(Edge));
	g_autofree unsigned *components = NULL;

	/* 0 -> 1 <-> 2 -> 3 -> 4 -> 3, 5 alone */
	link_nodes(edges, 0, 1);
	link_nodes(edges, 1, 2);
	link_nodes(edges, 2, 1);
	link_nodes(edges, 2, 3);
	link_nodes(edges, 3, 4);
	link_nodes(edges, 4, 3);
	components = graph_components(6, edges);
	ck_assert_uint_eq(components[1], components[2]);
	ck_assert_uint_eq(components[3], components[4]);
	ck_assert_uint_lt(components[3], components[1]);
	ck_assert_uint_lt(components[1], components[0]);
	ck_assert_uint_ne(components[5], components[0]);
}
END_TEST

START_TEST(a_chain_of_a_million_needs_no_stack)
{
	enum { N = 1000 * 1000 };
	g_autoptr(GArray) edges = g_array_new(FALSE, FALSE, sizeof(Edge));
	g_autofree unsigned *components = NULL;

	for (unsigned i = 0; i + 1 < N; i++)
		link_nodes(edges, i, i + 1);
	components = graph_components(N, edges);
	ck_assert_uint_eq(components[N - 1], 0);
	ck_assert_uint_eq(components[0], N - 1);
}
END_TEST

START_TEST(no_nodes_are_no_components)
{
	g_autoptr(GArray) edges = g_array_new(FALSE, FALSE, sizeof(Edge));
	g_autofree unsigned *components = graph_components(0, edges);

	ck_assert_ptr_nonnull(components);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("graph");

	ADD_CASE(suite, "edges", order_is_soft_and_needs_are_hard, dependents_of_a_mount_stop_first,
		 the_order_of_stopping_is_the_reverse, declared_stop_order_comes_first,
		 stop_order_said_takes_no_stop_order_from_the_start,
		 alternatives_and_negations_make_no_edge, a_facility_stands_for_all_that_provide_it,
		 compact_edges_have_a_node_for_each_facility);
	ADD_CASE(suite, "components", nodes_of_a_component_reach_each_other,
		 a_chain_of_a_million_needs_no_stack, no_nodes_are_no_components);
	return suite;
}
