/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Nodes: scripts are found by the names in Provides, not by file names. The file name counts only
 * without Provides.
 */
#include "config.h"

#include "lsb-compat/nodes.h"

#include <string.h>

#include "lsb-compat/own-jobs.h"

static void node_free(gpointer data)
{
	LsbNode *node = data;

	g_free(node->name);
	g_ptr_array_unref(node->provides);
	g_free(node);
}

LsbNode *lsb_node_at(const LsbNodes *nodes, unsigned number)
{
	return g_ptr_array_index(nodes->list, number);
}

static const char *find_native(const LsbNodes *nodes, const char *name)
{
	return nodes->natives ? nodes->natives->find(nodes->natives->data, name) : NULL;
}

static LsbNode *add_node(LsbNodes *nodes, const char *name, LsbRole role)
{
	LsbNode *node = g_new0(LsbNode, 1);

	node->name = g_strdup(name);
	node->role = role;
	node->provides = g_ptr_array_new_with_free_func(g_free);
	g_ptr_array_add(nodes->list, node);
	return node;
}

static unsigned add_native(LsbNodes *nodes, const char *name)
{
	gpointer known = g_hash_table_lookup(nodes->by_name, name);
	LsbNode *node;

	if (known)
		return GPOINTER_TO_UINT(known) - 1;
	node = add_node(nodes, name, LSB_ROLE_NATIVE);
	node->start = LSB_LEVELS_UP;
	node->stop = 1u << 0 | 1u << 1 | 1u << 6;
	g_hash_table_insert(nodes->by_name, node->name, GUINT_TO_POINTER(nodes->list->len));
	return nodes->list->len - 1;
}

static bool is_own_job(const LsbNodes *nodes, const LsbOwnJob *job)
{
	return job && (!job->native || find_native(nodes, job->native));
}

/* Returns: the node of @script. One service may replace several scripts. */
static unsigned add_script(LsbNodes *nodes, const LsbScript *script)
{
	const LsbOwnJob *job = lsb_own_job_find(script->file);
	const char *native = find_native(nodes, script->service);
	unsigned number;
	LsbNode *node;

	if (native && !(job && !job->native)) {
		number = add_native(nodes, native);
		node = lsb_node_at(nodes, number);
		if (!node->script)
			node->start = node->stop = 0; /* the levels of its scripts count */
		node->script = node->script ? node->script : script;
		return number;
	}
	node = add_node(nodes, script->service,
			is_own_job(nodes, job) ? LSB_ROLE_OWN_JOB : LSB_ROLE_SCRIPT);
	node->script = script;
	node->stands_for = node->role == LSB_ROLE_OWN_JOB ? job->stands_for : NULL;
	return nodes->list->len - 1;
}

/* Used if no script has a link in any runlevel. */
static void levels_from_header(const LsbHeader *header, LsbNode *node)
{
	if (lsb_header_exists(header)) {
		node->start |= header->default_start;
		node->stop |= header->default_stop;
		node->is_known = true;
	} else if (header->has_chkconfig) {
		node->start |= header->chkconfig_levels;
		node->stop |= (1u << 0 | 1u << 1 | 1u << 6) & ~header->chkconfig_levels;
		node->is_known = true;
	}
}

/*
 * False for scripts that an admin has disabled: they have only stop links, but their headers name
 * start levels.
 */
static bool is_stop_only(const LsbNode *node, const LsbHeader *header)
{
	return node->role == LSB_ROLE_SCRIPT && !node->start && (node->stop & LSB_LEVELS_END) &&
	       header->has_default_start && !header->default_start &&
	       (header->default_stop & LSB_LEVELS_END);
}

static void set_levels(LsbNode *node, const LsbScript *script, bool has_links)
{
	if (!has_links) {
		levels_from_header(script->header, node);
	} else if (script->links.start || script->links.stop) {
		node->start |= script->links.start;
		node->stop |= script->links.stop;
		node->is_known = true;
	}
	/* Nothing starts in 0 and 6. As with rc, a script with an S link there is stopped. */
	node->stop |= node->start & ~LSB_LEVELS_UP;
	node->start &= LSB_LEVELS_UP;
	node->is_stop_only = is_stop_only(node, script->header);
}

static GArray *providers(LsbNodes *nodes, const char *token)
{
	GArray *list = g_hash_table_lookup(nodes->tokens, token);

	if (!list) {
		list = g_array_new(FALSE, FALSE, sizeof(unsigned));
		g_hash_table_insert(nodes->tokens, g_strdup(token), list);
	}
	return list;
}

static void add_provider(GArray *list, unsigned number)
{
	for (guint i = 0; i < list->len; i++) {
		if (g_array_index(list, unsigned, i) == number)
			return;
	}
	g_array_append_val(list, number);
}

const GArray *lsb_nodes_find(LsbNodes *nodes, const char *token)
{
	GArray *list = g_hash_table_lookup(nodes->tokens, token);
	const char *native = list ? NULL : find_native(nodes, token);

	if (native) {
		list = providers(nodes, token);
		add_provider(list, add_native(nodes, native));
	}
	return list;
}

/* Returns: the names that @script provides; its file name if there are none. */
static GPtrArray *tokens_of(const LsbScript *script)
{
	const LsbTokens *provides = &script->header->fields[LSB_PROVIDES];
	GPtrArray *tokens = g_ptr_array_new();

	for (guint i = 0; i < provides->tokens->len; i++)
		g_ptr_array_add(tokens, g_ptr_array_index(provides->tokens, i));
	if (tokens->len == 0)
		g_ptr_array_add(tokens, script->file);
	return tokens;
}

static void warn_of_shared_name(const LsbNodes *nodes, const LsbScript *script, const char *token,
				const GArray *list)
{
	const LsbNode *first = lsb_node_at(nodes, g_array_index(list, unsigned, 0));

	diag_warning(
		nodes->diags, script->header->fields[LSB_PROVIDES].origin, script->service,
		"Provides: \"%s\" is provided by %s as well; both are started, and a service that "
		"names it waits for both",
		token, first->name);
}

static void register_names(LsbNodes *nodes, const LsbScript *script, unsigned number)
{
	g_autoptr(GPtrArray) tokens = tokens_of(script);

	for (guint i = 0; i < tokens->len; i++) {
		const char *token = g_ptr_array_index(tokens, i);
		const char *native = find_native(nodes, token);
		GArray *list = providers(nodes, token);

		if (list->len > 0 && g_array_index(list, unsigned, 0) != number)
			warn_of_shared_name(nodes, script, token, list);
		add_provider(list, number);
		if (native)
			add_provider(list, add_native(nodes, native));
	}
}

/*
 * May @token be another name of @node? Names of services come first, then the first script that
 * provides the token.
 */
static bool is_further_name(LsbNodes *nodes, const GHashTable *services, unsigned number,
			    const char *token)
{
	const GArray *list = lsb_nodes_find(nodes, token);

	return !g_hash_table_contains((GHashTable *)services, token) && !strchr(token, '@') &&
	       !find_native(nodes, token) && g_array_index(list, unsigned, 0) == number;
}

static void add_string(GPtrArray *list, const char *text)
{
	if (!g_ptr_array_find_with_equal_func(list, text, g_str_equal, NULL))
		g_ptr_array_add(list, g_strdup(text));
}

static void name_node(LsbNodes *nodes, const GHashTable *services, unsigned number)
{
	LsbNode *node = lsb_node_at(nodes, number);
	g_autoptr(GPtrArray) tokens = tokens_of(node->script);

	node->is_interactive = node->script->header->is_interactive;
	for (guint i = 0; i < tokens->len; i++) {
		const char *token = g_ptr_array_index(tokens, i);
		g_autoptr(GPtrArray) facilities = lsb_facilities_of(nodes->facilities, token);

		node->is_interactive |= lsb_facilities_is_interactive(nodes->facilities, token);
		if (is_further_name(nodes, services, number, token))
			add_string(node->provides, token);
		for (guint j = 0; j < facilities->len; j++)
			add_string(node->provides, g_ptr_array_index(facilities, j));
	}
}

/* Called when all names are known. */
static void name_nodes(LsbNodes *nodes)
{
	g_autoptr(GHashTable) services = g_hash_table_new(g_str_hash, g_str_equal);

	for (guint i = 0; i < nodes->list->len; i++)
		g_hash_table_add(services, lsb_node_at(nodes, i)->name);
	for (guint i = 0; i < nodes->list->len; i++) {
		if (lsb_node_at(nodes, i)->role == LSB_ROLE_SCRIPT)
			name_node(nodes, services, i);
	}
}

static bool have_links(const GPtrArray *scripts)
{
	for (guint i = 0; i < scripts->len; i++) {
		const LsbScript *script = g_ptr_array_index(scripts, i);

		if (script->links.start || script->links.stop)
			return true;
	}
	return false;
}

LsbNodes *lsb_nodes_new(const GPtrArray *scripts, const LsbFacilities *facilities,
			const LsbNatives *natives, DiagList *diags)
{
	LsbNodes *nodes = g_new0(LsbNodes, 1);
	const bool has_links = have_links(scripts);

	nodes->list = g_ptr_array_new_with_free_func(node_free);
	nodes->tokens = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
					      (GDestroyNotify)g_array_unref);
	nodes->by_name = g_hash_table_new(g_str_hash, g_str_equal);
	nodes->facilities = facilities;
	nodes->natives = natives;
	nodes->diags = diags;
	for (guint i = 0; i < scripts->len; i++) {
		const LsbScript *script = g_ptr_array_index(scripts, i);
		const unsigned number = add_script(nodes, script);

		set_levels(lsb_node_at(nodes, number), script, has_links);
		register_names(nodes, script, number);
	}
	name_nodes(nodes);
	return nodes;
}

void lsb_nodes_free(LsbNodes *nodes)
{
	if (!nodes)
		return;
	g_hash_table_unref(nodes->by_name);
	g_hash_table_unref(nodes->tokens);
	g_ptr_array_unref(nodes->list);
	g_free(nodes);
}
