/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Edges: an edge inside a strongly connected component is part of a loop, because a path leads from
 * its end to its beginning. So the weakest edge of each component is dropped, and the components
 * are computed again, until no loop is left.
 */
#include "config.h"

#include "lsb-compat/edges.h"

#include <string.h>

#include "base/limits.h"
#include "model/graph.h"

/* g_int64_hash() folds both halves into one, so all pairs of small numbers would collide. */
static guint hash_pair(gconstpointer key)
{
	const guint64 pair = *(const guint64 *)key;

	/* Knuth's multiplier, 2^32 divided by the golden ratio */
	return (guint)(pair >> 32) * 2654435761u + (guint)pair;
}

LsbEdges *lsb_edges_new(void)
{
	LsbEdges *edges = g_new0(LsbEdges, 1);

	edges->list = g_array_new(FALSE, TRUE, sizeof(LsbEdge));
	edges->by_pair = g_hash_table_new_full(hash_pair, g_int64_equal, g_free, NULL);
	return edges;
}

void lsb_edges_free(LsbEdges *edges)
{
	if (!edges)
		return;
	g_hash_table_unref(edges->by_pair);
	g_array_unref(edges->list);
	g_free(edges);
}

static LsbEdge *edge_at(const LsbEdges *edges, guint i)
{
	return &g_array_index(edges->list, LsbEdge, i);
}

static LsbEdge *find_pair(const LsbEdges *edges, unsigned before, unsigned after)
{
	const gint64 pair = (gint64)before << 32 | after;
	gpointer found = g_hash_table_lookup(edges->by_pair, &pair);

	return found ? edge_at(edges, GPOINTER_TO_UINT(found) - 1) : NULL;
}

void lsb_edges_add(LsbEdges *edges, const LsbEdge *edge)
{
	LsbEdge *known = find_pair(edges, edge->before, edge->after);
	gint64 *pair;

	if (edge->before == edge->after)
		return;
	if (known) {
		if (edge->strength > known->strength)
			*known = *edge;
		return;
	}
	pair = g_new(gint64, 1);
	*pair = (gint64)edge->before << 32 | edge->after;
	g_array_append_val(edges->list, *edge);
	g_hash_table_insert(edges->by_pair, pair, GUINT_TO_POINTER(edges->list->len));
}

const LsbEdge *lsb_edges_find(const LsbEdges *edges, unsigned before, unsigned after)
{
	const LsbEdge *edge = find_pair(edges, before, after);

	return edge && !edge->is_dropped ? edge : NULL;
}

/* The data of the search for loops. */
typedef struct Breaker {
	LsbEdges *edges;
	const LsbNodes *nodes;
	DiagList *diags;
	unsigned *components; /* of each node */
} Breaker;

static void find_components(Breaker *b)
{
	g_autoptr(GArray) living = g_array_new(FALSE, TRUE, sizeof(Edge));

	for (guint i = 0; i < b->edges->list->len; i++) {
		const LsbEdge *edge = edge_at(b->edges, i);
		const Edge plain = { .before = edge->before, .after = edge->after };

		if (!edge->is_dropped)
			g_array_append_val(living, plain);
	}
	g_free(b->components);
	b->components = graph_components(b->nodes->list->len, living);
}

static bool is_in_loop(const Breaker *b, const LsbEdge *edge)
{
	return !edge->is_dropped && b->components[edge->before] == b->components[edge->after];
}

/* Of two equally strong edges the later one is dropped, so that the result is deterministic. */
static bool goes_before(const LsbEdge *a, const LsbEdge *b)
{
	const int files = g_strcmp0(a->origin.file, b->origin.file);

	if (a->strength != b->strength)
		return a->strength < b->strength;
	if (files != 0)
		return files > 0;
	if (a->origin.line != b->origin.line)
		return a->origin.line > b->origin.line;
	return a->before != b->before ? a->before > b->before : a->after > b->after;
}

/* The edges from each node inside the components, by their @before. */
static GPtrArray *edges_by_node(const Breaker *b)
{
	GPtrArray *out = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);

	for (guint i = 0; i < b->nodes->list->len; i++)
		g_ptr_array_add(out, g_array_new(FALSE, FALSE, sizeof(unsigned)));
	for (guint i = 0; i < b->edges->list->len; i++) {
		if (is_in_loop(b, edge_at(b->edges, i)))
			g_array_append_val(
				(GArray *)g_ptr_array_index(out, edge_at(b->edges, i)->before),
				edge_at(b->edges, i)->after);
	}
	return out;
}

/* Finds a shortest path from @from to @to; leaves it in @came_from, as numbers + 1. */
static void search(const GPtrArray *out, unsigned from, unsigned to, unsigned *came_from)
{
	g_autoptr(GArray) queue = g_array_new(FALSE, FALSE, sizeof(unsigned));

	came_from[from] = from + 1;
	g_array_append_val(queue, from);
	for (guint i = 0; i < queue->len && came_from[to] == 0; i++) {
		const unsigned v = g_array_index(queue, unsigned, i);
		const GArray *next = g_ptr_array_index(out, v);

		for (guint j = 0; j < next->len; j++) {
			const unsigned w = g_array_index(next, unsigned, j);

			if (came_from[w] > 0)
				continue;
			came_from[w] = v + 1;
			g_array_append_val(queue, w);
		}
	}
}

/* "a -> b -> c -> a": a waits for b, b for c, c for a; @edge is the first step. */
static char *describe_loop(const Breaker *b, const LsbEdge *edge)
{
	g_autoptr(GPtrArray) out = edges_by_node(b);
	g_autofree unsigned *came_from = g_new0(unsigned, b->nodes->list->len);
	GString *text = g_string_new(lsb_node_at(b->nodes, edge->after)->name);

	search(out, edge->after, edge->before, came_from);
	for (unsigned v = edge->before; v != edge->after; v = came_from[v] - 1)
		g_string_append_printf(text, " -> %s", lsb_node_at(b->nodes, v)->name);
	g_string_append_printf(text, " -> %s", lsb_node_at(b->nodes, edge->after)->name);
	return g_string_free(text, FALSE);
}

static void report(const Breaker *b, const LsbEdge *edge)
{
	const LsbNode *speaker = lsb_node_at(b->nodes, edge->declared_by);
	const char *file = speaker->script ? speaker->script->file : speaker->name;
	g_autofree char *loop = describe_loop(b, edge);

	if (edge->field)
		diag_warning(
			b->diags, edge->origin, speaker->name,
			"%s: %s is ignored, because it closes a loop: %s; correct the headers, or "
			"override this one in /etc/insserv/overrides/%s",
			edge->field, edge->token, loop, file);
	else
		diag_warning(
			b->diags, edge->origin, speaker->name,
			"the order of its link after the link of %s is ignored, because it closes "
			"a loop: %s; give the script a header in /etc/insserv/overrides/%s",
			lsb_node_at(b->nodes, edge->before)->name, loop, file);
}

/* For each component: the edge that is dropped first; NULL: it has no loop. */
static LsbEdge **weakest_edges(const Breaker *b)
{
	LsbEdge **weakest = g_new0(LsbEdge *, b->nodes->list->len + 1);

	for (guint i = 0; i < b->edges->list->len; i++) {
		LsbEdge *edge = edge_at(b->edges, i);
		LsbEdge **known = &weakest[b->components[edge->after]];

		if (is_in_loop(b, edge) && (!*known || goes_before(edge, *known)))
			*known = edge;
	}
	return weakest;
}

/* Drops all edges that are as weak as @weakest and in the same component. */
static void drop_all_like(const Breaker *b, const LsbEdge *weakest)
{
	const LsbStrength strength = weakest->strength;
	const unsigned component = b->components[weakest->after];

	for (guint i = 0; i < b->edges->list->len; i++) {
		LsbEdge *edge = edge_at(b->edges, i);

		if (is_in_loop(b, edge) && b->components[edge->after] == component &&
		    edge->strength == strength)
			edge->is_dropped = true;
	}
}

/* Returns: the number of loops. */
static unsigned break_once(Breaker *b, bool all)
{
	g_autofree LsbEdge **weakest = weakest_edges(b);
	unsigned n = 0;

	for (guint i = 0; i < b->nodes->list->len; i++) {
		if (!weakest[i])
			continue;
		n++;
		report(b, weakest[i]);
		if (all)
			drop_all_like(b, weakest[i]);
	}
	/* Edges are dropped after all reports, so that these show the complete loops. */
	for (guint i = 0; i < b->nodes->list->len; i++) {
		if (weakest[i])
			weakest[i]->is_dropped = true;
	}
	return n;
}

void lsb_edges_break_loops(LsbEdges *edges, const LsbNodes *nodes, DiagList *diags)
{
	Breaker b = { .edges = edges, .nodes = nodes, .diags = diags };
	unsigned n_loops = 0;
	unsigned n;

	do {
		find_components(&b);
		n = break_once(&b, n_loops >= LIMIT_LOOPS);
		n_loops += n;
	} while (n > 0);
	g_free(b.components);
}
