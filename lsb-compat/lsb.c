/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * LSB: reads scripts, links and facilities, orders them as nodes, and writes the result.
 */
#include "config.h"

#include "lsb-compat/lsb.h"

#include <string.h>

#include "base/limits.h"
#include "lsb-compat/facilities.h"
#include "lsb-compat/script-names.h"
#include "lsb-compat/nodes.h"
#include "lsb-compat/order.h"
#include "lsb-compat/rc-links.h"
#include "lsb-compat/scripts.h"
#include "lsb-compat/translate.h"
#include "lsb-compat/tree.h"

#define CONF "/etc/insserv.conf"
#define CONF_DIRECTORY "/etc/insserv.conf.d"

static void file_free(gpointer data)
{
	LsbFile *file = data;

	g_free(file->name);
	g_free(file->from);
	g_free(file->text);
	g_free(file);
}

/* Takes @name and @text. */
static void add_file(GPtrArray *files, char *name, const char *from, char *text)
{
	LsbFile *file = g_new0(LsbFile, 1);

	file->name = name;
	file->from = g_strdup(from);
	file->text = text;
	g_ptr_array_add(files, file);
}

static void read_conf_file(const LsbTree *tree, const char *path, LsbFacilities *facilities,
			   DiagList *diags)
{
	g_autofree char *problem = NULL;
	gsize length;
	g_autofree char *text = lsb_tree_read(tree, path, LIMIT_FILE_BYTES, &length, &problem);

	if (problem)
		diag_warning(diags, origin_new(path, 0), NULL, "the file is ignored: %s", problem);
	if (text)
		lsb_facilities_parse(facilities, path, text, length, diags);
}

static LsbFacilities *read_facilities(const LsbTree *tree, DiagList *diags)
{
	LsbFacilities *facilities = lsb_facilities_new();
	g_autoptr(GPtrArray) names = lsb_tree_list(tree, CONF_DIRECTORY);

	read_conf_file(tree, CONF, facilities, diags);
	for (guint i = 0; i < names->len; i++) {
		const char *name = g_ptr_array_index(names, i);
		g_autofree char *path = g_build_filename(CONF_DIRECTORY, name, NULL);

		if (lsb_name_is_conf(name))
			read_conf_file(tree, path, facilities, diags);
	}
	lsb_facilities_check(facilities, diags);
	return facilities;
}

static void read_links(const LsbTree *tree, const GPtrArray *scripts)
{
	g_autoptr(GHashTable) table = lsb_rc_links_read(tree);

	for (guint i = 0; i < scripts->len; i++) {
		LsbScript *script = g_ptr_array_index(scripts, i);
		const LsbLinks *links = g_hash_table_lookup(table, script->file);

		if (links)
			script->links = *links;
	}
}

static int compare_files(gconstpointer a, gconstpointer b)
{
	return strcmp((*(const LsbFile *const *)a)->name, (*(const LsbFile *const *)b)->name);
}

static GPtrArray *write_down(const LsbNodes *nodes, const GPtrArray *plans)
{
	GPtrArray *files = g_ptr_array_new_with_free_func(file_free);
	char *policy = lsb_translate_links(nodes);

	for (guint i = 0; i < nodes->list->len; i++) {
		const LsbNode *node = lsb_node_at(nodes, i);

		if (node->role == LSB_ROLE_SCRIPT)
			add_file(files, g_strconcat(node->name, ".svc", NULL), node->script->path,
				 lsb_translate_script(node, g_ptr_array_index(plans, i)));
	}
	if (policy)
		add_file(files, g_strdup(LSB_POLICY_FILE), "/etc/rc?.d", policy);
	g_ptr_array_sort(files, compare_files);
	return files;
}

GPtrArray *lsb_read(const char *root, const LsbNatives *natives, DiagList *diags)
{
	LsbTree tree;
	g_autoptr(GPtrArray) scripts = NULL;
	g_autoptr(LsbFacilities) facilities = NULL;
	g_autoptr(LsbNodes) nodes = NULL;
	g_autoptr(GPtrArray) plans = NULL;

	lsb_tree_init(&tree, root);
	scripts = lsb_scripts_read(&tree, diags);
	read_links(&tree, scripts);
	facilities = read_facilities(&tree, diags);
	lsb_tree_clear(&tree);
	nodes = lsb_nodes_new(scripts, facilities, natives, diags);
	plans = lsb_order(nodes, diags);
	return write_down(nodes, plans);
}
