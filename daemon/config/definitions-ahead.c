/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Definitions ahead: a table by name.
 */
#include "config.h"

#include "config/definitions-ahead.h"

#include <string.h>

typedef struct Entry {
	ServiceDef *def; /* NULL: taken */
	GString *paths;  /* each with its NUL */
} Entry;

struct DefinitionsAhead {
	GHashTable *entries; /* name -> Entry, both owned */
};

static void entry_free(gpointer data)
{
	Entry *entry = data;

	service_def_free(entry->def);
	g_string_free(entry->paths, TRUE);
	g_free(entry);
}

DefinitionsAhead *definitions_ahead_new(void)
{
	DefinitionsAhead *ahead = g_new0(DefinitionsAhead, 1);

	ahead->entries = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, entry_free);
	return ahead;
}

void definitions_ahead_free(DefinitionsAhead *ahead)
{
	if (!ahead)
		return;
	g_hash_table_unref(ahead->entries);
	g_free(ahead);
}

static GString *join(const GPtrArray *paths)
{
	GString *joined = g_string_new(NULL);

	for (guint i = 0; i < paths->len; i++) {
		const char *path = g_ptr_array_index(paths, i);

		g_string_append_len(joined, path, (gssize)strlen(path) + 1);
	}
	return joined;
}

void definitions_ahead_add(DefinitionsAhead *ahead, ServiceDef *def, const GPtrArray *paths)
{
	Entry *entry = g_new0(Entry, 1);

	entry->def = def;
	entry->paths = join(paths);
	g_hash_table_replace(ahead->entries, g_strdup(def->name), entry);
}

ServiceDef *definitions_ahead_take(DefinitionsAhead *ahead, const char *name, const GPtrArray *paths)
{
	Entry *entry = g_hash_table_lookup(ahead->entries, name);
	g_autoptr(GString) wanted = entry ? join(paths) : NULL;

	return entry && g_string_equal(entry->paths, wanted) ? g_steal_pointer(&entry->def) : NULL;
}

unsigned definitions_ahead_length(const DefinitionsAhead *ahead)
{
	return g_hash_table_size(ahead->entries);
}
