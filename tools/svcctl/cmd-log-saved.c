/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * log --boot: the output of services in an earlier boot, the changes of their states, and the end
 * of that boot.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/errors.h"
#include "base/text.h"
#include "svcctl/boot-changes.h"
#include "svcctl/log-lines.h"
#include "svcctl/saved-boot.h"
#include "svcctl/svcctl.h"

static gint compare_names(gconstpointer a, gconstpointer b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Services with output or changes. Only root can list the directory. A new array of names. */
static GPtrArray *names_of(const char *directory, const GPtrArray *changes)
{
	g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	g_autoptr(GDir) dir = g_dir_open(directory, 0, NULL);
	GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
	GHashTableIter iter;
	const char *entry;
	gpointer name;

	while (dir && (entry = g_dir_read_name(dir))) {
		if (g_str_has_suffix(entry, ".log"))
			g_hash_table_add(seen, g_strndup(entry, strlen(entry) - strlen(".log")));
	}
	for (guint i = 0; i < changes->len; i++) {
		const BootChange *change = g_ptr_array_index(changes, i);

		if (strcmp(change->name, BOOT_CHANGES_END) != 0)
			g_hash_table_add(seen, g_strdup(change->name));
	}
	g_hash_table_iter_init(&iter, seen);
	while (g_hash_table_iter_next(&iter, &name, NULL))
		g_ptr_array_add(names, g_strdup(name));
	g_ptr_array_sort(names, compare_names);
	return names;
}

static bool may_read(const char *directory, const char *name)
{
	g_autofree char *path = log_path(directory, name);

	return faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) == 0 || errno != EACCES;
}

static bool read_lines(Context *context, const char *directory, const GPtrArray *names,
		       GPtrArray *lines, GError **error)
{
	unsigned n_refused = 0;

	for (guint i = 0; i < names->len; i++) {
		const char *name = g_ptr_array_index(names, i);
		g_autoptr(GPtrArray) texts = NULL;

		if (!may_read(directory, name)) {
			if (context->n_names > 0)
				return fail(error, SVCD_ERROR_NOT_AUTHORIZED,
					    "permission denied: only root and the operators of %s "
					    "may read its log",
					    name);
			n_refused++;
			continue;
		}
		texts = log_tail(directory, name, G_MAXUINT, NULL);
		for (guint k = 0; k < texts->len; k++)
			log_lines_add(lines, name, g_strdup(g_ptr_array_index(texts, k)), false);
	}
	if (n_refused > 0)
		fprintf(context->output.err,
			"svcctl: permission denied for the logs of %u services\n", n_refused);
	return true;
}

/* Returns: the name in @names that equals @name; NULL if there is none. */
static const char *find_name(const GPtrArray *names, const char *name)
{
	for (guint i = 0; i < names->len; i++) {
		if (strcmp(g_ptr_array_index(names, i), name) == 0)
			return g_ptr_array_index(names, i);
	}
	return NULL;
}

static void add_marks(const GPtrArray *changes, const GPtrArray *names, GPtrArray *lines)
{
	for (guint i = 0; i < changes->len; i++) {
		const BootChange *change = g_ptr_array_index(changes, i);
		const char *name = find_name(names, change->name);
		const bool is_state = strcmp(change->from, change->to) != 0;

		if (name)
			log_lines_add(lines, name,
				      g_strdup_printf("%s -- %s: %s%s%s: %s", change->stamp, name,
						      is_state ? change->from : "",
						      is_state ? " -> " : "", change->to,
						      change->text),
				      true);
	}
}

/* Did the service exist in @boot? */
static bool check_known(const SavedBoot *boot, const GPtrArray *changes, const GPtrArray *names,
			GError **error)
{
	for (guint i = 0; i < names->len; i++) {
		const char *name = g_ptr_array_index(names, i);
		bool is_known = boot_times_find(boot->times, name) != NULL;

		for (guint k = 0; k < changes->len && !is_known; k++)
			is_known = strcmp(((const BootChange *)changes->pdata[k])->name, name) == 0;
		if (!is_known)
			return fail(error, SVCD_ERROR_NO_SUCH_SERVICE,
				    "there was no service \"%s\" in boot %u", name, boot->number);
	}
	return true;
}

/* "importer 1.5 s, web 1.1 s"; a new string, "": no stop was slow. */
static char *slow_text(const SavedBoot *boot)
{
	g_autoptr(GPtrArray) stops = saved_boot_stops(boot, SAVED_STOP_SLOW_US);
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < stops->len; i++) {
		const SavedStop *stop = g_ptr_array_index(stops, i);
		g_autofree char *took = text_format_duration(stop->took_us);

		g_string_append_printf(text, "%s%s %s", i > 0 ? ", " : "", stop->name, took);
	}
	return g_string_free(text, FALSE);
}

static void print_end(Context *context, const SavedBoot *boot)
{
	const char *requested = saved_boot_text(boot, "shutdown", "requested");
	g_autofree char *took = text_format_duration(saved_boot_int(boot, "shutdown", "took_us"));
	g_autofree char *slow = slow_text(boot);

	if (!*requested)
		output_confirm(
			&context->output,
			"Boot %u ended without a shutdown: the lines of its last minutes may "
			"be missing.",
			boot->number);
	else
		output_confirm(&context->output,
			       "Boot %u ended by %s. The services stopped in %s%s%s.", boot->number,
			       requested, took, *slow ? "; slow: " : "", slow);
}

bool log_saved(Context *context, const SavedBoot *boot, const char *since, unsigned n,
	       GError **error)
{
	g_autofree char *directory = boots_logs(boots_directory(), boot->number);
	g_autoptr(GPtrArray) changes = boot_changes_read(directory);
	g_autoptr(GPtrArray) lines = log_lines_new();
	g_autoptr(GPtrArray) names = NULL;

	if (access(directory, F_OK) < 0)
		return fail_ctl(error, CTL_ERROR_FILE, "the logs of boot %u were not saved",
				boot->number);
	names = context->n_names > 0 ? log_named(context, error) : names_of(directory, changes);
	if (!names || !check_known(boot, changes, names, error) ||
	    !read_lines(context, directory, names, lines, error))
		return false;
	log_lines_select(lines, since, n);
	log_lines_set_data(context, names, lines, changes);
	if (!context->output.is_quiet)
		add_marks(changes, names, lines);
	log_lines_select(lines, since, n);
	log_lines_print(context, lines);
	print_end(context, boot);
	return true;
}
