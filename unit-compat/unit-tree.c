/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Unit tree: each directory is listed once, and no file is read. A link's target is only compared
 * by its name, because units refer to each other by name.
 */
#include "config.h"

#include "unit-compat/unit-tree.h"

#include <string.h>

#include "base/text.h"

#define MAX_ALIASES 8

static const struct {
	const char *path;
	bool is_admins;
} directories[] = {
	{ "/etc/systemd/system", true },
	{ "/run/systemd/system", true },
	{ "/usr/local/lib/systemd/system", false },
	{ "/usr/lib/systemd/system", false },
	{ "/lib/systemd/system", false },
};

static const char *const suffixes[] = { ".service", ".socket",	  ".target", ".timer", ".path",
					".mount",   ".automount", ".slice",  ".scope", ".swap" };

static void entry_free(gpointer data)
{
	UnitEntry *entry = data;

	g_free(entry->name);
	g_free(entry->path);
	g_free(entry->alias_of);
	g_free(entry);
}

static void unit_link_free(gpointer data)
{
	UnitLink *link = data;

	g_free(link->target);
	g_free(link->unit);
	g_free(link->path);
	g_free(link);
}

GPtrArray *unit_links_new(void)
{
	return g_ptr_array_new_with_free_func(unit_link_free);
}

static bool is_unit_name(const char *name)
{
	for (size_t i = 0; i < G_N_ELEMENTS(suffixes); i++) {
		if (g_str_has_suffix(name, suffixes[i]))
			return true;
	}
	return false;
}

/* A link to a file of the same name elsewhere is the unit itself (systemctl link). */
static void add_entry(UnitTree *tree, const char *directory, const char *name, bool is_admins)
{
	g_autofree char *path = g_build_filename(directory, name, NULL);
	g_autofree char *target = lsb_tree_read_link(&tree->tree, path);
	g_autofree char *base = target ? g_path_get_basename(target) : NULL;
	const bool is_masked = g_strcmp0(target, "/dev/null") == 0;
	UnitEntry *entry = g_hash_table_lookup(tree->entries, name);

	if (entry) {
		entry->hides_unit = entry->hides_unit || !is_masked;
		return;
	}
	entry = g_new0(UnitEntry, 1);
	entry->name = g_strdup(name);
	entry->path = g_steal_pointer(&path);
	entry->is_admins = is_admins;
	entry->is_masked = is_masked;
	if (base && !entry->is_masked && strcmp(base, name) != 0)
		entry->alias_of = g_steal_pointer(&base);
	g_hash_table_insert(tree->entries, entry->name, entry);
}

static bool has_link(const UnitTree *tree, const char *target, const char *unit)
{
	for (guint i = 0; i < tree->links->len; i++) {
		const UnitLink *link = g_ptr_array_index(tree->links, i);

		if (strcmp(link->unit, unit) == 0 && strcmp(link->target, target) == 0)
			return true;
	}
	return false;
}

/* @suffix: ".wants" or ".requires", with which the name of @directory ends. */
static void add_links(UnitTree *tree, const char *directory, const char *suffix)
{
	g_autoptr(GPtrArray) names = lsb_tree_list(&tree->tree, directory);
	g_autofree char *base = g_path_get_basename(directory);
	g_autofree char *target = g_strndup(base, strlen(base) - strlen(suffix));

	for (guint i = 0; i < names->len; i++) {
		const char *name = g_ptr_array_index(names, i);
		g_autofree char *path = g_build_filename(directory, name, NULL);
		g_autofree char *to = NULL;
		UnitLink *link;

		if (!is_unit_name(name) || has_link(tree, target, name))
			continue;
		to = lsb_tree_read_link(&tree->tree, path);
		link = g_new0(UnitLink, 1);
		link->target = g_strdup(target);
		link->unit = g_strdup(name);
		link->path = g_steal_pointer(&path);
		link->is_required = strcmp(suffix, ".requires") == 0;
		link->is_masked = g_strcmp0(to, "/dev/null") == 0;
		g_ptr_array_add(tree->links, link);
	}
}

static void add_drop_ins(UnitTree *tree, const char *directory, const char *name)
{
	GPtrArray *paths = g_hash_table_lookup(tree->drop_ins, name);

	if (!paths) {
		paths = g_ptr_array_new_with_free_func(g_free);
		g_hash_table_insert(tree->drop_ins, g_strdup(name), paths);
	}
	g_ptr_array_add(paths, g_build_filename(directory, name, NULL));
}

static void read_directory(UnitTree *tree, const char *directory, bool is_admins)
{
	g_autoptr(GPtrArray) names = lsb_tree_list(&tree->tree, directory);

	for (guint i = 0; i < names->len; i++) {
		const char *name = g_ptr_array_index(names, i);
		g_autofree char *path = g_build_filename(directory, name, NULL);

		if (g_str_has_suffix(name, ".wants"))
			add_links(tree, path, ".wants");
		else if (g_str_has_suffix(name, ".requires"))
			add_links(tree, path, ".requires");
		else if (g_str_has_suffix(name, ".d"))
			add_drop_ins(tree, directory, name);
		else if (is_unit_name(name))
			add_entry(tree, directory, name, is_admins);
	}
}

/* /lib is usually a link to /usr/lib. */
static bool is_read_already(const UnitTree *tree, const char *path)
{
	struct stat st;

	return strcmp(path, "/lib/systemd/system") == 0 &&
	       lsb_tree_stat(&tree->tree, "/lib", false, &st) && S_ISLNK(st.st_mode);
}

UnitTree *unit_tree_new(const char *root)
{
	UnitTree *tree = g_new0(UnitTree, 1);

	lsb_tree_init(&tree->tree, root);
	tree->entries = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, entry_free);
	tree->links = unit_links_new();
	tree->drop_ins = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
					       (GDestroyNotify)g_ptr_array_unref);
	for (size_t i = 0; i < G_N_ELEMENTS(directories); i++) {
		if (!is_read_already(tree, directories[i].path))
			read_directory(tree, directories[i].path, directories[i].is_admins);
	}
	return tree;
}

void unit_tree_free(UnitTree *tree)
{
	if (!tree)
		return;
	lsb_tree_clear(&tree->tree);
	g_hash_table_unref(tree->entries);
	g_ptr_array_unref(tree->links);
	g_hash_table_unref(tree->drop_ins);
	g_free(tree);
}

/* --- names --- */

/* "getty@.service" for "getty@tty1.service", a new string; NULL: not an instance. */
static char *template_of(const char *unit)
{
	const char *at = strchr(unit, '@');
	const char *suffix = strrchr(unit, '.');

	if (!at || !suffix || suffix <= at + 1)
		return NULL;
	return g_strdup_printf("%.*s@%s", (int)(at - unit), unit, suffix);
}

/* "getty@tty1.service" for the template "getty@.service" and the instance "autovt@tty1.service". */
static char *instance_like(const char *template, const char *instance)
{
	const char *at = strchr(template, '@');

	if (!at || at[1] != '.')
		return g_strdup(template);
	return g_strdup_printf("%.*s%s", (int)(at - template), template, strchr(instance, '@'));
}

char *unit_tree_resolve(const UnitTree *tree, const char *unit)
{
	char *name = g_strdup(unit);

	for (int i = 0; i < MAX_ALIASES; i++) {
		const UnitEntry *entry = g_hash_table_lookup(tree->entries, name);
		g_autofree char *template = entry ? NULL : template_of(name);
		char *next;

		if (template)
			entry = g_hash_table_lookup(tree->entries, template);
		if (!entry || !entry->alias_of)
			break;
		next = template ? instance_like(entry->alias_of, name) : g_strdup(entry->alias_of);
		g_free(name);
		name = next;
	}
	return name;
}

const UnitEntry *unit_tree_find(const UnitTree *tree, const char *unit)
{
	g_autofree char *name = unit_tree_resolve(tree, unit);
	const UnitEntry *entry = g_hash_table_lookup(tree->entries, name);
	g_autofree char *template = entry ? NULL : template_of(name);

	return template ? g_hash_table_lookup(tree->entries, template) : entry;
}

/* --- drop-ins --- */

/* Adds "NAME.conf" -> path, unless a directory with precedence has that name. */
static void list_drop_ins(const UnitTree *tree, const char *directory, GHashTable *found)
{
	const GPtrArray *paths = g_hash_table_lookup(tree->drop_ins, directory);

	for (guint i = 0; paths && i < paths->len; i++) {
		g_autoptr(GPtrArray)
			names = lsb_tree_list(&tree->tree, g_ptr_array_index(paths, i));

		for (guint k = 0; k < names->len; k++) {
			char *name = g_ptr_array_index(names, k);

			if (g_str_has_suffix(name, ".conf") && !g_hash_table_contains(found, name))
				g_hash_table_insert(
					found, g_strdup(name),
					g_build_filename(g_ptr_array_index(paths, i), name, NULL));
		}
	}
}

/* "foo-bar.service" has the directories foo-bar.service.d, foo-.service.d and service.d. */
static void list_by_name(const UnitTree *tree, const char *unit, GHashTable *found)
{
	const char *suffix = strrchr(unit, '.');
	g_autofree char *own = g_strconcat(unit, ".d", NULL);

	list_drop_ins(tree, own, found);
	for (const char *at = suffix - 1; at > unit; at--) {
		g_autofree char *prefixed = NULL;

		if (at[-1] != '-')
			continue;
		prefixed = g_strdup_printf("%.*s%s.d", (int)(at - unit), unit, suffix);
		list_drop_ins(tree, prefixed, found);
	}
}

GPtrArray *unit_tree_drop_ins(const UnitTree *tree, const char *unit)
{
	g_autoptr(GHashTable) found = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	g_autofree char *template = template_of(unit);
	g_autofree char *type = g_strconcat(strrchr(unit, '.') + 1, ".d", NULL);
	GPtrArray *paths = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GPtrArray) names = g_ptr_array_new();
	GHashTableIter iter;
	gpointer name;

	if (g_hash_table_size(tree->drop_ins) > 0) {
		list_by_name(tree, unit, found);
		if (template)
			list_by_name(tree, template, found);
		list_drop_ins(tree, type, found);
	}
	g_hash_table_iter_init(&iter, found);
	while (g_hash_table_iter_next(&iter, &name, NULL))
		g_ptr_array_add(names, name);
	g_ptr_array_sort(names, text_compare);
	for (guint i = 0; i < names->len; i++)
		g_ptr_array_add(paths, g_hash_table_lookup(found, g_ptr_array_index(names, i)));
	return paths;
}
