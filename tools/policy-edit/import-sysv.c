/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Import: the links in /etc/rcN.d as [runlevel N] Activate=... of the services that stand for those scripts.
 */
#include "config.h"

#include <string.h>

#include "base/errors.h"
#include "policy-edit/change-private.h"

/* Not 0 and 6: what sysvinit starts there are the last steps of a shutdown, which is svcd's own work. */
static const char *const runlevels[] = { "S", "1", "2", "3", "4", "5" };

#define HEAD                                                                                       \
	"# Made by \"svcctl policy import --sysv\" from the links in /etc/rcN.d; may be edited by hand.\n" \
	"# A further import replaces this file.\n"

typedef struct Import {
	const Configuration *configuration;
	DiagList *diags;
	GString *text;
	GHashTable *unknown; /* names of scripts for which there is no service; told once */
} Import;

/* "S02ssh": "ssh"; NULL: not a link that starts something. */
static const char *script_of(const char *link)
{
	if (link[0] != 'S' || !g_ascii_isdigit(link[1]) || !g_ascii_isdigit(link[2]) || !link[3])
		return NULL;
	return link + 3;
}

static void note_unknown(Import *import, const char *directory, const char *link)
{
	const char *script = script_of(link);
	g_autofree char *path = g_build_filename(directory, link, NULL);

	if (g_hash_table_add(import->unknown, g_strdup(script)))
		diag_warning(import->diags, origin_new(path, 0), NULL,
			     "no service stands for the script \"%s\"; it is left out", script);
}

/* The services that the links of one directory stand for, in their order, each once. */
static GPtrArray *services_of(Import *import, const char *directory, const GPtrArray *links)
{
	GPtrArray *names = g_ptr_array_new();

	for (guint i = 0; i < links->len; i++) {
		const char *link = g_ptr_array_index(links, i);
		const char *script = script_of(link);
		const ServiceDef *def = script ? service_set_find(import->configuration->set, script) : NULL;

		if (script && !def)
			note_unknown(import, directory, link);
		else if (def && !g_ptr_array_find(names, def->name, NULL))
			g_ptr_array_add(names, def->name);
	}
	return names;
}

static bool import_runlevel(Import *import, const Durable *durable, const char *runlevel, GError **error)
{
	g_autofree char *directory = g_strdup_printf("/etc/rc%s.d", runlevel);
	g_autofree char *shown = durable_show(durable, directory);
	g_autoptr(GPtrArray) links = durable_list(durable, directory, error);
	g_autoptr(GPtrArray) names = NULL;

	if (!links)
		return false;
	names = services_of(import, shown, links);
	if (names->len > 0)
		g_string_append_printf(import->text, "\n[runlevel %s]\n", runlevel);
	for (guint i = 0; i < names->len; i++)
		g_string_append_printf(import->text, "Activate=%s\n", (char *)g_ptr_array_index(names, i));
	return true;
}

static int compare_names(gconstpointer a, gconstpointer b)
{
	return strcmp(a, b);
}

/* A name of a file may hold a line break: such a one is no line of a policy. */
static void append_unknown(Import *import)
{
	g_autoptr(GList) names = g_list_sort(g_hash_table_get_keys(import->unknown), compare_names);

	if (names)
		g_string_append(import->text, "\n# Scripts that no service stands for, left out:\n");
	for (const GList *it = names; it; it = it->next) {
		g_autofree char *name = g_strescape(it->data, NULL);

		g_string_append_printf(import->text, "#   %s\n", name);
	}
}

bool policy_import_sysv(Change *change, DiagList *diags, GError **error)
{
	const Durable *durable = change_durable(change);
	const LoaderOptions options = { .root = durable->root, .any_owner = *durable->root };
	g_autoptr(Configuration) configuration = configuration_load(&options, NULL);
	g_autoptr(GHashTable) unknown = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	g_autoptr(GString) text = g_string_new(HEAD);
	g_autofree char *path = change_policy_path(change, POLICY_EDIT_SYSV_FILE);
	Import import = { .configuration = configuration, .diags = diags, .text = text, .unknown = unknown };

	for (size_t i = 0; i < G_N_ELEMENTS(runlevels); i++) {
		if (!import_runlevel(&import, durable, runlevels[i], error))
			return false;
	}
	if (text->len == strlen(HEAD) && g_hash_table_size(unknown) == 0)
		return fail(error, SVCD_ERROR_INVALID_ARGUMENT,
			    "no link in %s/etc/rcN.d starts anything; there is nothing to import", durable->root);
	append_unknown(&import);
	return change_set_file(change, path, text->str, error);
}
