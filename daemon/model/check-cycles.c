/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Check, cycles: finds dependency cycles and names every member.
 *
 * Hard edges come from When= and While=, soft edges from After= and Before=. First only hard edges
 * are considered: each member of a hard cycle fails, because no member could ever start. The
 * remaining hard edges have no cycle. So each remaining strongly connected component has a service
 * that only soft edges hold back. Of these services, the one with the fewest soft edges goes first:
 * its soft edges within the component, each of which is on a cycle, are dropped. This repeats until
 * no cycle is left.
 */
#include "config.h"

#include <string.h>

#include "model/check.h"
#include "model/check-private.h"
#include "model/graph.h"

enum {
	ROUNDS = 64, /* then drop_backward_edges() does the rest at once */
	NAMED_CYCLES = 100, /* a path search costs time in proportion to the component */
	NAMED_MEMBERS = 100,
};

typedef struct CycleFinder {
	ServiceSet *set;
	DiagList *diags;
	GArray *edges; /* Edge */
	GPtrArray *facilities;
	unsigned n; /* nodes */
	unsigned *components;
	/* edges into v: incoming[first[v]] up to first[v + 1], an index of @edges */
	unsigned *first;
	unsigned *incoming;
	unsigned *came_from; /* breadth-first search: the node that waits for this one */
	unsigned *seen_at; /* the last search that reached the node */
	unsigned n_searches;
	unsigned n_named;
} CycleFinder;

static Edge *edge_at(const CycleFinder *f, unsigned index)
{
	return &g_array_index(f->edges, Edge, index);
}

static ServiceDef *service_at(const CycleFinder *f, unsigned node)
{
	return node < service_set_length(f->set) ?
		       g_ptr_array_index(service_set_list(f->set), node) :
		       NULL;
}

static const char *name_at(const CycleFinder *f, unsigned node)
{
	const ServiceDef *def = service_at(f, node);

	return def ? def->name :
		     g_ptr_array_index(f->facilities, node - service_set_length(f->set));
}

static bool is_inside(const CycleFinder *f, const Edge *edge)
{
	return f->components[edge->before] == f->components[edge->after];
}

static void index_edges(CycleFinder *f)
{
	g_free(f->first);
	g_free(f->incoming);
	f->first = g_new0(unsigned, f->n + 2);
	f->incoming = g_new0(unsigned, f->edges->len + 1);
	for (guint i = 0; i < f->edges->len; i++)
		f->first[edge_at(f, i)->after + 2]++;
	for (unsigned v = 2; v < f->n + 2; v++)
		f->first[v] += f->first[v - 1];
	for (guint i = 0; i < f->edges->len; i++)
		f->incoming[f->first[edge_at(f, i)->after + 1]++] = i;
}

/* Keeps the edges for which @keep is true, in their order. */
static void filter_edges(CycleFinder *f, bool (*keep)(const CycleFinder *f, const Edge *edge))
{
	guint n = 0;

	for (guint i = 0; i < f->edges->len; i++) {
		if (keep(f, edge_at(f, i)))
			*edge_at(f, n++) = *edge_at(f, i);
	}
	g_array_set_size(f->edges, n);
}

/*
 * Searches for a path of waits from @from to @to inside their component. Leaves the path in
 * came_from.
 */
static bool search(CycleFinder *f, unsigned from, unsigned to)
{
	g_autoptr(GArray) queue = g_array_new(FALSE, FALSE, sizeof(unsigned));
	const unsigned mark = ++f->n_searches;

	g_array_append_val(queue, from);
	for (guint i = 0; i < queue->len; i++) {
		const unsigned v = g_array_index(queue, unsigned, i);

		for (unsigned j = f->first[v]; j < f->first[v + 1]; j++) {
			const Edge *edge = edge_at(f, f->incoming[j]);
			const unsigned w = edge->before;

			if (!is_inside(f, edge) || f->seen_at[w] == mark)
				continue;
			f->seen_at[w] = mark;
			f->came_from[w] = v;
			if (w == to)
				return true;
			g_array_append_val(queue, w);
		}
	}
	return false;
}

/*
 * Formats the path from @start along its waits back to @start: "a -> b -> a" if a waits for b, and
 * b for a.
 */
static char *describe_cycle(CycleFinder *f, unsigned start)
{
	g_autoptr(GPtrArray) cycle = g_ptr_array_new();
	g_autoptr(GString) text = g_string_new(name_at(f, start));

	if (!search(f, start, start))
		return NULL;
	for (unsigned v = f->came_from[start]; v != start; v = f->came_from[v])
		g_ptr_array_add(cycle, (gpointer)name_at(f, v));
	for (guint i = cycle->len; i > 0; i--)
		g_string_append_printf(text, " -> %s",
				       (const char *)g_ptr_array_index(cycle, i - 1));
	g_string_append_printf(text, " -> %s", name_at(f, start));
	return g_string_free(g_steal_pointer(&text), FALSE);
}

static unsigned *count_members(const CycleFinder *f)
{
	unsigned *sizes = g_new0(unsigned, f->n + 1);

	for (unsigned v = 0; v < f->n; v++)
		sizes[f->components[v]]++;
	return sizes;
}

static void find_components(CycleFinder *f)
{
	g_free(f->components);
	f->components = graph_components(f->n, f->edges);
	index_edges(f);
}

static bool concerns_sound_service(const CycleFinder *f, const Edge *edge)
{
	const ServiceDef *def = service_at(f, edge->after);

	return !def || !def->problem;
}

/* Services that wait for themselves are reported separately, and their edges are removed. */
static bool is_no_loop(const CycleFinder *f, const Edge *edge)
{
	return edge->before != edge->after;
}

static void remove_after(ServiceDef *def, const char *name)
{
	/* @name points to the text of the reference, so the pointer identifies it. */
	for (guint i = 0; i < def->after->len; i++) {
		if (((NameRef *)g_ptr_array_index(def->after, i))->name == name) {
			g_ptr_array_remove_index(def->after, i);
			return;
		}
	}
}

static void report_loops(CycleFinder *f)
{
	for (guint i = 0; i < f->edges->len; i++) {
		const Edge *edge = edge_at(f, i);
		ServiceDef *def = service_at(f, edge->after);

		if (edge->before != edge->after || !def)
			continue;
		if (edge->kind == EDGE_HARD) {
			g_autofree char *text =
				g_strdup_printf("%s: the service waits for itself; cycle: %s -> %s",
						edge->text, def->name, def->name);

			check_fail(def, f->diags, edge->origin, text);
		} else {
			diag_warning(f->diags, edge->origin, def->name,
				     "the service is ordered after itself; this entry is ignored");
			remove_after(def, edge->text);
		}
	}
	filter_edges(f, is_no_loop);
}

/*
 * The first term by which @node waits for a member of its own component. The error is reported
 * there.
 */
static Origin origin_of_wait(const CycleFinder *f, unsigned node, const ServiceDef *def)
{
	for (unsigned j = f->first[node]; j < f->first[node + 1]; j++) {
		const Edge *edge = edge_at(f, f->incoming[j]);

		if (is_inside(f, edge) && edge->text)
			return edge->origin;
	}
	return def->origin;
}

static bool is_hard(const CycleFinder *f, const Edge *edge)
{
	return edge->kind == EDGE_HARD;
}

/*
 * Reports each member with its own cycle. In a very large component, the reports of the other
 * members refer to the first member. Otherwise the text would grow with the square of the
 * component.
 */
static void fail_member(CycleFinder *f, unsigned node, unsigned size, unsigned first)
{
	ServiceDef *def = g_ptr_array_index(service_set_list(f->set), node);
	g_autofree char *text = NULL;

	if (size <= NAMED_MEMBERS || node == first) {
		g_autofree char *cycle = describe_cycle(f, node);

		text = g_strdup_printf("cycle: %s; remove one of these conditions", cycle);
	} else {
		text = g_strdup_printf(
			"cycle: one of %u services that wait for each other; see the cycle of "
			"\"%s\"",
			size, name_at(f, first));
	}
	check_fail(def, f->diags, origin_of_wait(f, node, def), text);
}

static void fail_hard_cycles(CycleFinder *f)
{
	g_autoptr(GArray) all = g_array_copy(f->edges);
	g_autofree unsigned *sizes = NULL;
	g_autofree unsigned *first = g_new0(unsigned, f->n + 1);

	filter_edges(f, is_hard);
	find_components(f);
	sizes = count_members(f);
	for (unsigned v = service_set_length(f->set); v > 0; v--)
		first[f->components[v - 1]] = v - 1;
	for (unsigned v = 0; v < service_set_length(f->set); v++) {
		const unsigned component = f->components[v];

		if (sizes[component] > 1)
			fail_member(f, v, sizes[component], first[component]);
	}
	g_array_unref(f->edges);
	f->edges = g_steal_pointer(&all);
}

static void prepend_step(GString *text, const char *name)
{
	g_string_prepend(text, name);
	g_string_prepend(text, " -> ");
}

static void drop_soft_edge(CycleFinder *f, Edge *edge)
{
	/* @after is never a facility */
	ServiceDef *def = g_ptr_array_index(service_set_list(f->set), edge->after);
	g_autofree char *cycle = NULL;

	if (f->n_named++ < NAMED_CYCLES && search(f, edge->before, edge->after)) {
		g_autoptr(GString) text = g_string_new(NULL);

		/*
		 * came_from leads from the waiting service back to the one it waits for, so it
		 * contains the cycle in reverse.
		 */
		for (unsigned v = edge->after; v != edge->before; v = f->came_from[v])
			prepend_step(text, name_at(f, v));
		g_string_prepend(text, name_at(f, edge->before));
		cycle = g_strdup_printf(": %s -> %s", name_at(f, edge->after), text->str);
	}
	diag_warning(f->diags, edge->origin, def->name,
		     "the order of \"%s\" after \"%s\" is dropped, because it " CHECK_CLOSES_A_CYCLE
		     "%s",
		     def->name, name_at(f, edge->before), cycle ? cycle : "");
	remove_after(def, edge->text);
	edge->text = NULL; /* freed with the reference; marks the edge for filter_edges() */
}

static bool is_still_there(const CycleFinder *f, const Edge *edge)
{
	return edge->kind == EDGE_HARD || edge->text;
}

/*
 * For each component: the service with no hard edge and the fewest soft edges from within the
 * component. UINT_MAX: there is none.
 */
static unsigned *choose_first(const CycleFinder *f)
{
	g_autofree unsigned *n_soft = g_new0(unsigned, f->n + 1);
	g_autofree bool *is_held = g_new0(bool, f->n + 1);
	unsigned *chosen = g_new0(unsigned, f->n + 1);

	for (guint i = 0; i < f->edges->len; i++) {
		const Edge *edge = edge_at(f, i);

		if (!is_inside(f, edge))
			continue;
		if (edge->kind == EDGE_HARD)
			is_held[edge->after] = true;
		else
			n_soft[edge->after]++;
	}
	memset(chosen, 0xff, (f->n + 1) * sizeof *chosen);
	for (unsigned v = 0; v < f->n; v++) {
		unsigned *best = &chosen[f->components[v]];

		if (n_soft[v] > 0 && !is_held[v] &&
		    (*best == UINT_MAX || n_soft[v] < n_soft[*best]))
			*best = v;
	}
	return chosen;
}

/* Returns: whether an edge was dropped, so that another round is needed. */
static bool drop_soft_edges(CycleFinder *f)
{
	g_autofree unsigned *chosen = choose_first(f);
	bool dropped = false;

	for (guint i = 0; i < f->edges->len; i++) {
		Edge *edge = edge_at(f, i);

		if (edge->kind == EDGE_SOFT && is_inside(f, edge) &&
		    chosen[f->components[edge->after]] == edge->after) {
			drop_soft_edge(f, edge);
			dropped = true;
		}
	}
	filter_edges(f, is_still_there);
	return dropped;
}

/*
 * Ends a search that takes too many rounds, which no hand-written set causes. The hard edges alone
 * give an order. A soft edge is dropped if it is on a cycle and contradicts this order. This may
 * drop more edges than necessary, but needs only one round.
 */
static void drop_backward_edges(CycleFinder *f)
{
	g_autoptr(GArray) hard = g_array_new(FALSE, FALSE, sizeof(Edge));
	/* a node that waits has a smaller rank than the nodes that it waits for */
	g_autofree unsigned *rank = NULL;

	for (guint i = 0; i < f->edges->len; i++) {
		if (edge_at(f, i)->kind == EDGE_HARD)
			g_array_append_val(hard, *edge_at(f, i));
	}
	rank = graph_components(f->n, hard);
	for (guint i = 0; i < f->edges->len; i++) {
		Edge *edge = edge_at(f, i);

		if (edge->kind == EDGE_SOFT && is_inside(f, edge) &&
		    rank[edge->before] < rank[edge->after])
			drop_soft_edge(f, edge);
	}
}

void check_cycles(ServiceSet *set, DiagList *diags)
{
	CycleFinder f = { .set = set, .diags = diags };
	unsigned round = 0;

	f.edges = graph_edges_compact(set, &f.facilities);
	f.n = service_set_length(set) + f.facilities->len;
	f.came_from = g_new0(unsigned, f.n + 1);
	f.seen_at = g_new0(unsigned, f.n + 1);
	report_loops(&f);
	filter_edges(&f, concerns_sound_service);
	fail_hard_cycles(&f);
	filter_edges(&f, concerns_sound_service);
	do
		find_components(&f);
	while (++round <= ROUNDS && drop_soft_edges(&f));
	if (round > ROUNDS)
		drop_backward_edges(&f);
	g_free(f.components);
	g_free(f.first);
	g_free(f.incoming);
	g_free(f.came_from);
	g_free(f.seen_at);
	g_ptr_array_unref(f.facilities);
	g_array_unref(f.edges);
}
