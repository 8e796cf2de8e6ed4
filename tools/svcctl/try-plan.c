/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Try plan: see try-plan.h. The links that enable units and scripts are compared with the services
 * and the policy that svcd would read at its boot.
 */
#include "config.h"

#include "svcctl/try-plan.h"

#include <glob.h>
#include <string.h>

#include "svc-generate/generate.h"
#include "unit-compat/import-unit.h"
#include "unit-compat/own-units.h"
#include "unit-compat/units.h"

#define DISPLAY_MANAGER "/etc/systemd/system/display-manager.service"

static const char *const unit_links[] = { "/etc/systemd/system/*.wants/*",
					  "/etc/systemd/system/*.requires/*", DISPLAY_MANAGER };

/* Runlevels 3 to 5 have the same links on Debian. */
static const char *const rc_links[] = { "/etc/rcS.d/S[0-9][0-9]*", "/etc/rc2.d/S[0-9][0-9]*" };

#define RC_PREFIX 3 /* "S01" */

/* Units that start no process of their own, or only start others. */
static const char *const without_process[] = { ".target", ".slice", ".mount", ".automount", ".swap" };

/* --- enabled names --- */

static bool has_suffix_of(const char *name, const char *const *suffixes, size_t n_suffixes)
{
	for (size_t i = 0; i < n_suffixes; i++) {
		if (g_str_has_suffix(name, suffixes[i]))
			return true;
	}
	return false;
}

static void add_unit(const Units *units, GHashTable *names, const char *path)
{
	g_autofree char *target = g_file_read_link(path, NULL);
	/* an alias has the name of its link */
	g_autofree char *name =
		g_path_get_basename(strcmp(path, DISPLAY_MANAGER) == 0 && target ? target : path);
	const UnitEntry *entry = unit_tree_find(units->tree, name);

	if (!(entry && entry->is_masked) &&
	    !has_suffix_of(name, without_process, G_N_ELEMENTS(without_process)))
		g_hash_table_add(names, g_steal_pointer(&name));
}

/* systemd runs a script only if no unit has its name (systemd-sysv-generator(8)). */
static void add_script(const Units *units, GHashTable *names, const char *path)
{
	g_autofree char *base = g_path_get_basename(path);
	char *name = base + RC_PREFIX;
	g_autofree char *unit = NULL;

	if (g_str_has_suffix(name, ".sh"))
		name[strlen(name) - strlen(".sh")] = '\0';
	unit = g_strconcat(name, ".service", NULL);
	if (!unit_tree_find(units->tree, unit))
		g_hash_table_add(names, g_strdup(name));
}

static void add_matches(const Units *units, GHashTable *names, const char *const *patterns,
			size_t n_patterns,
			void (*add)(const Units *units, GHashTable *names, const char *path))
{
	for (size_t i = 0; i < n_patterns; i++) {
		glob_t found = { 0 };

		if (glob(patterns[i], 0, NULL, &found) == 0) {
			for (size_t k = 0; k < found.gl_pathc; k++)
				add(units, names, found.gl_pathv[k]);
		}
		globfree(&found);
	}
}

/* --- what becomes of them --- */

/* The unit of "ssh.socket" is "ssh.service". */
static const Unit *find_unit(const Units *units, const char *name)
{
	const char *service = g_hash_table_lookup(units->sockets, name);

	return units_find(units, service ? service : name);
}

static const ServiceDef *find_service(const ServiceSet *set, const Unit *unit, const char *name)
{
	const bool is_unit = g_str_has_suffix(name, ".service") || g_str_has_suffix(name, ".socket");
	g_autofree char *bare = is_unit ? g_strndup(name, (gsize)(strrchr(name, '.') - name)) :
					  g_strdup(name);
	const ServiceDef *def = service_set_find(set, bare);

	return def || !unit ? def : service_set_find(set, unit->service);
}

/* Why no service of svcd replaces it; a new string. */
static char *describe_absence(const Unit *unit, const char *name)
{
	const OwnUnit *own = own_unit_find(name);
	const char *why = own ? own->reason : unit ? unit->reason : import_refusal(name);

	return g_strdup(why ? why : "svcd has no service for it");
}

/* NULL: it runs. A new string. */
static char *describe_problem(const ServiceDef *def, GHashTable *wanted, const Unit *unit,
			      const char *name)
{
	if (!def)
		return describe_absence(unit, name);
	if (def->problem)
		return g_strdup(def->problem);
	return g_hash_table_contains(wanted, def->name) ?
		       NULL :
		       g_strdup_printf("policy does not start it: svcctl enable %s", def->name);
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The generated services exist only in memory until svcd has booted. */
static Configuration *load(Context *context)
{
	context->generated = generate("", NULL);
	context->overlay = generated_overlay(context->generated);
	return context_load(context, NULL, CONTEXT_LOAD_NEXT_BOOT);
}

GPtrArray *try_plan(Context *context)
{
	g_autoptr(GHashTable) names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	g_autoptr(Configuration) next = load(context);
	g_autoptr(GHashTable) wanted = wanted_in(next, policy_default_runlevel(next->policy, NULL));
	GPtrArray *plan = records_new();
	g_autofree const char **sorted = NULL;
	const Units *units;
	guint n;

	units = context->generated->units;
	add_matches(units, names, unit_links, G_N_ELEMENTS(unit_links), add_unit);
	add_matches(units, names, rc_links, G_N_ELEMENTS(rc_links), add_script);
	sorted = (const char **)g_hash_table_get_keys_as_array(names, &n);
	qsort(sorted, n, sizeof(*sorted), compare_names);
	for (guint i = 0; i < n; i++) {
		const Unit *unit = find_unit(units, sorted[i]);
		const ServiceDef *def = find_service(next->set, unit, sorted[i]);
		g_autofree char *why = describe_problem(def, wanted, unit, sorted[i]);
		GVariantDict dict;

		g_variant_dict_init(&dict, NULL);
		record_add_text(&dict, "Name", sorted[i]);
		record_add_text(&dict, "Service", def ? def->name : NULL);
		g_variant_dict_insert(&dict, "Runs", "b", (gboolean)!why);
		record_add_text(&dict, "Why", why);
		records_add(plan, &dict);
	}
	return plan;
}

unsigned try_plan_count_left_out(const GPtrArray *plan)
{
	unsigned n = 0;

	for (guint i = 0; i < plan->len; i++)
		n += !record_number(g_ptr_array_index(plan, i), "Runs");
	return n;
}

bool try_plan_print(Context *context, const GPtrArray *plan, GError **error)
{
	static const Column columns[] = {
		{ "name", "ENABLED NOW", "Name", CELL_TEXT },
		{ "service", "SERVICE OF SVCD", "Service", CELL_TEXT },
		{ "runs", "RUNS", "Runs", CELL_BOOL },
		{ "why", "WHY NOT", "Why", CELL_TEXT },
	};

	return output_table(&context->output, columns, G_N_ELEMENTS(columns), plan, NULL, error);
}
