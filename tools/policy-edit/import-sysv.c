/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Import: converts the links in /etc/rcN.d to [runlevel N] Activate=... of the matching services.
 * The import is offered while the admin's policy is empty.
 */
#include "config.h"

#include <string.h>

#include "base/errors.h"
#include "base/fd.h"
#include "base/limits.h"
#include "policy-edit/change.h"

/*
 * Runlevels 0 and 6 are not imported, because the scripts that sysvinit starts there are the last
 * steps of a shutdown, which svcd does itself.
 */
#define N_RUNLEVELS 6
static const char *const runlevels[N_RUNLEVELS] = { "S", "1", "2", "3", "4", "5" };

#define HEAD                                                                          \
	"# Made by \"svcctl import --sysv\" from the links in /etc/rcN.d and from " \
	"/etc/inittab; may be edited by hand.\n"                                      \
	"# A further import replaces this file.\n"

#define HEAD_DECLINED                                                                  \
	"# Made by \"svcctl import --sysv --none\": the links in /etc/rcN.d were not " \
	"wanted as policy, and are not\n"                                              \
	"# offered again. \"svcctl import --sysv\" replaces this file.\n"

/* Made by svc-generate (tools/svc-generate/respawns.h). */
#define INITTAB_POLICY "/run/svcd/generated/rc-links/inittab.policy"

/*
 * The path under which the links' policy is loaded with the vendor's policy. It sorts after the
 * vendor's last file: see needs_removal().
 */
#define LAST_OF_VENDOR SVCD_LIBDIR "/policy.d/~sysv-import.policy"

/* The services of the links: borrowed names, each once, in the order of the links. */
typedef struct SysvImport {
	const AtomicFiles *atomic_files;
	const Configuration *configuration;
	DiagList *diags;
	GPtrArray *starts[N_RUNLEVELS];
	GPtrArray *stops[N_RUNLEVELS];
	GTree *unknown; /* names of scripts without a service, sorted */
} SysvImport;

static void import_clear(SysvImport *import)
{
	for (size_t i = 0; i < N_RUNLEVELS; i++) {
		g_ptr_array_unref(import->starts[i]);
		g_ptr_array_unref(import->stops[i]);
	}
	g_tree_unref(import->unknown);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(SysvImport, import_clear)

/* --- reading the links --- */

/* "ssh" for "S02ssh" and "K02ssh"; NULL if the name is not that of a link to a script. */
static const char *script_of(const char *link)
{
	if ((link[0] != 'S' && link[0] != 'K') || !g_ascii_isdigit(link[1]) ||
	    !g_ascii_isdigit(link[2]) || !link[3])
		return NULL;
	return link + 3;
}

/* Finds a service by its name or by a name that it provides; "hwclock.sh" is hwclock. */
static const ServiceDef *service_of(const ServiceSet *set, const char *script)
{
	const ServiceDef *def = service_set_find(set, script);
	g_autofree char *bare = g_str_has_suffix(script, ".sh") ?
					g_strndup(script, strlen(script) - strlen(".sh")) :
					NULL;

	return def || !bare ? def : service_set_find(set, bare);
}

static void add_link(SysvImport *import, size_t runlevel, const char *directory, const char *link)
{
	const char *script = script_of(link);
	const ServiceDef *def = script ? service_of(import->configuration->set, script) : NULL;
	GPtrArray *names = link[0] == 'S' ? import->starts[runlevel] : import->stops[runlevel];
	g_autofree char *path = g_build_filename(directory, link, NULL);

	if (def && !g_ptr_array_find(names, def->name, NULL))
		g_ptr_array_add(names, (gpointer)def->name);
	if (!script || def || link[0] != 'S' || g_tree_lookup(import->unknown, script))
		return;
	g_tree_insert(import->unknown, g_strdup(script), import);
	diag_warning(import->diags, origin_new(path, 0), NULL,
		     "no service matches the script \"%s\"; it is left out", script);
}

static char *directory_of(const char *runlevel)
{
	return g_strdup_printf("/etc/rc%s.d", runlevel);
}

static bool read_links(SysvImport *import, GError **error)
{
	for (size_t i = 0; i < N_RUNLEVELS; i++) {
		g_autofree char *directory = directory_of(runlevels[i]);
		g_autofree char *shown = atomic_file_show(import->atomic_files, directory);
		g_autoptr(GPtrArray)
			names = atomic_file_list(import->atomic_files, directory, error);

		if (!names)
			return false;
		for (guint k = 0; k < names->len; k++)
			add_link(import, i, shown, g_ptr_array_index(names, k));
	}
	return true;
}

/* --- the resulting policy --- */

static bool starts_in(const SysvImport *import, size_t runlevel, const char *service)
{
	return g_ptr_array_find(import->starts[runlevel], service, NULL);
}

static bool stops_in(const SysvImport *import, size_t runlevel, const char *service)
{
	return g_ptr_array_find(import->stops[runlevel], service, NULL);
}

/* Does @service have any link? Otherwise only the vendor's policy decides. */
static bool has_link(const SysvImport *import, const char *service)
{
	for (size_t i = 0; i < N_RUNLEVELS; i++) {
		if (starts_in(import, i, service) || stops_in(import, i, service))
			return true;
	}
	return false;
}

/*
 * Must Activate= remove @service from the runlevel? No if it has no link, or has a start link in
 * the runlevel or in S. Yes if it has a stop link in the runlevel, because NewServices=boot may
 * start a service that no policy wants. In runlevel 1 a stop link does not count, because every
 * package has one there. Otherwise the answer is yes if the vendor's policy with the links' policy
 * (@vendor) wants the service, by name or because runlevel 3 includes 2. This does not apply to S,
 * because the boot needs those services.
 */
static bool needs_removal(const SysvImport *import, const Policy *vendor, size_t runlevel,
			  const char *service)
{
	PolicyDecision decision;

	if (!has_link(import, service) || starts_in(import, 0, service) ||
	    starts_in(import, runlevel, service))
		return false;
	if (stops_in(import, runlevel, service) && strcmp(runlevels[runlevel], "1") != 0)
		return true;
	if (!vendor || runlevel == 0)
		return false;
	policy_decide(vendor, service, runlevels[runlevel], &decision);
	return decision.activation == ACTIVATION_BOOT && decision.in_runlevel;
}

/* @vendor: NULL: only the policy of the links. */
static void append_runlevels(const SysvImport *import, const Policy *vendor, GString *text)
{
	const GPtrArray *all = service_set_list(import->configuration->set);

	for (size_t i = 0; i < N_RUNLEVELS; i++) {
		g_autoptr(GString) lines = g_string_new(NULL);

		for (guint k = 0; k < import->starts[i]->len; k++)
			g_string_append_printf(lines, "Activate=%s\n",
					       (char *)g_ptr_array_index(import->starts[i], k));
		for (guint k = 0; k < all->len; k++) {
			const ServiceDef *def = g_ptr_array_index(all, k);

			if (needs_removal(import, vendor, i, def->name))
				g_string_append_printf(lines, "Activate=-%s\n", def->name);
		}
		if (lines->len > 0)
			g_string_append_printf(text, "\n[runlevel %s]\n%s", runlevels[i],
					       lines->str);
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
static Configuration *load_vendor(const SysvImport *import)
{
	g_autoptr(GHashTable)
		overlay = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, unref_bytes);
	g_autoptr(GString) text = g_string_new(NULL);
	const LoaderOptions options = { .root = import->atomic_files->root,
					.any_owner = *import->atomic_files->root,
					.without_local_files = true,
					.overlay = overlay };

	append_runlevels(import, NULL, text);
	g_hash_table_insert(overlay, atomic_file_show(import->atomic_files, LAST_OF_VENDOR),
			    g_bytes_new(text->str, text->len));
	return configuration_load(&options, NULL);
}

/* The name is escaped, because a file name may contain a line break. */
static gboolean append_unknown(gpointer script, gpointer value, gpointer text)
{
	g_autofree char *name = g_strescape(script, NULL);

	(void)value;
	g_string_append_printf(text, "#   %s\n", name);
	return FALSE;
}

/* svc-generate's file for /etc/inittab is already policy, except its first line. */
static void append_inittab(const SysvImport *import, GHashTable *overlay, GString *text)
{
	g_autofree char *path = atomic_file_show(import->atomic_files, INITTAB_POLICY);
	GBytes *made = overlay ? g_hash_table_lookup(overlay, path) : NULL;
	g_autoptr(GBytes) bytes = made ? g_bytes_ref(made) :
					 file_read_bounded(path, LIMIT_FILE_BYTES, NULL);
	g_autofree char *policy =
		bytes ? g_strndup(g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes)) : NULL;
	const char *first = policy ? strchr(policy, '\n') : NULL;

	if (first)
		g_string_append_printf(text, "\n# From the lines of /etc/inittab:\n%s", first + 1);
}

static int compare_names(gconstpointer a, gconstpointer b, gpointer data)
{
	(void)data;
	return strcmp(a, b);
}

bool policy_import_sysv(Change *change, DiagList *diags, GError **error)
{
	const AtomicFiles *atomic_files = &change->atomic_files;
	const LoaderOptions options = { .root = atomic_files->root,
					.any_owner = *atomic_files->root,
					.overlay = change->overlay };
	g_autoptr(Configuration) configuration = configuration_load(&options, NULL);
	g_autoptr(Configuration) vendor = NULL;
	g_autoptr(GString) text = g_string_new(HEAD);
	g_autofree char *path = change_policy_path(change, POLICY_EDIT_SYSV_FILE);
	g_auto(SysvImport)
		import = { atomic_files, configuration, diags,
			   .unknown = g_tree_new_full(compare_names, NULL, g_free, NULL) };

	for (size_t i = 0; i < N_RUNLEVELS; i++) {
		import.starts[i] = g_ptr_array_new();
		import.stops[i] = g_ptr_array_new();
	}
	if (!read_links(&import, error))
		return false;
	vendor = load_vendor(&import);
	append_runlevels(&import, vendor->policy, text);
	append_inittab(&import, options.overlay, text);
	if (text->len == strlen(HEAD) && g_tree_nnodes(import.unknown) == 0)
		return fail(error, SVCD_ERROR_INVALID_ARGUMENT,
			    "no link in %s/etc/rcN.d and no line of /etc/inittab starts anything; "
			    "there is nothing to import",
			    atomic_files->root);
	if (g_tree_nnodes(import.unknown) > 0)
		g_string_append(text, "\n# Scripts that no service matches, left out:\n");
	g_tree_foreach(import.unknown, append_unknown, text);
	return change_set_file(change, path, text->str, error);
}

bool policy_decline_sysv(Change *change, GError **error)
{
	g_autofree char *path = change_policy_path(change, POLICY_EDIT_SYSV_FILE);

	return change_set_file(change, path, HEAD_DECLINED, error);
}

/* --- the offer --- */

static bool has_start_link(const AtomicFiles *atomic_files)
{
	for (size_t i = 0; i < N_RUNLEVELS; i++) {
		g_autofree char *directory = directory_of(runlevels[i]);
		g_autoptr(GPtrArray) names = atomic_file_list(atomic_files, directory, NULL);

		for (guint k = 0; names && k < names->len; k++) {
			const char *link = g_ptr_array_index(names, k);

			if (*link == 'S' && script_of(link))
				return true;
		}
	}
	return false;
}

/* A directory that cannot be read may contain a policy, so nothing is offered. */
static bool admin_states_nothing(const AtomicFiles *atomic_files)
{
	g_autoptr(GPtrArray)
		names = atomic_file_list(atomic_files, SVCD_SYSCONFDIR "/policy.d", NULL);

	for (guint i = 0; names && i < names->len; i++) {
		if (g_str_has_suffix(g_ptr_array_index(names, i), ".policy"))
			return false;
	}
	return names != NULL;
}

bool policy_sysv_is_offered(const char *root)
{
	AtomicFiles atomic_files;
	bool is_offered;

	atomic_files_init(&atomic_files, root);
	is_offered = admin_states_nothing(&atomic_files) && has_start_link(&atomic_files);
	atomic_files_clear(&atomic_files);
	return is_offered;
}
