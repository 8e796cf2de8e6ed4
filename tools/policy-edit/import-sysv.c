/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Import: converts the links in /etc/rcN.d to [runlevel N] Activate=... of the matching services.
 * It is offered while the admin's policy is empty.
 */
#include "config.h"

#include <string.h>

#include "base/errors.h"
#include "base/fd.h"
#include "base/limits.h"
#include "policy-edit/change-private.h"

/*
 * Not 0 and 6, because the scripts that sysvinit starts there are the last steps of a shutdown,
 * which svcd does itself.
 */
static const char *const runlevels[] = { "S", "1", "2", "3", "4", "5" };

#define N_RUNLEVELS G_N_ELEMENTS(runlevels)

#define HEAD                                                                                       \
	"# Made by \"svcctl import --sysv\" from the links in /etc/rcN.d and from /etc/inittab; may be edited by hand.\n" \
	"# A further import replaces this file.\n"

#define HEAD_DECLINED                                                           \
	"# Made by \"svcctl import --sysv --none\": the links in /etc/rcN.d were not wanted as policy, and are not\n" \
	"# offered again. \"svcctl import --sysv\" replaces this file.\n"

/* Made by svc-generate (tools/svc-generate/respawns.h). */
#define INITTAB_POLICY "/run/svcd/generated/rc-links/inittab.policy"

/*
 * The path of the links' policy when it is loaded together with the vendor's, after the vendor's
 * last file: see needs_removal().
 */
#define LAST_OF_VENDOR SVCD_LIBDIR "/policy.d/~sysv-import.policy"

/* The services of one directory, borrowed names, in the order of the links, each once. */
typedef struct Links {
	GPtrArray *starts;
	GPtrArray *stops;
} Links;

typedef struct Import {
	const Durable *durable;
	const Configuration *configuration;
	DiagList *diags;
	Links links[N_RUNLEVELS];
	GHashTable *unknown; /* names of scripts without a service; reported once */
} Import;

static void import_init(Import *import, const Durable *durable, const Configuration *configuration, DiagList *diags)
{
	*import = (Import){ .durable = durable,
			    .configuration = configuration,
			    .diags = diags,
			    .unknown = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL) };
	for (size_t i = 0; i < N_RUNLEVELS; i++)
		import->links[i] = (Links){ .starts = g_ptr_array_new(), .stops = g_ptr_array_new() };
}

static void import_clear(Import *import)
{
	for (size_t i = 0; i < N_RUNLEVELS; i++) {
		g_ptr_array_unref(import->links[i].starts);
		g_ptr_array_unref(import->links[i].stops);
	}
	g_hash_table_unref(import->unknown);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Import, import_clear)

/* --- reading the links --- */

/* @kind 'S', "S02ssh": "ssh"; NULL: not a link of this kind. */
static const char *script_of(const char *link, char kind)
{
	if (link[0] != kind || !g_ascii_isdigit(link[1]) || !g_ascii_isdigit(link[2]) || !link[3])
		return NULL;
	return link + 3;
}

/* By its name, or by a name that it provides; "hwclock.sh" is hwclock. */
static const ServiceDef *service_of(const ServiceSet *set, const char *script)
{
	const ServiceDef *def = service_set_find(set, script);
	g_autofree char *bare = g_str_has_suffix(script, ".sh") ? g_strndup(script, strlen(script) - strlen(".sh")) : NULL;

	return def || !bare ? def : service_set_find(set, bare);
}

static void note_unknown(Import *import, const char *directory, const char *link, const char *script)
{
	g_autofree char *path = g_build_filename(directory, link, NULL);

	if (g_hash_table_add(import->unknown, g_strdup(script)))
		diag_warning(import->diags, origin_new(path, 0), NULL,
			     "no service stands for the script \"%s\"; it is left out", script);
}

static void add_once(GPtrArray *names, const char *name)
{
	if (!g_ptr_array_find(names, name, NULL))
		g_ptr_array_add(names, (gpointer)name);
}

static void add_link(Import *import, Links *links, const char *directory, const char *link)
{
	const char *started = script_of(link, 'S');
	const char *script = started ? started : script_of(link, 'K');
	const ServiceDef *def = script ? service_of(import->configuration->set, script) : NULL;

	if (def)
		add_once(started ? links->starts : links->stops, def->name);
	else if (started)
		note_unknown(import, directory, link, script);
}

static char *directory_of(const char *runlevel)
{
	return g_strdup_printf("/etc/rc%s.d", runlevel);
}

static bool read_links(Import *import, GError **error)
{
	for (size_t i = 0; i < N_RUNLEVELS; i++) {
		g_autofree char *directory = directory_of(runlevels[i]);
		g_autofree char *shown = durable_show(import->durable, directory);
		g_autoptr(GPtrArray) names = durable_list(import->durable, directory, error);

		if (!names)
			return false;
		for (guint k = 0; k < names->len; k++)
			add_link(import, &import->links[i], shown, g_ptr_array_index(names, k));
	}
	return true;
}

/* --- the resulting policy --- */

static bool starts_in(const Import *import, size_t runlevel, const char *service)
{
	return g_ptr_array_find(import->links[runlevel].starts, service, NULL);
}

static bool stops_in(const Import *import, size_t runlevel, const char *service)
{
	return g_ptr_array_find(import->links[runlevel].stops, service, NULL);
}

/* Has it a link at all? Otherwise only the vendor's policy decides. */
static bool has_link(const Import *import, const char *service)
{
	for (size_t i = 0; i < N_RUNLEVELS; i++) {
		if (starts_in(import, i, service) || stops_in(import, i, service))
			return true;
	}
	return false;
}

/*
 * A link that stops it. It counts although no policy wants the service, because NewServices=boot
 * may start it. Runlevel 1 is excluded, because every package has a stop link there.
 */
static bool is_kept_off(const Import *import, size_t runlevel, const char *service)
{
	return strcmp(runlevels[runlevel], "1") != 0 && stops_in(import, runlevel, service);
}

/*
 * Must Activate= remove it from the runlevel? Also if the links do not start it and @vendor, the
 * vendor's policy with the links' policy, wants it (by name, or because 3 includes 2). The services
 * of S are needed by the boot, so only a stop link removes them.
 */
static bool needs_removal(const Import *import, const Policy *vendor, size_t runlevel, const char *service)
{
	PolicyDecision decision;

	if (starts_in(import, 0, service) || starts_in(import, runlevel, service))
		return false;
	if (is_kept_off(import, runlevel, service))
		return true;
	if (!vendor || runlevel == 0)
		return false;
	policy_decide(vendor, service, runlevels[runlevel], &decision);
	return decision.activation == ACTIVATION_BOOT && decision.in_runlevel;
}

static GPtrArray *removals(const Import *import, const Policy *vendor, size_t runlevel)
{
	const GPtrArray *all = service_set_list(import->configuration->set);
	GPtrArray *names = g_ptr_array_new();

	for (guint i = 0; i < all->len; i++) {
		ServiceDef *def = g_ptr_array_index(all, i);

		if (has_link(import, def->name) && needs_removal(import, vendor, runlevel, def->name))
			g_ptr_array_add(names, (gpointer)def->name);
	}
	return names;
}

static void append_names(GString *text, const char *prefix, const GPtrArray *names)
{
	for (guint i = 0; i < names->len; i++)
		g_string_append_printf(text, "Activate=%s%s\n", prefix, (char *)g_ptr_array_index(names, i));
}

/* @vendor: NULL: only the policy of the links. */
static void append_runlevels(const Import *import, const Policy *vendor, GString *text)
{
	for (size_t i = 0; i < N_RUNLEVELS; i++) {
		g_autoptr(GPtrArray) unwanted = removals(import, vendor, i);

		if (import->links[i].starts->len + unwanted->len > 0)
			g_string_append_printf(text, "\n[runlevel %s]\n", runlevels[i]);
		append_names(text, "", import->links[i].starts);
		append_names(text, "-", unwanted);
	}
}

static void unref_bytes(gpointer bytes)
{
	g_bytes_unref(bytes);
}

/*
 * The vendor's files with the policy of the links. The admin's other files are not loaded here;
 * they apply to the imported policy as usual.
 */
static Configuration *load_vendor(const Import *import)
{
	g_autoptr(GHashTable) overlay = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, unref_bytes);
	g_autoptr(GString) text = g_string_new(NULL);
	const LoaderOptions options = { .root = import->durable->root,
					.any_owner = *import->durable->root,
					.without_local_files = true,
					.overlay = overlay };

	append_runlevels(import, NULL, text);
	g_hash_table_insert(overlay, durable_show(import->durable, LAST_OF_VENDOR), g_bytes_new(text->str, text->len));
	return configuration_load(&options, NULL);
}

static int compare_names(gconstpointer a, gconstpointer b)
{
	return strcmp(a, b);
}

/* Names are escaped, because a file name may contain a line break. */
static void append_unknown(const Import *import, GString *text)
{
	g_autoptr(GList) names = g_list_sort(g_hash_table_get_keys(import->unknown), compare_names);

	if (names)
		g_string_append(text, "\n# Scripts that no service stands for, left out:\n");
	for (const GList *it = names; it; it = it->next) {
		g_autofree char *name = g_strescape(it->data, NULL);

		g_string_append_printf(text, "#   %s\n", name);
	}
}

/* svc-generate's file for /etc/inittab is already policy, except its first line. */
static void append_inittab(const Import *import, GHashTable *overlay, GString *text)
{
	g_autofree char *path = durable_show(import->durable, INITTAB_POLICY);
	GBytes *made = overlay ? g_hash_table_lookup(overlay, path) : NULL;
	g_autoptr(GBytes) bytes = made ? g_bytes_ref(made) : file_read_bounded(path, LIMIT_FILE_BYTES, NULL);
	g_autofree char *policy = bytes ? g_strndup(g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes)) : NULL;
	const char *first = policy ? strchr(policy, '\n') : NULL;

	if (first)
		g_string_append_printf(text, "\n# From the lines of /etc/inittab:\n%s", first + 1);
}

bool policy_import_sysv(Change *change, DiagList *diags, GError **error)
{
	const Durable *durable = change_durable(change);
	const LoaderOptions options = { .root = durable->root, .any_owner = *durable->root,
					.overlay = change_overlay(change) };
	g_autoptr(Configuration) configuration = configuration_load(&options, NULL);
	g_autoptr(Configuration) vendor = NULL;
	g_autoptr(GString) text = g_string_new(HEAD);
	g_autofree char *path = change_policy_path(change, POLICY_EDIT_SYSV_FILE);
	g_auto(Import) import = { 0 };

	import_init(&import, durable, configuration, diags);
	if (!read_links(&import, error))
		return false;
	vendor = load_vendor(&import);
	append_runlevels(&import, vendor->policy, text);
	append_inittab(&import, options.overlay, text);
	if (text->len == strlen(HEAD) && g_hash_table_size(import.unknown) == 0)
		return fail(error, SVCD_ERROR_INVALID_ARGUMENT,
			    "no link in %s/etc/rcN.d and no line of /etc/inittab starts anything; there is nothing to import", durable->root);
	append_unknown(&import, text);
	return change_set_file(change, path, text->str, error);
}

bool policy_decline_sysv(Change *change, GError **error)
{
	g_autofree char *path = change_policy_path(change, POLICY_EDIT_SYSV_FILE);

	return change_set_file(change, path, HEAD_DECLINED, error);
}

/* --- the offer --- */

static bool has_start_link(const Durable *durable)
{
	for (size_t i = 0; i < N_RUNLEVELS; i++) {
		g_autofree char *directory = directory_of(runlevels[i]);
		g_autoptr(GPtrArray) names = durable_list(durable, directory, NULL);

		for (guint k = 0; names && k < names->len; k++) {
			if (script_of(g_ptr_array_index(names, k), 'S'))
				return true;
		}
	}
	return false;
}

/* A directory that cannot be read may contain a policy, so nothing is offered. */
static bool admin_says_nothing(const Durable *durable)
{
	g_autoptr(GPtrArray) names = durable_list(durable, SVCD_SYSCONFDIR "/policy.d", NULL);

	for (guint i = 0; names && i < names->len; i++) {
		if (g_str_has_suffix(g_ptr_array_index(names, i), ".policy"))
			return false;
	}
	return names != NULL;
}

bool policy_sysv_is_offered(const char *root)
{
	Durable durable;
	bool is_offered;

	durable_init(&durable, root);
	is_offered = admin_says_nothing(&durable) && has_start_link(&durable);
	durable_clear(&durable);
	return is_offered;
}
