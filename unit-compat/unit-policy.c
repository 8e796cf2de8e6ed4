/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Unit policy: a link counts for the service that does the work of its unit, also if that is a
 * service file of svcd or an init script.
 */
#include "config.h"

#include "unit-compat/unit-policy.h"

#include <string.h>

#include "base/text.h"
#include "model/name.h"
#include "unit-compat/import-unit.h"
#include "unit-compat/own-units.h"
#include "unit-compat/unit-file.h"
#include "unit-compat/unit-names.h"
#include "unit-compat/unit-private.h"

#define MAX_DEPTH 8
static const char runlevel_names[] = "S12345";

/* One service of the policy. */
typedef struct Wanted {
	unsigned levels; /* bits, by their index in runlevel_names */
	bool has_socket; /* a socket of it is linked */
	bool is_masked;
	const char *from; /* the link, borrowed */
} Wanted;

typedef struct PolicyMaker {
	const Units *units;
	GPtrArray *links; /* UnitLink *, borrowed; those of targets' own files too */
	GPtrArray *owned; /* UnitLink * */
	GHashTable *wanted; /* service -> Wanted * */
} PolicyMaker;

/* --- targets --- */

static unsigned parse_levels(const char *text)
{
	unsigned levels = 0;

	for (; *text; text++) {
		const char *at = strchr(runlevel_names, *text);

		levels |= at ? 1u << (at - runlevel_names) : 0;
	}
	return levels;
}

/* Debian's default.target is graphical.target, also on servers. */
static bool is_graphical_default(const Units *units)
{
	g_autofree char *target = unit_tree_resolve(units->tree, "default.target");

	return strcmp(target, "multi-user.target") != 0;
}

static unsigned levels_of(const PolicyMaker *maker, const char *target, int depth)
{
	const char *known = unit_target_runlevels(target);
	unsigned levels = 0;

	if (strcmp(target, "graphical.target") == 0 && is_graphical_default(maker->units))
		known = unit_target_runlevels("multi-user.target");
	if (known)
		return parse_levels(known);
	for (guint i = 0; i < maker->links->len && depth < MAX_DEPTH; i++) {
		const UnitLink *link = g_ptr_array_index(maker->links, i);

		if (!link->is_masked && strcmp(link->unit, target) == 0)
			levels |= levels_of(maker, link->target, depth + 1);
	}
	return levels;
}

static void add_link(PolicyMaker *maker, const char *target, const char *unit, const char *path)
{
	UnitLink *link = g_new0(UnitLink, 1);

	link->target = g_strdup(target);
	link->unit = g_strdup(unit);
	link->path = g_strdup(path);
	g_ptr_array_add(maker->owned, link);
	g_ptr_array_add(maker->links, link);
}

/* Wants= and Requires= of a package's target. */
static void read_target(PolicyMaker *maker, const UnitEntry *entry)
{
	g_autoptr(DiagList) diags = diag_list_new();
	g_autoptr(GPtrArray) lines = unit_read_lines(maker->units->tree, entry->path, diags);

	for (guint i = 0; lines && i < lines->len; i++) {
		const UnitLine *line = g_ptr_array_index(lines, i);
		const bool adds = strcmp(line->key, "Wants") == 0 ||
				  strcmp(line->key, "Requires") == 0;
		g_auto(GStrv) names = adds ? g_strsplit(line->value, " ", -1) : NULL;

		for (char **name = names; name && *name; name++)
			add_link(maker, entry->name, *name, entry->path);
	}
}

static void collect_links(PolicyMaker *maker)
{
	const UnitEntry *manager = g_hash_table_lookup(maker->units->tree->entries,
						       "display-manager.service");
	const guint n = maker->units->tree->links->len;

	for (guint i = 0; i < n; i++)
		g_ptr_array_add(maker->links, g_ptr_array_index(maker->units->tree->links, i));
	/* The list grows, because a target may want another one. */
	for (guint i = 0; i < maker->links->len && i < n * MAX_DEPTH; i++) {
		const UnitLink *link = g_ptr_array_index(maker->links, i);
		const UnitEntry *entry = g_str_has_suffix(link->unit, ".target") ?
						 unit_tree_find(maker->units->tree, link->unit) :
						 NULL;

		if (entry && !link->is_masked && !unit_target_runlevels(entry->name) &&
		    !own_unit_find(entry->name))
			read_target(maker, entry);
	}
	if (manager && manager->is_admins && !manager->is_masked)
		add_link(maker, "graphical.target", manager->name, manager->path);
}

/* --- services --- */

/* The service of an instance: "openvpn@" and "openvpn@home.service" are "openvpn@home". */
static char *service_of(const Unit *unit, const char *name)
{
	const char *at = strchr(name, '@');
	const char *suffix = strrchr(name, '.');

	if (g_str_has_suffix(unit->service, "@") && at && suffix > at + 1)
		return g_strdup_printf("%s%.*s", unit->service, (int)(suffix - at - 1), at + 1);
	return g_str_has_suffix(unit->service, "@") ? NULL : g_strdup(unit->service);
}

static Wanted *find_wanted(const PolicyMaker *maker, const char *service)
{
	Wanted *wanted = g_hash_table_lookup(maker->wanted, service);

	if (!wanted) {
		wanted = g_new0(Wanted, 1);
		g_hash_table_insert(maker->wanted, g_strdup(service), wanted);
	}
	return wanted;
}

static void count_link(PolicyMaker *maker, const UnitLink *link)
{
	g_autofree char *name = unit_tree_resolve(maker->units->tree, link->unit);
	const char *socket_unit = g_hash_table_lookup(maker->units->sockets, name);
	const char *unit_name = socket_unit ? socket_unit : name;
	const Unit *unit = units_find(maker->units, unit_name);
	g_autofree char *service =
		unit && unit->fate != UNIT_OWN ? service_of(unit, unit_name) : NULL;
	const unsigned levels = service ? levels_of(maker, link->target, 0) : 0;
	Wanted *wanted;

	if (!levels || link->is_masked || !name_check_service(service, NULL) ||
	    (!socket_unit && !g_str_has_suffix(name, ".service")))
		return;
	wanted = find_wanted(maker, service);
	wanted->from = wanted->from ? wanted->from : link->path;
	wanted->levels |= socket_unit ? 0 : levels;
	wanted->has_socket |= socket_unit != NULL;
	wanted->is_masked = unit->fate == UNIT_MASKED;
}

static void count_masks(PolicyMaker *maker)
{
	for (guint i = 0; i < maker->units->list->len; i++) {
		const Unit *unit = g_ptr_array_index(maker->units->list, i);
		Wanted *wanted;

		if (unit->fate != UNIT_MASKED || strchr(unit->name, '@') || *unit->service == '$')
			continue;
		wanted = find_wanted(maker, unit->service);
		wanted->is_masked = true;
		wanted->from = unit->path;
	}
}

/* --- texts --- */

static void append_wanted(GString *text, const char *service, const Wanted *wanted)
{
	char separator = '=';

	g_string_append_printf(text, "\n[service %s]\nReason=%s\n", service, wanted->from);
	if (wanted->is_masked) {
		g_string_append(text, "Activation=never\n");
	} else if (wanted->levels) {
		g_string_append(text, "Activation=boot\nRunlevels=\nRunlevels");
		for (unsigned i = 0; runlevel_names[i]; i++) {
			if (wanted->levels & 1u << i)
				g_string_append_printf(text, "%c%c", separator, runlevel_names[i]);
			separator = wanted->levels & 1u << i ? ' ' : separator;
		}
		g_string_append_c(text, '\n');
	} else {
		g_string_append(text, "Activation=on-demand\n");
	}
}

static char *finish(GString *text)
{
	const bool is_empty = text->len == 0;
	char *string = g_string_free(text, is_empty);

	return is_empty ? NULL : string;
}

static bool is_idle(const Wanted *wanted)
{
	return !wanted->is_masked && !wanted->levels;
}

/* A service that only a socket starts is idle. An rc link of its script may start it at boot. */
static void append_linked(const PolicyMaker *maker, GString *linked, GString *idle)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new();
	GHashTableIter iter;
	gpointer name;

	g_hash_table_iter_init(&iter, maker->wanted);
	while (g_hash_table_iter_next(&iter, &name, NULL))
		g_ptr_array_add(names, name);
	g_ptr_array_sort(names, text_compare);
	for (guint i = 0; i < names->len; i++) {
		const char *service = g_ptr_array_index(names, i);
		const Wanted *wanted = g_hash_table_lookup(maker->wanted, service);

		append_wanted(is_idle(wanted) ? idle : linked, service, wanted);
	}
}

/* A socket of such a unit stays closed until an admin starts the service. */
static void append_unlinked(const PolicyMaker *maker, GString *idle, GString *static_units)
{
	for (guint i = 0; i < maker->units->list->len; i++) {
		const Unit *unit = g_ptr_array_index(maker->units->list, i);

		if (unit->fate != UNIT_READ || strchr(unit->name, '@') ||
		    g_hash_table_contains(maker->wanted, unit->service))
			continue;
		if (unit->has_install)
			g_string_append_printf(idle, "\n[service %s]\nActivation=%s\n",
					       unit->service,
					       unit->has_socket ? "manual" : "on-demand");
		else
			g_string_append_printf(static_units, "%sActivate=-%s\n",
					       static_units->len ? "" : "\n[runlevel 2]\n",
					       unit->service);
	}
}

static void maker_init(PolicyMaker *maker, const Units *units)
{
	*maker = (PolicyMaker){ .units = units };
	maker->links = g_ptr_array_new();
	maker->owned = unit_links_new();
	maker->wanted = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	collect_links(maker);
}

static void maker_clear(PolicyMaker *maker)
{
	g_ptr_array_unref(maker->links);
	g_ptr_array_unref(maker->owned);
	g_hash_table_unref(maker->wanted);
}

void unit_policy_make(const Units *units, UnitPolicy *ret)
{
	GString *linked = g_string_new(NULL);
	GString *idle = g_string_new(NULL);
	GString *static_units = g_string_new(NULL);
	PolicyMaker maker;

	maker_init(&maker, units);
	for (guint i = 0; i < maker.links->len; i++)
		count_link(&maker, g_ptr_array_index(maker.links, i));
	count_masks(&maker);
	append_linked(&maker, linked, idle);
	append_unlinked(&maker, idle, static_units);
	ret->linked = finish(linked);
	ret->idle = finish(idle);
	ret->static_units = finish(static_units);
	maker_clear(&maker);
}

void unit_policy_each_idle_link(const Units *units, UnitLinkFunc func, void *data)
{
	PolicyMaker maker;

	maker_init(&maker, units);
	for (guint i = 0; i < maker.links->len; i++) {
		const UnitLink *link = g_ptr_array_index(maker.links, i);
		const char *why = import_refusal(link->unit);

		if (link->is_masked || own_unit_find(link->unit) || own_unit_find(link->target))
			continue;
		if (why)
			func(data, link, why);
		else if (g_str_has_suffix(link->target, ".target") &&
			 !levels_of(&maker, link->target, 0))
			func(data, link, "no runlevel starts the services of this target");
	}
	maker_clear(&maker);
}

void unit_policy_clear(UnitPolicy *policy)
{
	g_free(policy->linked);
	g_free(policy->idle);
	g_free(policy->static_units);
}
