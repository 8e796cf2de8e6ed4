/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Units: finds the service units of the tree, and refuses those that need a missing service.
 */
#include "config.h"

#include "unit-compat/units.h"

#include <string.h>

#include "base/text.h"
#include "unit-compat/own-units.h"
#include "unit-compat/unit-file.h"
#include "unit-compat/unit-names.h"
#include "unit-compat/unit-private.h"

#define SERVICE ".service"
#define SOCKET ".socket"

static void add_name(GHashTable *table, const char *key, const char *name)
{
	GPtrArray *names = g_hash_table_lookup(table, key);

	if (!names) {
		names = g_ptr_array_new_with_free_func(g_free);
		g_hash_table_insert(table, g_strdup(key), names);
	}
	g_ptr_array_add(names, g_strdup(name));
}

/* Names of entries that end with @suffix, sorted; borrowed from @tree. */
static GPtrArray *entry_names(const UnitTree *tree, const char *suffix)
{
	GPtrArray *names = g_ptr_array_new();
	GHashTableIter iter;
	gpointer name;

	g_hash_table_iter_init(&iter, tree->entries);
	while (g_hash_table_iter_next(&iter, &name, NULL)) {
		if (g_str_has_suffix(name, suffix))
			g_ptr_array_add(names, name);
	}
	g_ptr_array_sort(names, text_compare);
	return names;
}

static GHashTable *name_lists(void)
{
	return g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
				     (GDestroyNotify)g_ptr_array_unref);
}

static void collect_aliases(UnitContext *context, const GPtrArray *names)
{
	for (guint i = 0; i < names->len; i++) {
		const char *name = g_ptr_array_index(names, i);
		const UnitEntry *entry = g_hash_table_lookup(context->tree->entries, name);
		g_autofree char *unit =
			entry->alias_of ? unit_tree_resolve(context->tree, name) : NULL;

		if (unit)
			add_name(context->aliases, unit, name);
	}
}

/* The unit that a socket starts: that of Service=, or the one of its name; a new string. */
static char *service_of_socket(const UnitTree *tree, const UnitEntry *entry)
{
	g_autoptr(DiagList) diags = diag_list_new();
	g_autoptr(GPtrArray) lines = unit_read_lines(tree, entry->path, diags);
	const char *service = lines ? unit_file_last(lines, "Socket", "Service") : NULL;
	const char *accept = lines ? unit_file_last(lines, "Socket", "Accept") : NULL;
	bool accepts = false;

	if (service)
		return g_strdup(service);
	return g_strdup_printf("%.*s%s" SERVICE, (int)(strlen(entry->name) - strlen(SOCKET)),
			       entry->name,
			       accept && token_parse_bool(accept, &accepts) && accepts ? "@" : "");
}

static void collect_sockets(Units *units, UnitContext *context)
{
	g_autoptr(GPtrArray) names = entry_names(units->tree, SOCKET);

	for (guint i = 0; i < names->len; i++) {
		const char *name = g_ptr_array_index(names, i);
		const UnitEntry *entry = g_hash_table_lookup(units->tree->entries, name);
		g_autofree char *service = NULL;

		if (entry->alias_of || entry->is_masked || own_unit_find(name))
			continue;
		service = service_of_socket(units->tree, entry);
		add_name(context->sockets_of, service, name);
		g_hash_table_insert(units->sockets, g_strdup(name), g_steal_pointer(&service));
	}
}

/* A script with a name of [Install] Alias= belongs to the unit, although no link has it. */
static void add_declared_names(Units *units, Unit *unit)
{
	for (guint i = 0; i < unit->import->lines->len; i++) {
		const ImportLine *line = g_ptr_array_index(unit->import->lines, i);
		const bool is_alias = g_str_has_prefix(line->message, "Alias=");
		g_auto(GStrv) names =
			is_alias ? g_strsplit(line->message + strlen("Alias="), " ", -1) : NULL;

		for (char **name = names; name && *name; name++) {
			if (!g_hash_table_contains(units->by_name, *name))
				g_hash_table_insert(units->by_name, g_strdup(*name), unit);
		}
	}
}

static void add_unit(Units *units, const UnitContext *context, const char *name)
{
	const UnitEntry *entry = unit_tree_find(units->tree, name);
	const GPtrArray *aliases = g_hash_table_lookup(context->aliases, name);
	Unit *unit = entry ? unit_read(context, name, entry) : NULL;
	const Unit *other = unit ? g_hash_table_lookup(units->by_service, unit->service) : NULL;

	if (!unit)
		return;
	if (other && unit->fate == UNIT_READ)
		unit->fate = UNIT_REPLACED;
	else if (unit->fate == UNIT_READ)
		g_hash_table_insert(units->by_service, unit->service, unit);
	g_ptr_array_add(units->list, unit);
	g_hash_table_insert(units->by_name, g_strdup(name), unit);
	for (guint i = 0; aliases && i < aliases->len; i++)
		g_hash_table_insert(units->by_name, g_strdup(g_ptr_array_index(aliases, i)), unit);
	if (unit->import)
		add_declared_names(units, unit);
}

/* Instances with drop-ins of their own differ from their template. */
static void add_instances(Units *units, const UnitContext *context)
{
	GHashTableIter iter;
	gpointer directory;

	g_hash_table_iter_init(&iter, units->tree->drop_ins);
	while (g_hash_table_iter_next(&iter, &directory, NULL)) {
		g_autofree char *name = g_strndup(directory, strlen(directory) - strlen(".d"));
		const char *at = strchr(name, '@');

		if (at && at[1] != '.' && g_str_has_suffix(name, SERVICE) &&
		    !g_hash_table_contains(units->by_name, name))
			add_unit(units, context, name);
	}
}

static void read_all(Units *units, const UnitNatives *natives)
{
	g_autoptr(GPtrArray) names = entry_names(units->tree, SERVICE);
	UnitContext context = { .tree = units->tree, .natives = natives };
	g_autoptr(GHashTable) aliases = name_lists();
	g_autoptr(GHashTable) sockets_of = name_lists();

	context.aliases = aliases;
	context.sockets_of = sockets_of;
	collect_aliases(&context, names);
	collect_sockets(units, &context);
	for (guint i = 0; i < names->len; i++) {
		const UnitEntry *entry =
			g_hash_table_lookup(units->tree->entries, g_ptr_array_index(names, i));

		if (!entry->alias_of)
			add_unit(units, &context, entry->name);
	}
	add_instances(units, &context);
}

/* --- needs --- */

static bool has_script(const Units *units, const char *name)
{
	g_autofree char *plain = g_strconcat("/etc/init.d/", name, NULL);
	g_autofree char *with_suffix = g_strconcat(plain, ".sh", NULL);
	struct stat st;

	return lsb_tree_stat(&units->tree->tree, plain, true, &st) ||
	       lsb_tree_stat(&units->tree->tree, with_suffix, true, &st);
}

static bool exists(const Units *units, const UnitNatives *natives, const char *service)
{
	g_autofree char *name = g_strdup(service);
	char *at = strchr(name, '@');

	if (natives->find(natives->data, name) || units_service(units, name) ||
	    has_script(units, name))
		return true;
	if (!at)
		return false;
	at[1] = '\0';
	return natives->find(natives->data, name) || units_service(units, name);
}

/* The first service that the result of @line requires and that does not exist; a new string. */
static char *missing_need(const Units *units, const UnitNatives *natives, const ImportLine *line)
{
	static const char *const terms[] = { "While=service:", "When=service:", "When=active:" };
	g_auto(GStrv) tokens = g_strsplit(line->became, " ", -1);

	for (char **token = tokens; *token; token++) {
		for (size_t i = 0; i < G_N_ELEMENTS(terms); i++) {
			const char *name = *token + strlen(terms[i]);

			if (g_str_has_prefix(*token, terms[i]) && !exists(units, natives, name))
				return g_strdup(name);
		}
	}
	return NULL;
}

static bool refuse_if_incomplete(Units *units, const UnitNatives *natives, Unit *unit)
{
	for (guint i = 0; i < unit->import->lines->len; i++) {
		const ImportLine *line = g_ptr_array_index(unit->import->lines, i);
		g_autofree char *missing = missing_need(units, natives, line);
		g_autofree char *note =
			missing ? g_strdup_printf("there is no service \"%s\"", missing) : NULL;

		if (!missing)
			continue;
		unit_refuse(unit, line->origin, line->message, note);
		g_hash_table_remove(units->by_service, unit->service);
		return true;
	}
	return false;
}

/* A refusal may be the reason of another one. */
static void check_needs(Units *units, const UnitNatives *natives)
{
	bool is_changed = true;

	while (is_changed) {
		is_changed = false;
		for (guint i = 0; i < units->list->len; i++) {
			Unit *unit = g_ptr_array_index(units->list, i);

			if (unit->fate == UNIT_READ)
				is_changed |= refuse_if_incomplete(units, natives, unit);
		}
	}
}

/* systemd ignores Wants= of a missing unit, and packages use that; svcd would warn. */
static void drop_missing_wants(const Units *units, const UnitNatives *natives, Unit *unit)
{
	g_auto(GStrv) lines = g_strsplit(unit->import->service, "\n", -1);
	g_autoptr(GString) text = g_string_new(NULL);

	for (char **line = lines; *line && (*line[0] || line[1]); line++) {
		if (!g_str_has_prefix(*line, "Wants=") ||
		    exists(units, natives, *line + strlen("Wants=")))
			g_string_append_printf(text, "%s\n", *line);
	}
	g_free(unit->import->service);
	unit->import->service = g_string_free(g_steal_pointer(&text), FALSE);
}

static void drop_wants(Units *units, const UnitNatives *natives)
{
	for (guint i = 0; i < units->list->len; i++) {
		Unit *unit = g_ptr_array_index(units->list, i);

		if (unit->fate == UNIT_READ && strstr(unit->import->service, "\nWants="))
			drop_missing_wants(units, natives, unit);
	}
}

/* --- the public part --- */

Units *units_read(const char *root, const UnitNatives *natives)
{
	Units *units = g_new0(Units, 1);

	units->tree = unit_tree_new(root);
	units->list = g_ptr_array_new_with_free_func(unit_free);
	units->by_name = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	units->by_service = g_hash_table_new(g_str_hash, g_str_equal);
	units->sockets = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	read_all(units, natives);
	check_needs(units, natives);
	drop_wants(units, natives);
	return units;
}

void units_free(Units *units)
{
	if (!units)
		return;
	g_hash_table_unref(units->by_name);
	g_hash_table_unref(units->by_service);
	g_hash_table_unref(units->sockets);
	g_ptr_array_unref(units->list);
	unit_tree_free(units->tree);
	g_free(units);
}

const Unit *units_find(const Units *units, const char *name)
{
	g_autofree char *unit = g_str_has_suffix(name, SERVICE) ? g_strdup(name) :
								  g_strconcat(name, SERVICE, NULL);
	g_autofree char *resolved = unit_tree_resolve(units->tree, unit);
	const Unit *found = g_hash_table_lookup(units->by_name, resolved);
	const UnitEntry *entry = found ? NULL : unit_tree_find(units->tree, resolved);

	return entry ? g_hash_table_lookup(units->by_name, entry->name) : found;
}

const char *units_service(const Units *units, const char *name)
{
	const Unit *unit = g_hash_table_lookup(units->by_service, name);

	unit = unit ? unit : units_find(units, name);
	return unit && unit->fate == UNIT_READ ? unit->service : NULL;
}

bool units_is_same_program(const char *a, const char *b)
{
	a += g_str_has_prefix(a, "/usr/") ? strlen("/usr") : 0;
	b += g_str_has_prefix(b, "/usr/") ? strlen("/usr") : 0;
	return strcmp(a, b) == 0;
}

const char *units_service_of_program(const Units *units, const char *program)
{
	for (guint i = 0; i < units->list->len; i++) {
		const Unit *unit = g_ptr_array_index(units->list, i);

		if (unit->fate == UNIT_READ && unit->program &&
		    units_is_same_program(unit->program, program))
			return unit->service;
	}
	return NULL;
}
