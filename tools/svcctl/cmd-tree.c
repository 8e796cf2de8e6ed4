/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * tree: the dependencies of services, as a tree; with --reverse their dependents. The data is from
 * the files, as for graph; the states are from svcd, if svcd answers. A subtree is printed only
 * once, so a tree has at most one line for each service and dependency.
 */
#include "config.h"

#include <string.h>

#include "base/errors.h"
#include "base/text.h"
#include "svcctl/dependencies.h"
#include "svcctl/svcctl.h"

typedef struct TreeWalk {
	Context *context;
	GHashTable *edges; /* name -> GPtrArray of Dependency * */
	GHashTable *states; /* name -> state, owned; NULL: svcd was not called */
	GHashTable *levels; /* condition -> level, owned; or NULL */
	GHashTable *concerned; /* the names to show, borrowed; NULL: all */
	GHashTable *shown; /* names with their children in the tree */
	GHashTable *path; /* names from the root to here */
	GPtrArray *records;
	GArray *parents; /* int: index of the record above, -1 */
} TreeWalk;

static const Column tree_columns[] = {
	{ "name", "NAME", "Label", CELL_TEXT },
	{ "state", "STATE", "State", CELL_TEXT },
	{ "because", "BECAUSE OF", "Because", CELL_TEXT },
};

/* --- one line --- */

/* "● ready"; for a condition its level with the matching symbol. A new string. */
static char *state_text(const Output *output, const char *state)
{
	const char *like = strcmp(state, "true") == 0    ? "ready" :
			   strcmp(state, "unknown") == 0 ? "starting" :
							   state;

	return *state ? g_strdup_printf("%s %s", output_symbol(output, like, false), state) :
			g_strdup("");
}

static const char *state_of(const TreeWalk *walk, const char *name, bool is_condition)
{
	GHashTable *known = is_condition ? walk->levels : walk->states;
	const char *state = known ? g_hash_table_lookup(known, name) : NULL;

	return state ? state : "";
}

/* "While=service:base, After=base"; lines[]: Dependency *. A new string. */
static char *join_lines(const GPtrArray *lines)
{
	g_autoptr(GString) text = g_string_new(NULL);

	for (guint i = 0; lines && i < lines->len; i++) {
		const Dependency *edge = g_ptr_array_index(lines, i);

		g_string_append_printf(text, "%s%s=%s", i > 0 ? ", " : "", edge->key, edge->text);
	}
	return g_string_free(g_steal_pointer(&text), FALSE);
}

static JsonArray *lines_to_json(const GPtrArray *lines)
{
	JsonArray *array = json_array_new();

	for (guint i = 0; lines && i < lines->len; i++) {
		const Dependency *edge = g_ptr_array_index(lines, i);
		g_autofree char *origin = origin_format(edge->origin);
		JsonObject *object = json_object_new();

		json_object_set_string_member(object, "key", edge->key);
		json_object_set_string_member(object, "text", edge->text);
		json_object_set_string_member(object, "origin", origin);
		json_array_add_object_element(array, object);
	}
	return array;
}

/* How the children of a node are shown. */
typedef enum Repeat { REPEAT_NONE, REPEAT_ABOVE, REPEAT_CYCLE } Repeat;

typedef struct Node {
	const char *name;
	bool is_condition;
	const GPtrArray *lines; /* Dependency *: why it is in the tree; NULL: a root */
	Repeat repeat;
} Node;

/* Returns: the index of its record. */
static int add_record(TreeWalk *walk, const Node *node, int parent)
{
	static const char *const marks[] = {
		[REPEAT_NONE] = "",
		[REPEAT_ABOVE] = " (see above)",
		[REPEAT_CYCLE] = " (cycle)",
	};
	g_autofree char *label = g_strconcat(node->name, marks[node->repeat], NULL);
	g_autofree char *state =
		state_text(&walk->context->output, state_of(walk, node->name, node->is_condition));
	g_autofree char *because = join_lines(node->lines);
	GVariantDict dict;

	g_variant_dict_init(&dict, NULL);
	record_add_text(&dict, "Label", label);
	record_add_text(&dict, "State", state);
	record_add_text(&dict, "Because", because);
	records_add(walk->records, &dict);
	g_array_append_val(walk->parents, parent);
	return (int)walk->records->len - 1;
}

/* Adds @node to @siblings. Returns: the array of its children, borrowed. */
static JsonArray *add_json(TreeWalk *walk, const Node *node, JsonArray *siblings)
{
	const char *state = state_of(walk, node->name, node->is_condition);
	JsonObject *object = json_object_new();
	JsonArray *children = json_array_new();

	json_object_set_string_member(object, "name", node->name);
	json_object_set_string_member(object, "kind", node->is_condition ? "condition" : "service");
	if (*state)
		json_object_set_string_member(object, "state", state);
	json_object_set_array_member(object, "because", lines_to_json(node->lines));
	json_object_set_boolean_member(object, "repeated", node->repeat != REPEAT_NONE);
	json_object_set_boolean_member(object, "cycle", node->repeat == REPEAT_CYCLE);
	json_object_set_array_member(object, "children", children);
	json_array_add_object_element(siblings, object);
	return children;
}

/* --- the walk --- */

/* "!path:/x" is true while path:/x is false. */
static const char *condition_name(const Dependency *edge)
{
	g_autofree char *negated = g_strconcat("!", edge->condition, NULL);

	return edge->is_negated ? g_intern_string(negated) : edge->condition;
}

/* The other end of @edge, seen from @name; NULL: it is not shown. */
static const char *other_end(const TreeWalk *walk, const Dependency *edge, const char *name)
{
	const char *other = strcmp(edge->of, name) == 0 ? edge->on : edge->of;

	if (edge->condition)
		return walk->context->options.with_conditions ? condition_name(edge) : NULL;
	return !walk->concerned || g_hash_table_contains(walk->concerned, other) ? other : NULL;
}

/* The children of @name, each once: Node *, owned; their lines must be freed too. */
static GPtrArray *children_of(const TreeWalk *walk, const char *name)
{
	const GPtrArray *edges = g_hash_table_lookup(walk->edges, name);
	g_autoptr(GHashTable) known = g_hash_table_new(g_str_hash, g_str_equal);
	GPtrArray *children = g_ptr_array_new_with_free_func(g_free);

	for (guint i = 0; edges && i < edges->len; i++) {
		Dependency *edge = g_ptr_array_index(edges, i);
		const char *other = other_end(walk, edge, name);
		GPtrArray *lines = other ? g_hash_table_lookup(known, other) : NULL;

		if (other && !lines) {
			Node *child = g_new0(Node, 1);

			lines = g_ptr_array_new();
			*child = (Node){ .name = other,
					 .is_condition = edge->condition != NULL,
					 .lines = lines };
			g_hash_table_insert(known, (gpointer)other, lines);
			g_ptr_array_add(children, child);
		}
		if (other)
			g_ptr_array_add(lines, edge);
	}
	return children;
}

static void visit(TreeWalk *walk, Node *node, int parent, JsonArray *siblings)
{
	g_autoptr(GPtrArray) children = NULL;
	JsonArray *below;
	int index;

	if (!node->is_condition && g_hash_table_contains(walk->path, node->name))
		node->repeat = REPEAT_CYCLE;
	else if (!node->is_condition && g_hash_table_contains(walk->shown, node->name))
		node->repeat = REPEAT_ABOVE;
	children = node->is_condition ? NULL : children_of(walk, node->name);
	/* A node without children needs no mark that its children are shown above. */
	if (node->repeat == REPEAT_ABOVE && children && children->len == 0)
		node->repeat = REPEAT_NONE;
	index = add_record(walk, node, parent);
	below = add_json(walk, node, siblings);
	if (!node->is_condition && node->repeat == REPEAT_NONE) {
		g_hash_table_add(walk->shown, (gpointer)node->name);
		g_hash_table_add(walk->path, (gpointer)node->name);
		for (guint i = 0; i < children->len; i++)
			visit(walk, g_ptr_array_index(children, i), index, below);
		g_hash_table_remove(walk->path, node->name);
	}
	for (guint i = 0; children && i < children->len; i++)
		g_ptr_array_unref((GPtrArray *)((Node *)g_ptr_array_index(children, i))->lines);
}

static void visit_root(TreeWalk *walk, const char *name, JsonArray *array)
{
	Node root = { .name = name };

	visit(walk, &root, -1, array);
}

/*
 * Visits the roots, which no service in the tree depends on, and then the remaining services, which
 * are in cycles.
 */
static void visit_all(TreeWalk *walk, JsonArray *array)
{
	g_autoptr(GHashTable) inner = g_hash_table_new(g_str_hash, g_str_equal);
	g_autoptr(GList)
		names = g_list_sort(g_hash_table_get_keys(walk->concerned), (GCompareFunc)strcmp);

	for (const GList *l = names; l; l = l->next) {
		g_autoptr(GPtrArray) children = children_of(walk, l->data);

		for (guint i = 0; i < children->len; i++) {
			const Node *child = g_ptr_array_index(children, i);

			g_hash_table_add(inner, (gpointer)child->name);
			g_ptr_array_unref((GPtrArray *)child->lines);
		}
	}
	for (const GList *l = names; l; l = l->next) {
		if (!g_hash_table_contains(inner, l->data))
			visit_root(walk, l->data, array);
	}
	for (const GList *l = names; l; l = l->next) {
		if (!g_hash_table_contains(walk->shown, l->data))
			visit_root(walk, l->data, array);
	}
}

/* --- data from svcd --- */

/* The level of a condition and of its negation. */
static void add_level(GHashTable *levels, const char *key, const char *level)
{
	const char *contrary = strcmp(level, "true") == 0  ? "false" :
			       strcmp(level, "false") == 0 ? "true" :
							     level;

	g_hash_table_insert(levels, g_strdup(key), g_strdup(level));
	g_hash_table_insert(levels, g_strconcat("!", key, NULL), g_strdup(contrary));
}

/*
 * Gets the state of every service and the level of every condition that services use. Without svcd
 * there are none.
 */
static void get_states(TreeWalk *walk, GHashTable *wanted)
{
	g_autoptr(GPtrArray)
		services = walk->context->options.root ?
				   NULL :
				   get_services_with(walk->context, "Name State Wanted", NULL);
	g_autoptr(GPtrArray) conditions = services && walk->context->options.with_conditions ?
						  get_conditions(walk->context, NULL) :
						  NULL;

	if (!services)
		return;
	walk->states = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	for (guint i = 0; i < services->len; i++) {
		GVariant *record = g_ptr_array_index(services, i);
		const char *name = record_text(record, "Name");

		g_hash_table_insert(walk->states, g_strdup(name),
				    g_strdup(record_text(record, "State")));
		if (record_number(record, "Wanted"))
			g_hash_table_add(wanted, g_strdup(name));
	}
	walk->levels = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	for (guint i = 0; conditions && i < conditions->len; i++) {
		GVariant *record = g_ptr_array_index(conditions, i);

		add_level(walk->levels, record_text(record, "Key"), record_text(record, "Level"));
	}
}

/* The services that are wanted now; without an answer from svcd, those of the default runlevel. */
static void keep_concerned(TreeWalk *walk, const Configuration *configuration, GHashTable *wanted)
{
	const GPtrArray *all = service_set_list(configuration->set);
	g_autoptr(GHashTable) by_files =
		walk->states ? NULL :
			       wanted_in(configuration,
					 policy_default_runlevel(configuration->policy, NULL));

	walk->concerned = g_hash_table_new(g_str_hash, g_str_equal);
	for (guint i = 0; i < all->len; i++) {
		const char *name = ((const ServiceDef *)g_ptr_array_index(all, i))->name;

		if (g_hash_table_contains(by_files ? by_files : wanted, name))
			g_hash_table_add(walk->concerned, (gpointer)name);
	}
}

static bool visit_named(TreeWalk *walk, const Configuration *configuration, JsonArray *array,
			GError **error)
{
	g_auto(GStrv) names = expand_names_in(walk->context, configuration->set, error);

	for (size_t i = 0; names && names[i]; i++) {
		const ServiceDef *def = service_set_find(configuration->set, names[i]);

		if (!def)
			return fail(error, SVCD_ERROR_NO_SUCH_SERVICE,
				    "no file describes a service named %s", names[i]);
		visit_root(walk, def->name, array);
	}
	return names != NULL;
}

static bool show(TreeWalk *walk, const Configuration *configuration, JsonArray *array,
		 GError **error)
{
	g_autoptr(GHashTable) wanted = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

	get_states(walk, wanted);
	if (walk->context->n_names == 0)
		keep_concerned(walk, configuration, wanted);
	if (walk->context->n_names > 0 && !visit_named(walk, configuration, array, error))
		return false;
	if (walk->context->n_names == 0)
		visit_all(walk, array);
	output_tree(&walk->context->output, tree_columns, G_N_ELEMENTS(tree_columns), walk->records,
		    walk->parents);
	return true;
}

bool cmd_tree(Context *context, GError **error)
{
	g_autoptr(Configuration) configuration = context_load_named(context);
	g_autoptr(GArray) dependencies = dependencies_of(configuration);
	g_autoptr(GHashTable) edges = dependencies_by(dependencies, context->options.is_reverse);
	g_autoptr(GHashTable) shown = g_hash_table_new(g_str_hash, g_str_equal);
	g_autoptr(GHashTable) path = g_hash_table_new(g_str_hash, g_str_equal);
	g_autoptr(GPtrArray) records = records_new();
	g_autoptr(GArray) parents = g_array_new(FALSE, FALSE, sizeof(int));
	TreeWalk walk = { .context = context,
			  .edges = edges,
			  .shown = shown,
			  .path = path,
			  .records = records,
			  .parents = parents };
	JsonArray *array = json_array_new();
	const bool done = show(&walk, configuration, array, error);
	JsonNode *node = json_node_init_array(json_node_alloc(), array);

	json_array_unref(array);
	output_set_data(&context->output, node);
	g_clear_pointer(&walk.states, g_hash_table_unref);
	g_clear_pointer(&walk.levels, g_hash_table_unref);
	g_clear_pointer(&walk.concerned, g_hash_table_unref);
	return done;
}
