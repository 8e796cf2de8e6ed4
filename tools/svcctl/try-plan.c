/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Try plan: see try-plan.h. The links that enable units and scripts are compared with the services
 * and the policy that svcd would read at its boot.
 */
#include "config.h"

#include "svcctl/try-plan.h"

#include <glob.h>
#include <string.h>

#include "svcctl/units.h"

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

/* An admin masks units in /etc, and packages mask the units of their scripts in /lib. */
static bool is_masked(const char *unit)
{
	g_autofree char *path = g_build_filename("/etc/systemd/system", unit, NULL);
	g_autofree char *vendor = g_build_filename("/lib/systemd/system", unit, NULL);
	g_autofree char *target = g_file_read_link(path, NULL);
	g_autofree char *vendor_target = target ? NULL : g_file_read_link(vendor, NULL);

	return g_strcmp0(target ? target : vendor_target, "/dev/null") == 0;
}

static void add_unit(GHashTable *names, const char *path)
{
	g_autofree char *target = g_file_read_link(path, NULL);
	/* an alias has the name of its link */
	g_autofree char *name =
		g_path_get_basename(strcmp(path, DISPLAY_MANAGER) == 0 && target ? target : path);

	if (!is_masked(name) &&
	    !has_suffix_of(name, without_process, G_N_ELEMENTS(without_process)))
		g_hash_table_add(names, g_steal_pointer(&name));
}

/* systemd runs a script only if no unit has its name (systemd-sysv-generator(8)). */
static void add_script(GHashTable *names, const char *path)
{
	g_autofree char *base = g_path_get_basename(path);
	char *name = base + RC_PREFIX;
	g_autofree char *unit_name = NULL;
	g_autofree char *unit = NULL;

	if (g_str_has_suffix(name, ".sh"))
		name[strlen(name) - strlen(".sh")] = '\0';
	unit_name = g_strconcat(name, ".service", NULL);
	unit = unit_of_name("", name);
	if (!unit && !is_masked(unit_name))
		g_hash_table_add(names, g_strdup(name));
}

static void add_matches(GHashTable *names, const char *const *patterns, size_t n_patterns,
			void (*add)(GHashTable *names, const char *path))
{
	for (size_t i = 0; i < n_patterns; i++) {
		glob_t found = { 0 };

		if (glob(patterns[i], 0, NULL, &found) == 0) {
			for (size_t k = 0; k < found.gl_pathc; k++)
				add(names, found.gl_pathv[k]);
		}
		globfree(&found);
	}
}

/* --- what becomes of them --- */

static const ServiceDef *find_service(const ServiceSet *set, const char *name)
{
	const char *dot = strrchr(name, '.');
	/* the service of "ssh.socket" opens that socket itself */
	const bool is_socket = dot && strcmp(dot, ".socket") == 0;
	g_autofree char *bare = is_socket || g_str_has_suffix(name, ".service") ?
					g_strndup(name, (gsize)(dot - name)) :
					g_strdup(name);

	return unit_replacement("", set, bare);
}

/* Why no service of svcd replaces it; a new string. */
static char *describe_absence(const char *name)
{
	g_autofree char *unit = unit_of_name("", name);

	if (unit_is_part_of_systemd(name))
		return g_strdup("part of systemd");
	if (g_str_has_suffix(name, ".timer"))
		return g_strdup("svcd has no timers; use cron");
	return unit ? g_strdup_printf("svcctl import %s", unit) :
		      g_strdup("svcd has no service for it");
}

/* NULL: it runs. A new string. */
static char *describe_problem(const ServiceDef *def, GHashTable *wanted, const char *name)
{
	if (!def)
		return describe_absence(name);
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
	guint n;

	add_matches(names, unit_links, G_N_ELEMENTS(unit_links), add_unit);
	add_matches(names, rc_links, G_N_ELEMENTS(rc_links), add_script);
	sorted = (const char **)g_hash_table_get_keys_as_array(names, &n);
	qsort(sorted, n, sizeof(*sorted), compare_names);
	for (guint i = 0; i < n; i++) {
		const ServiceDef *def = find_service(next->set, sorted[i]);
		g_autofree char *why = describe_problem(def, wanted, sorted[i]);
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
