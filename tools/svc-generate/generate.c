/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Generate: see generate.h. Each source of services has its own file. This file reads the
 * configuration files and calls the sources in order.
 */
#include "config.h"

#include "svc-generate/generate.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/limits.h"
#include "config/loader.h"
#include "lsb-compat/lsb.h"
#include "svc-generate/bus-activation.h"
#include "svc-generate/consoles.h"
#include "svc-generate/crypttab.h"
#include "svc-generate/fstab.h"
#include "svc-generate/generators.h"
#include "svc-generate/inittab.h"
#include "svc-generate/respawns.h"
#include "svc-generate/volumes.h"

/* Inode of the first PID namespace, PROC_PID_INIT_INO of the kernel's include/linux/proc_ns.h. */
#define INITIAL_PID_NAMESPACE 0xEFFFFFFCu

#define RC_LINKS "rc-links"

/*
 * The files of packages; the admin's own files; and the path at which the latter are found while
 * boot/bus-activation covers their directory.
 */
#define BUS_SERVICES "/usr/share/dbus-1/system-services"
#define BUS_SERVICES_ADMIN "/usr/local/share/dbus-1/system-services"
#define BUS_SERVICES_COVERED "/run/svcd/bus-services.local"

/* Records in the bundle that the program is now at @path, in case it hangs there. */
static void begin(const Generated *g, const char *path)
{
	if (g->bundle)
		bundle_begin(g->bundle, path);
}

/* A missing file is not an error. */
static bool is_absent(const Generated *g, const char *path)
{
	g_autofree char *full = g_strconcat(g->root, path, NULL);
	struct stat st;

	begin(g, full);
	return stat(full, &st) < 0;
}

/* Is there a service file of that name that was not generated? */
static bool has_service_file(const Generated *g, const char *name)
{
	static const char *const directories[] = { SVCD_LIBDIR "/services.d",
						   SVCD_SYSCONFDIR "/services.d",
						   "/run/svcd/services.d" };

	for (size_t i = 0; i < G_N_ELEMENTS(directories); i++) {
		g_autofree char *path = g_strdup_printf("%s/%s.svc", directories[i], name);

		if (!is_absent(g, path))
			return true;
	}
	return false;
}

/*
 * The text of a file, a new string; NULL if it is missing or unreadable. An unreadable file is
 * reported. A NUL byte becomes another control character, because the parsers report a line with a
 * control character.
 */
static char *read_text(const Generated *g, const char *path)
{
	g_autofree char *full = g_strconcat(g->root, path, NULL);
	g_autoptr(GError) error = NULL;
	g_autoptr(GBytes) bytes = NULL;
	g_autoptr(GString) text = g_string_new(NULL);

	if (is_absent(g, path))
		return NULL;
	bytes = file_read_bounded(full, LIMIT_FILE_BYTES, &error);
	if (!bytes) {
		diag_error(g->diags, origin_new(full, 0), NULL, "%s", error->message);
		return NULL;
	}
	g_string_append_len(text, g_bytes_get_data(bytes, NULL), (gssize)g_bytes_get_size(bytes));
	for (gsize i = 0; i < text->len; i++) {
		if (text->str[i] == '\0')
			text->str[i] = '\1';
	}
	return g_string_free(g_steal_pointer(&text), FALSE);
}

/* In a container, the host handles devices, mounts and consoles. */
static bool is_container(void)
{
	struct stat st;

	if (getenv("container"))
		return true;
	return stat("/proc/self/ns/pid", &st) == 0 && st.st_ino != INITIAL_PID_NAMESPACE;
}

static bool has_program(const void *data, const char *path)
{
	const Generated *g = data;
	g_autofree char *full = g_strconcat(g->root, path, NULL);
	struct stat st;

	begin(g, full);
	return stat(full, &st) == 0 && S_ISREG(st.st_mode) && (st.st_mode & S_IXUSR);
}

/*
 * If no svcd service checks the root, mountall.sh and similar scripts run as under SysV
 * (lsb-compat/README.md). They check and mount all of fstab, and no other program may do so at the
 * same time.
 */
static bool scripts_mount_volumes(const Generated *g)
{
	return has_program(g, "/etc/init.d/mountall.sh") && !has_service_file(g, "checkroot");
}

static GPtrArray *read_fstab(Generated *g)
{
	g_autofree char *file = g_strconcat(g->root, "/etc/fstab", NULL);
	g_autofree char *text = read_text(g, "/etc/fstab");

	return fstab_parse(file, text ? text : "", g->diags);
}

static void generate_encrypted_volumes(Generated *g, const GPtrArray *volumes)
{
	g_autofree char *file = g_strconcat(g->root, "/etc/crypttab", NULL);
	g_autofree char *text = read_text(g, "/etc/crypttab");
	g_autoptr(GPtrArray) entries = NULL;

	if (!text)
		return;
	entries = crypttab_parse(file, text, g->diags);
	crypttab_generate(entries, volumes, g->files);
}

static void generate_volumes(Generated *g)
{
	g_autoptr(GPtrArray) entries = read_fstab(g);

	volumes_generate(entries, g->files);
	generate_encrypted_volumes(g, entries);
}

static void generate_consoles(Generated *g)
{
	g_autofree char *active = read_text(g, "/sys/class/tty/console/active");

	if (active) /* without consoles there are no logins */
		consoles_generate(active, g->files);
}

static void generate_respawns(Generated *g)
{
	const RespawnsWorld world = { .has_getty = has_service_file(g, "getty@"),
				      .has_program = has_program,
				      .data = g };
	g_autofree char *file = g_strconcat(g->root, "/etc/inittab", NULL);
	g_autofree char *text = read_text(g, "/etc/inittab");
	g_autoptr(GPtrArray) entries = text ? inittab_parse(file, text, g->diags) : NULL;

	if (entries)
		respawns_generate(entries, &world, (RespawnsOutput){ g->files, g->rc_links },
				  g->diags);
}

/*
 * The names of all services, including those of the files generated so far. The manager reports
 * faults in these files.
 */
static Configuration *load_services(const Generated *g)
{
	g_autoptr(GHashTable) overlay = generated_overlay(g);
	const LoaderOptions options = { .root = g->root,
					.any_owner = *g->root != '\0',
					.without_lines = true,
					.names_only = true,
					.overlay = overlay,
					.bundle = g->bundle };

	return configuration_load(&options, NULL);
}

static void generate_bus_activation(Generated *g, const ServiceSet *set)
{
	const char *admin_dir = is_absent(g, BUS_SERVICES_COVERED) ? BUS_SERVICES_ADMIN :
								     BUS_SERVICES_COVERED;
	g_autofree char *vendor = g_strconcat(g->root, BUS_SERVICES, NULL);
	g_autofree char *admin = g_strconcat(g->root, admin_dir, NULL);

	begin(g, vendor);
	bus_activation_generate(set, vendor, admin, g->bus_activation);
}

static const char *find_native(const void *data, const char *name)
{
	const ServiceDef *def = service_set_find(data, name);

	return def ? def->name : NULL;
}

GString *generated_file(Generated *g, const char *name, const char *from)
{
	if (g_str_has_prefix(name, RC_LINKS "/"))
		return generated_files_add(g->rc_links, name + strlen(RC_LINKS "/"), from);
	return generated_files_add(g->files, name, from);
}

/* A service with its own file replaces the script. */
static void generate_init_scripts(Generated *g, const ServiceSet *set)
{
	const LsbNatives natives = { .find = find_native, .data = set };
	g_autoptr(GPtrArray) files = NULL;

	begin(g, "/etc/init.d");
	files = lsb_read(g->root, &natives, g->script_diags);
	for (guint i = 0; i < files->len; i++) {
		const LsbFile *file = g_ptr_array_index(files, i);

		g_string_append(generated_file(g, file->name, file->from), file->text);
	}
}

Generated *generate(const char *root, Bundle *bundle)
{
	Generated *g = g_new0(Generated, 1);
	g_autoptr(Configuration) services = NULL;

	g->root = g_strdup(root);
	g->bundle = bundle;
	g->files = generated_files_new();
	g->rc_links = generated_files_new();
	g->bus_activation = generated_files_new();
	g->diags = diag_list_new();
	g->script_diags = diag_list_new();
	if (*root || !is_container()) {
		if (!scripts_mount_volumes(g))
			generate_volumes(g);
		generate_consoles(g);
		generate_respawns(g);
	}
	generators_run(g, SVCD_LIBDIR "/services.d");
	services = load_services(g);
	generate_init_scripts(g, services->set);
	generate_bus_activation(g, services->set);
	return g;
}

static void unref_bytes(gpointer data)
{
	if (data)
		g_bytes_unref(data);
}

GHashTable *generated_overlay(const Generated *g)
{
	GHashTable *overlay = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, unref_bytes);
	g_autofree char *directory = *g->root ?
					     g_build_filename(g->root, GENERATED_DIRECTORY, NULL) :
					     g_strdup(GENERATED_DIRECTORY);
	g_autofree char *rc_links = g_build_filename(directory, RC_LINKS, NULL);

	output_overlay(g->files, directory, overlay);
	output_overlay(g->rc_links, rc_links, overlay);
	return overlay;
}

bool generated_write(const Generated *g, const char *directory, GError **error)
{
	g_autofree char *rc_links = g_build_filename(directory, RC_LINKS, NULL);
	g_autofree char *bus_activation = g_build_filename(directory, "bus-activation", NULL);

	return generated_files_write(g->files, directory, error) &&
	       generated_files_write(g->rc_links, rc_links, error) &&
	       generated_files_write(g->bus_activation, bus_activation, error);
}

void generated_free(Generated *g)
{
	if (!g)
		return;
	g_free(g->root);
	generated_files_free(g->files);
	generated_files_free(g->rc_links);
	generated_files_free(g->bus_activation);
	diag_list_free(g->diags);
	diag_list_free(g->script_diags);
	g_free(g);
}
