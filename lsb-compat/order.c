/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Order: turns the statements that remain without loops into the ordering lines of each script. */
#include "config.h"

#include "lsb-compat/order.h"

#include <string.h>

#include "base/limits.h"
#include "base/text.h"
#include "lsb-compat/statements.h"

/* Leaves room for facilities and for an admin's drop-in. */
#define MOST_NAMES (LIMIT_LIST_ENTRIES - 32)

static void plan_free(gpointer data)
{
	LsbPlan *plan = data;

	g_ptr_array_unref(plan->after);
	g_ptr_array_unref(plan->before);
	g_ptr_array_unref(plan->stop_before);
	g_ptr_array_unref(plan->stop_after);
	g_free(plan);
}

static LsbPlan *plan_new(void)
{
	LsbPlan *plan = g_new0(LsbPlan, 1);

	plan->after = g_ptr_array_new_with_free_func(g_free);
	plan->before = g_ptr_array_new_with_free_func(g_free);
	plan->stop_before = g_ptr_array_new_with_free_func(g_free);
	plan->stop_after = g_ptr_array_new_with_free_func(g_free);
	return plan;
}

static LsbPlan *plan_at(const GPtrArray *plans, unsigned node)
{
	return g_ptr_array_index(plans, node);
}

static void add_string(GPtrArray *list, const char *text)
{
	if (!g_ptr_array_find_with_equal_func(list, text, g_str_equal, NULL))
		g_ptr_array_add(list, g_strdup(text));
}

/* Returns: for each node the numbers of the edges that lead to it. */
static GPtrArray *incoming(const LsbEdges *edges, guint n_nodes)
{
	GPtrArray *in = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);

	for (guint i = 0; i < n_nodes; i++)
		g_ptr_array_add(in, g_array_new(FALSE, FALSE, sizeof(guint)));
	for (guint i = 0; i < edges->list->len; i++) {
		const LsbEdge *edge = &g_array_index(edges->list, LsbEdge, i);

		if (!edge->is_dropped)
			g_array_append_val((GArray *)g_ptr_array_index(in, edge->after), i);
	}
	return in;
}

typedef void (*PairFunc)(const LsbNodes *nodes, const GPtrArray *plans, unsigned before,
			 unsigned after);

/*
 * Calls @pair for each node that comes before @node, directly or through scripts that are not run.
 */
static void walk_back(const LsbNodes *nodes, const LsbEdges *edges, const GPtrArray *in,
		      unsigned node, const GPtrArray *plans, PairFunc pair)
{
	g_autofree bool *seen = g_new0(bool, nodes->list->len);
	g_autoptr(GArray) open = g_array_new(FALSE, FALSE, sizeof(unsigned));

	seen[node] = true;
	g_array_append_val(open, node);
	for (guint i = 0; i < open->len; i++) {
		const unsigned v = g_array_index(open, unsigned, i);
		const GArray *list = g_ptr_array_index(in, v);

		for (guint j = 0; j < list->len; j++) {
			const LsbEdge *edge =
				&g_array_index(edges->list, LsbEdge, g_array_index(list, guint, j));
			const bool is_own_job = lsb_node_at(nodes, edge->before)->role ==
						LSB_ROLE_OWN_JOB;

			/*
			 * Through a script that is not run, the order passes only along edges
			 * between scripts of the same runlevels.
			 */
			if (seen[edge->before] ||
			    ((v != node || is_own_job) && edge->strength == LSB_UNUSED))
				continue;
			seen[edge->before] = true;
			if (is_own_job)
				g_array_append_val(open, edge->before);
			else
				pair(nodes, plans, edge->before, node);
		}
	}
}

static void plan_start(const LsbNodes *nodes, const GPtrArray *plans, unsigned before,
		       unsigned after)
{
	if (lsb_node_at(nodes, after)->role == LSB_ROLE_SCRIPT)
		add_string(plan_at(plans, after)->after, lsb_node_at(nodes, before)->name);
	else if (lsb_node_at(nodes, before)->role == LSB_ROLE_SCRIPT)
		add_string(plan_at(plans, before)->before, lsb_node_at(nodes, after)->name);
}

static void plan_stop(const LsbNodes *nodes, const GPtrArray *plans, unsigned before,
		      unsigned after)
{
	if (lsb_node_at(nodes, before)->role == LSB_ROLE_SCRIPT)
		add_string(plan_at(plans, before)->stop_before, lsb_node_at(nodes, after)->name);
	else if (lsb_node_at(nodes, after)->role == LSB_ROLE_SCRIPT)
		add_string(plan_at(plans, after)->stop_after, lsb_node_at(nodes, before)->name);
}

static void plan_edges(const LsbNodes *nodes, const LsbEdges *edges, const GPtrArray *plans,
		       PairFunc pair)
{
	g_autoptr(GPtrArray) in = incoming(edges, nodes->list->len);

	for (guint i = 0; i < nodes->list->len; i++) {
		if (lsb_node_at(nodes, i)->role != LSB_ROLE_OWN_JOB)
			walk_back(nodes, edges, in, i, plans, pair);
	}
}

/*
 * Do all edges between the node and the members of the facility remain? Otherwise the facility
 * would bring a dropped edge back.
 */
static bool is_whole(LsbNodes *nodes, const LsbEdges *edges, const LsbFacilityUse *use,
		     bool is_stop)
{
	g_autoptr(GPtrArray) members = lsb_facilities_expand(nodes->facilities, use->facility);

	for (guint i = 0; use->is_expanded && i < members->len; i++) {
		const GArray *list = lsb_nodes_find(nodes, g_ptr_array_index(members, i));

		for (guint j = 0; list && j < list->len; j++) {
			const unsigned other = g_array_index(list, unsigned, j);

			if (other != use->node &&
			    !lsb_edges_find(edges, is_stop ? use->node : other,
					    is_stop ? other : use->node))
				return false;
		}
	}
	return true;
}

static void plan_uses(LsbNodes *nodes, const LsbEdges *edges, const GArray *uses,
		      const GPtrArray *plans, bool is_stop)
{
	for (guint i = 0; i < uses->len; i++) {
		const LsbFacilityUse *use = &g_array_index(uses, LsbFacilityUse, i);
		LsbPlan *plan = plan_at(plans, use->node);

		if (lsb_node_at(nodes, use->node)->role == LSB_ROLE_SCRIPT &&
		    is_whole(nodes, edges, use, is_stop))
			add_string(is_stop ? plan->stop_before : plan->after, use->facility);
	}
}

/* Sorted; "$" comes first. A list that is longer than a service file allows is reported and cut. */
static void finish_list(const LsbNode *node, GPtrArray *list, DiagList *diags)
{
	g_ptr_array_sort(list, text_compare);
	if (list->len <= MOST_NAMES)
		return;
	diag_warning(diags, origin_new(node->script->path, 0), node->name,
		     "the script is ordered relative to %u others, and only the first %u of them, "
		     "sorted "
		     "by name, are used",
		     list->len, (unsigned)MOST_NAMES);
	g_ptr_array_set_size(list, MOST_NAMES);
}

GPtrArray *lsb_order(LsbNodes *nodes, DiagList *diags)
{
	g_autoptr(LsbStatements) statements = lsb_statements_collect(nodes, diags);
	GPtrArray *plans = g_ptr_array_new_with_free_func(plan_free);

	lsb_edges_break_loops(statements->start, nodes, diags);
	lsb_edges_break_loops(statements->stop, nodes, diags);
	for (guint i = 0; i < nodes->list->len; i++)
		g_ptr_array_add(plans, plan_new());
	plan_edges(nodes, statements->start, plans, plan_start);
	plan_edges(nodes, statements->stop, plans, plan_stop);
	plan_uses(nodes, statements->start, statements->start_uses, plans, false);
	plan_uses(nodes, statements->stop, statements->stop_uses, plans, true);
	for (guint i = 0; i < nodes->list->len; i++) {
		const LsbNode *node = lsb_node_at(nodes, i);
		LsbPlan *plan = plan_at(plans, i);

		finish_list(node, plan->after, diags);
		finish_list(node, plan->before, diags);
		finish_list(node, plan->stop_before, diags);
		finish_list(node, plan->stop_after, diags);
	}
	return plans;
}
