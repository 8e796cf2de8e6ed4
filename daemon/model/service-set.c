/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Service set: definitions sorted by name, with indexes by alias and facility.
 */
#include "config.h"

#include "model/service-set.h"

#include <string.h>

#include "model/key.h"

struct ServiceSet {
	GPtrArray *list; /* ServiceDef *, owned, sorted by name */
	GHashTable *aliases; /* alias -> GPtrArray of ServiceDef * */
	GHashTable *facilities; /* "$name" -> GPtrArray of ServiceDef * */
};

ServiceSet *service_set_new(void)
{
	ServiceSet *set = g_new0(ServiceSet, 1);

	set->list = g_ptr_array_new_with_free_func((GDestroyNotify)service_def_free);
	set->aliases = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
					     (GDestroyNotify)g_ptr_array_unref);
	set->facilities = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
						(GDestroyNotify)g_ptr_array_unref);
	return set;
}

void service_set_free(ServiceSet *set)
{
	if (!set)
		return;
	g_hash_table_unref(set->facilities);
	g_hash_table_unref(set->aliases);
	g_ptr_array_unref(set->list);
	g_free(set);
}

/* The index of @name in the sorted list, or where it would be inserted. */
static guint find_index(const ServiceSet *set, const char *name)
{
	guint low = 0;
	guint high = set->list->len;

	while (low < high) {
		const guint middle = low + (high - low) / 2;
		const ServiceDef *def = g_ptr_array_index(set->list, middle);

		if (strcmp(def->name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_at(const ServiceSet *set, guint index, const char *name)
{
	return index < set->list->len &&
	       strcmp(((ServiceDef *)g_ptr_array_index(set->list, index))->name, name) == 0;
}

static GHashTable *index_for(ServiceSet *set, const char *provided)
{
	return *provided == '$' ? set->facilities : set->aliases;
}

static void provides_insert(ServiceSet *set, ServiceDef *def, const char *provided)
{
	GHashTable *table = index_for(set, provided);
	GPtrArray *providers = g_hash_table_lookup(table, provided);

	if (!providers) {
		providers = g_ptr_array_new();
		g_hash_table_insert(table, g_strdup(provided), providers);
	}
	/* A service that names the facility twice is listed once. Its entries follow each other. */
	if (providers->len == 0 || g_ptr_array_index(providers, providers->len - 1) != def)
		g_ptr_array_add(providers, def);
}

static void provides_remove(ServiceSet *set, ServiceDef *def, const char *provided)
{
	GHashTable *table = index_for(set, provided);
	GPtrArray *providers = g_hash_table_lookup(table, provided);

	if (!providers)
		return;
	g_ptr_array_remove(providers, def);
	if (providers->len == 0)
		g_hash_table_remove(table, provided);
}

static void remove_at(ServiceSet *set, guint index)
{
	ServiceDef *def = g_ptr_array_index(set->list, index);

	for (guint i = 0; i < def->provides->len; i++)
		provides_remove(set, def, ((NameRef *)g_ptr_array_index(def->provides, i))->name);
	g_ptr_array_remove_index(set->list, index); /* frees the definition */
}

void service_set_add(ServiceSet *set, ServiceDef *def)
{
	const guint index = find_index(set, def->name);

	if (is_at(set, index, def->name))
		remove_at(set, index);
	g_ptr_array_insert(set->list, (gint)index, def);
	for (guint i = 0; i < def->provides->len; i++)
		provides_insert(set, def, ((NameRef *)g_ptr_array_index(def->provides, i))->name);
}

ServiceDef *service_set_find(const ServiceSet *set, const char *name)
{
	const guint index = find_index(set, name);
	const GPtrArray *others;

	if (is_at(set, index, name))
		return g_ptr_array_index(set->list, index);
	if (*name == '$')
		return NULL;
	others = g_hash_table_lookup(set->aliases, name);
	return others ? g_ptr_array_index(others, 0) : NULL;
}

unsigned service_set_length(const ServiceSet *set)
{
	return set->list->len;
}

GPtrArray *service_set_list(const ServiceSet *set)
{
	return set->list;
}

const char **service_set_names(const ServiceSet *set)
{
	const char **names = g_new0(const char *, set->list->len + 1);

	for (guint i = 0; i < set->list->len; i++)
		names[i] = ((const ServiceDef *)g_ptr_array_index(set->list, i))->name;
	return names;
}

const GPtrArray *service_set_facility(const ServiceSet *set, const char *facility)
{
	return g_hash_table_lookup(set->facilities, facility);
}

bool service_owns_bus_name(const ServiceDef *def, const char *bus_name)
{
	if (def->ready == READY_DBUS && strcmp(key_argument(def->ready_key), bus_name) == 0)
		return true;
	for (guint i = 0; i < def->bus_names->len; i++) {
		if (strcmp(((NameRef *)g_ptr_array_index(def->bus_names, i))->name, bus_name) == 0)
			return true;
	}
	return false;
}

ServiceDef *service_set_find_bus_name(const ServiceSet *set, const char *bus_name)
{
	for (guint i = 0; i < set->list->len; i++) {
		ServiceDef *def = g_ptr_array_index(set->list, i);

		if (service_owns_bus_name(def, bus_name))
			return def;
	}
	return NULL;
}
