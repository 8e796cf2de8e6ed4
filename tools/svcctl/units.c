/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Units: finds the units that need a service. A service replaces a unit with the same name or the
 * same program. The program matters because many of svcd's services have the names of Debian's init
 * scripts. Units of systemd itself are part of another init.
 */
#include "config.h"

#include "svcctl/units.h"

#include <string.h>

#include "base/text.h"
#include "import-unit/unit-file.h"

#define SUFFIX ".service"

/* In systemd's order of precedence (systemd.unit(5)). */
static const char *const directories[] = { "/etc/systemd/system", "/usr/local/lib/systemd/system",
					   "/lib/systemd/system", "/usr/lib/systemd/system" };

/* "caddy" for "caddy.service", a new string. */
static char *bare_name(const char *name)
{
	return g_str_has_suffix(name, SUFFIX) ? g_strndup(name, strlen(name) - strlen(SUFFIX)) :
						g_strdup(name);
}

char *unit_of_name(const char *root, const char *name)
{
	g_autofree char *bare = bare_name(name);

	if (!*bare || strchr(bare, '/'))
		return NULL;
	for (size_t i = 0; i < G_N_ELEMENTS(directories); i++) {
		g_autofree char *unit = g_strdup_printf("%s/%s" SUFFIX, directories[i], bare);
		g_autofree char *path = g_strconcat(root, unit, NULL);

		/* a masked unit is a link to a device */
		if (g_file_test(path, G_FILE_TEST_IS_REGULAR))
			return g_steal_pointer(&unit);
	}
	return NULL;
}

char *unit_import_commands(const char *unit, const char *separator)
{
	g_autofree char *file = g_path_get_basename(unit);
	g_autofree char *name = bare_name(file);

	return g_strdup_printf(
		"svcctl import %s --output /etc/svcd/services.d%ssvcctl reload-files%ssvcctl "
		"enable %s",
		unit, separator, separator, name);
}

/* --- all of them --- */

bool unit_is_part_of_systemd(const char *name)
{
	return g_str_has_prefix(name, "systemd-") || strcmp(name, "console-getty") == 0 ||
	       strcmp(name, "debug-shell") == 0;
}

/* A shell may be the program of any number of services. */
static bool is_shell(const char *program)
{
	g_autofree char *name = g_path_get_basename(program);

	return strcmp(name, "sh") == 0 || strcmp(name, "bash") == 0 || strcmp(name, "env") == 0;
}

static bool is_program_of(const ServiceDef *def, const char *program)
{
	return def->exec && strcmp(def->exec->argv[0], program) == 0;
}

static const ServiceDef *find_replacement(const ServiceSet *set, const char *name,
					  const char *program)
{
	const GPtrArray *all = service_set_list(set);
	const ServiceDef *found = service_set_find(set, name);

	for (guint i = 0; !found && program && !is_shell(program) && i < all->len; i++) {
		if (is_program_of(g_ptr_array_index(all, i), program))
			found = g_ptr_array_index(all, i);
	}
	return found;
}

/*
 * The first argument of ExecStart= without its prefixes (systemd.service(5)); a new string, or
 * NULL.
 */
static char *program_of(const GPtrArray *lines)
{
	const char *command = unit_file_last(lines, "Service", "ExecStart");

	if (!command)
		return NULL;
	command += strspn(command, "@-:+!");
	return g_strndup(command, strcspn(command, " \t"));
}

/* Does [Install] name a target that starts the unit, and does its program exist? */
static bool is_to_be_started(const char *root, const GPtrArray *lines, const char *program)
{
	g_autofree char *path = program ? g_strconcat(root, program, NULL) : NULL;

	return path && g_file_test(path, G_FILE_TEST_IS_EXECUTABLE) &&
	       (unit_file_last(lines, "Install", "WantedBy") ||
		unit_file_last(lines, "Install", "RequiredBy"));
}

/* The lines of a unit; NULL if it cannot be read. */
static GPtrArray *read_unit(const char *root, const char *unit)
{
	g_autofree char *path = g_strconcat(root, unit, NULL);
	g_autoptr(DiagList) diags = diag_list_new();
	g_autofree char *text = NULL;
	gsize length;

	return g_file_get_contents(path, &text, &length, NULL) ?
		       unit_file_read(unit, text, length, diags) :
		       NULL;
}

const ServiceDef *unit_replacement(const char *root, const ServiceSet *set, const char *name)
{
	g_autofree char *unit = unit_of_name(root, name);
	g_autoptr(GPtrArray) lines = unit ? read_unit(root, unit) : NULL;
	g_autofree char *program = lines ? program_of(lines) : NULL;

	return find_replacement(set, name, program);
}

static bool is_without_service(const char *root, const ServiceSet *set, const char *unit,
			       const char *name)
{
	g_autoptr(GPtrArray) lines = read_unit(root, unit);
	g_autofree char *program = lines ? program_of(lines) : NULL;

	return lines && is_to_be_started(root, lines, program) &&
	       !find_replacement(set, name, program);
}

/* Links are other names of units, and templates need instances. */
static void collect(const char *root, const char *directory, const ServiceSet *set,
		    GHashTable *seen, GPtrArray *found)
{
	g_autofree char *path = g_strconcat(root, directory, NULL);
	g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
	const char *file;

	while (dir && (file = g_dir_read_name(dir))) {
		g_autofree char *name = bare_name(file);
		g_autofree char *unit = g_build_filename(directory, file, NULL);
		g_autofree char *whole = g_strconcat(root, unit, NULL);

		if (!g_str_has_suffix(file, SUFFIX) || strchr(name, '@') ||
		    unit_is_part_of_systemd(name) || !g_hash_table_add(seen, g_strdup(name)) ||
		    g_file_test(whole, G_FILE_TEST_IS_SYMLINK))
			continue;
		if (is_without_service(root, set, unit, name))
			g_ptr_array_add(found, g_steal_pointer(&unit));
	}
}

static gint compare_files(gconstpointer a, gconstpointer b)
{
	return strcmp(strrchr(*(const char *const *)a, '/'), strrchr(*(const char *const *)b, '/'));
}

GPtrArray *units_without_service(const char *root, const ServiceSet *set)
{
	g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	GPtrArray *found = g_ptr_array_new_with_free_func(g_free);

	for (size_t i = 0; i < G_N_ELEMENTS(directories); i++)
		collect(root, directories[i], set, seen, found);
	g_ptr_array_sort(found, compare_files);
	return found;
}
