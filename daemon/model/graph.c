/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Graph: edges from definitions, and Tarjan's algorithm (SIAM J. Comput. 1, 1972) with its own
 * stack.
 *
 * Only terms of a single plain condition make edges. Of several alternatives one may become true
 * without the others, and "!" does not wait for a start.
 */
#include "config.h"

#include "model/graph.h"

#include <string.h>

typedef struct EdgeCollector {
	const ServiceSet *set;
	GHashTable *index; /* ServiceDef * -> its number + 1 */
	GHashTable *facilities; /* name -> its node; NULL: edges lead to the providers */
	GPtrArray *facility_names;
	GArray *edges;
	bool with_alternatives; /* include terms of several conditions */
	GHashTable *mounts; /* mount point -> ServiceDef *; NULL: omit mounted: terms */
} EdgeCollector;

static unsigned index_of(const EdgeCollector *c, const ServiceDef *def)
{
	return GPOINTER_TO_UINT(g_hash_table_lookup(c->index, def)) - 1;
}

static bool provides(const ServiceDef *def, const char *facility)
{
	for (guint i = 0; i < def->provides->len; i++) {
		if (strcmp(((NameRef *)g_ptr_array_index(def->provides, i))->name, facility) == 0)
			return true;
	}
	return false;
}

/* The node of a facility, made at first use with the edges of its providers. */
static unsigned facility_node(EdgeCollector *c, const char *name, const GPtrArray *providers)
{
	gpointer known = g_hash_table_lookup(c->facilities, name);
	unsigned node;

	if (known)
		return GPOINTER_TO_UINT(known);
	node = service_set_length(c->set) + c->facility_names->len;
	g_ptr_array_add(c->facility_names, (gpointer)name);
	g_hash_table_insert(c->facilities, (gpointer)name, GUINT_TO_POINTER(node));
	for (guint i = 0; i < providers->len; i++) {
		const Edge edge = {
			.before = index_of(c, g_ptr_array_index(providers, i)),
			.after = node,
			.kind = EDGE_HARD,
		};

		g_array_append_val(c->edges, edge);
	}
	return node;
}

/* @edge is complete except @before, which is @name: a service or a $facility. */
static void add_edge_from(EdgeCollector *c, const char *name, const ServiceDef *self, Edge edge)
{
	const ServiceDef *def = service_set_find(c->set, name);
	const GPtrArray *providers = *name == '$' ? service_set_facility(c->set, name) : NULL;

	if (def) {
		edge.before = index_of(c, def);
		g_array_append_val(c->edges, edge);
	}
	if (!providers || provides(self, name))
		return;
	if (c->facilities) {
		edge.before = facility_node(c, name, providers);
		g_array_append_val(c->edges, edge);
		return;
	}
	for (guint i = 0; i < providers->len; i++) {
		edge.before = index_of(c, g_ptr_array_index(providers, i));
		g_array_append_val(c->edges, edge);
	}
}

/* Like add_edge_from(), from the service that mounts the file system of @path. */
static void add_edge_from_mount(EdgeCollector *c, const char *path, Edge edge)
{
	const ServiceDef *def = mount_point_find(c->mounts, path);

	if (!def)
		return;
	edge.before = index_of(c, def);
	g_array_append_val(c->edges, edge);
}

static GHashTable *collect_mounts(const GPtrArray *list)
{
	GHashTable *mounts = g_hash_table_new(g_str_hash, g_str_equal);

	for (guint i = list->len; i > 0; i--) { /* the first of two by name wins */
		ServiceDef *def = g_ptr_array_index(list, i - 1);
		const char *point = service_def_mount_point(def);

		if (point)
			g_hash_table_insert(mounts, (gpointer)point, def);
	}
	return mounts;
}

static void add_before(EdgeCollector *c, unsigned self, const NameRef *ref)
{
	const ServiceDef *def = service_set_find(c->set, ref->name);
	const GPtrArray *providers = *ref->name == '$' ? service_set_facility(c->set, ref->name) :
							 NULL;
	Edge edge = { .before = self,
		      .kind = EDGE_SOFT,
		      .is_turned = true,
		      .origin = ref->origin,
		      .text = ref->name };

	if (def) {
		edge.after = index_of(c, def);
		g_array_append_val(c->edges, edge);
	}
	for (guint i = 0; providers && i < providers->len; i++) {
		edge.after = index_of(c, g_ptr_array_index(providers, i));
		if (edge.after != self)
			g_array_append_val(c->edges, edge);
	}
}

static void add_terms(EdgeCollector *c, unsigned self, const ServiceDef *def,
		      const GPtrArray *terms)
{
	for (guint i = 0; i < terms->len; i++) {
		const Term *term = g_ptr_array_index(terms, i);
		const Edge edge = {
			.after = self, .kind = EDGE_HARD, .origin = term->origin, .text = term->text
		};

		for (unsigned j = 0;
		     j < term_length(term) && (term_length(term) == 1 || c->with_alternatives);
		     j++) {
			const Literal *literal = term_literal(term, j);

			if (!literal->negated && key_prefix_is_internal(literal->prefix))
				add_edge_from(c, key_argument(literal->key), def, edge);
			if (!literal->negated && literal->prefix == KEY_MOUNTED && c->mounts)
				add_edge_from_mount(c, key_argument(literal->key), edge);
		}
	}
}

static void collect(EdgeCollector *c)
{
	const GPtrArray *list = service_set_list(c->set);

	c->index = g_hash_table_new(NULL, NULL);
	c->edges = g_array_new(FALSE, FALSE, sizeof(Edge));
	for (guint i = 0; i < list->len; i++)
		g_hash_table_insert(c->index, g_ptr_array_index(list, i), GUINT_TO_POINTER(i + 1));
	for (guint i = 0; i < list->len; i++) {
		const ServiceDef *def = g_ptr_array_index(list, i);

		for (guint j = 0; j < def->after->len; j++) {
			const NameRef *ref = g_ptr_array_index(def->after, j);
			const Edge edge = {
				.after = i,
				.kind = EDGE_SOFT,
				.is_turned = ref->is_turned,
				.origin = ref->origin,
				.text = ref->name,
			};

			add_edge_from(c, ref->name, def, edge);
		}
		for (guint j = 0; j < def->before->len; j++)
			add_before(c, i, g_ptr_array_index(def->before, j));
		add_terms(c, i, def, def->when);
		add_terms(c, i, def, def->while_terms);
	}
	g_hash_table_unref(c->index);
}

GArray *graph_edges(const ServiceSet *set)
{
	EdgeCollector c = { .set = set };

	collect(&c);
	return c.edges;
}

static uint64_t *pair_of(unsigned before, unsigned after)
{
	uint64_t *pair = g_new(uint64_t, 1);

	*pair = (uint64_t)before << 32 | after;
	return pair;
}

/*
 * Adds the edges of StopAfter=, and their pairs to @declared. check_set() has already converted
 * StopBefore=.
 */
static void add_declared(const ServiceSet *set, GHashTable *numbers, GHashTable *declared,
			 GArray *edges)
{
	const GPtrArray *list = service_set_list(set);

	for (guint i = 0; i < list->len; i++) {
		const ServiceDef *def = g_ptr_array_index(list, i);

		for (guint j = 0; j < def->stop_after->len; j++) {
			const NameRef *ref = g_ptr_array_index(def->stop_after, j);
			const ServiceDef *first = service_set_find(set, ref->name);
			Edge edge = { .after = i,
				      .kind = EDGE_SOFT,
				      .origin = ref->origin,
				      .text = ref->name };

			if (!first || first == def)
				continue;
			edge.before = GPOINTER_TO_UINT(g_hash_table_lookup(numbers, first));
			if (g_hash_table_add(declared, pair_of(edge.before, edge.after)))
				g_array_append_val(edges, edge);
		}
	}
}

/* Does the line that makes @edge also order the stop? */
static bool orders_stopping(const GPtrArray *list, const Edge *edge)
{
	const ServiceDef *author =
		g_ptr_array_index(list, edge->is_turned ? edge->before : edge->after);

	return edge->before != edge->after && author->stop_order == STOP_ORDER_REVERSE;
}

GArray *graph_stop_edges(const ServiceSet *set)
{
	g_autoptr(GHashTable) mounts = collect_mounts(service_set_list(set));
	EdgeCollector c = { .set = set, .with_alternatives = true, .mounts = mounts };
	g_autoptr(GHashTable) numbers = g_hash_table_new(NULL, NULL);
	g_autoptr(GHashTable)
		declared = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
	const GPtrArray *list = service_set_list(set);
	GArray *edges = g_array_new(FALSE, FALSE, sizeof(Edge));

	for (guint i = 0; i < list->len; i++)
		g_hash_table_insert(numbers, g_ptr_array_index(list, i), GUINT_TO_POINTER(i));
	add_declared(set, numbers, declared, edges);
	collect(&c);
	for (guint i = 0; i < c.edges->len; i++) {
		Edge edge = g_array_index(c.edges, Edge, i);
		g_autofree uint64_t *pair = pair_of(edge.before, edge.after);

		if (!orders_stopping(list, &edge) || g_hash_table_contains(declared, pair))
			continue; /* only the start is ordered, or StopAfter= orders the opposite */
		edge.before = g_array_index(c.edges, Edge, i).after;
		edge.after = g_array_index(c.edges, Edge, i).before;
		g_array_append_val(edges, edge);
	}
	g_array_unref(c.edges);
	return edges;
}

GArray *graph_edges_compact(const ServiceSet *set, GPtrArray **ret_facilities)
{
	g_autoptr(GHashTable) facilities = g_hash_table_new(g_str_hash, g_str_equal);
	EdgeCollector c = { .set = set,
			    .facilities = facilities,
			    .facility_names = g_ptr_array_new() };

	collect(&c);
	*ret_facilities = c.facility_names;
	return c.edges;
}

/*
 * The successors of each node, in one array: those of v begin at successors[first[v]] and end
 * before successors[first[v + 1]].
 */
typedef struct Adjacency {
	unsigned *first;
	unsigned *successors;
} Adjacency;

static Adjacency adjacency_new(unsigned n, const GArray *edges)
{
	Adjacency a = { g_new0(unsigned, n + 2), g_new0(unsigned, edges->len + 1) };

	/*
	 * The count of each node is stored two places after the node. So after the last loop, the
	 * successors of v begin at first[v].
	 */
	for (guint i = 0; i < edges->len; i++)
		a.first[g_array_index(edges, Edge, i).before + 2]++;
	for (unsigned v = 2; v < n + 2; v++)
		a.first[v] += a.first[v - 1];
	for (guint i = 0; i < edges->len; i++) {
		const Edge *edge = &g_array_index(edges, Edge, i);

		a.successors[a.first[edge->before + 1]++] = edge->after;
	}
	return a;
}

typedef struct Tarjan {
	Adjacency adjacency;
	unsigned *order; /* when a node was first visited, from 1; 0: not yet */
	unsigned *low; /* the earliest node on the stack that it reaches */
	unsigned *next; /* the next successor to visit */
	bool *on_stack;
	unsigned *stack; /* nodes without a component yet */
	unsigned *path; /* from the root to the present node, in place of recursion */
	unsigned n_stack;
	unsigned n_path;
	unsigned n_seen;
	unsigned n_components;
	unsigned *components;
} Tarjan;

static void visit(Tarjan *t, unsigned v)
{
	t->order[v] = t->low[v] = ++t->n_seen;
	t->next[v] = t->adjacency.first[v];
	t->stack[t->n_stack++] = v;
	t->on_stack[v] = true;
	t->path[t->n_path++] = v;
}

static void leave(Tarjan *t, unsigned v)
{
	unsigned w;

	t->n_path--;
	if (t->n_path > 0) {
		const unsigned parent = t->path[t->n_path - 1];

		t->low[parent] = MIN(t->low[parent], t->low[v]);
	}
	if (t->low[v] != t->order[v])
		return;
	do {
		w = t->stack[--t->n_stack];
		t->on_stack[w] = false;
		t->components[w] = t->n_components;
	} while (w != v);
	t->n_components++;
}

static void walk_from(Tarjan *t, unsigned root)
{
	visit(t, root);
	while (t->n_path > 0) {
		const unsigned v = t->path[t->n_path - 1];
		unsigned w;

		if (t->next[v] == t->adjacency.first[v + 1]) {
			leave(t, v);
			continue;
		}
		w = t->adjacency.successors[t->next[v]++];
		if (t->order[w] == 0)
			visit(t, w);
		else if (t->on_stack[w])
			t->low[v] = MIN(t->low[v], t->order[w]);
	}
}

unsigned *graph_components(unsigned n, const GArray *edges)
{
	Tarjan t = {
		.adjacency = adjacency_new(n, edges),
		.order = g_new0(unsigned, n),
		.low = g_new0(unsigned, n),
		.next = g_new0(unsigned, n),
		.on_stack = g_new0(bool, n),
		.stack = g_new0(unsigned, n),
		.path = g_new0(unsigned, n),
		.components = g_new0(unsigned, n + 1), /* never NULL */
	};

	for (unsigned v = 0; v < n; v++) {
		if (t.order[v] == 0)
			walk_from(&t, v);
	}
	g_free(t.adjacency.first);
	g_free(t.adjacency.successors);
	g_free(t.order);
	g_free(t.low);
	g_free(t.next);
	g_free(t.on_stack);
	g_free(t.stack);
	g_free(t.path);
	return t.components;
}
