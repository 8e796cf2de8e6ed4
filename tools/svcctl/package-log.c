/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Package log: lines of dpkg(1), "2026-11-28 05:20:01 upgrade cron:amd64 3.0 3.1".
 */
#include "config.h"

#include "svcctl/package-log.h"

#include <gio/gio.h>
#include <string.h>

/* The limit for all parts together, decompressed. */
#define LOG_BYTES (64 * 1024 * 1024)

static void package_change_free(gpointer data)
{
	PackageChange *change = data;

	g_free(change->package);
	g_free(change->from);
	g_free(change->to);
	g_free(change);
}

static PackageChange *find(const GPtrArray *changes, const char *package)
{
	for (guint i = 0; i < changes->len; i++) {
		PackageChange *change = g_ptr_array_index(changes, i);

		if (strcmp(change->package, package) == 0)
			return change;
	}
	return NULL;
}

static void add_line(GPtrArray *changes, const char *line, const char *from, const char *to)
{
	const size_t stamp = strlen("2026-11-28 05:20:01");
	g_auto(GStrv) fields = g_strsplit(line, " ", 7);
	PackageChange *change;

	/* Stamps of this form sort as text. */
	if (g_strv_length(fields) != 6 || strncmp(line, from, stamp) < 0 ||
	    strncmp(line, to, stamp) > 0 ||
	    (strcmp(fields[2], "install") != 0 && strcmp(fields[2], "upgrade") != 0))
		return;
	change = find(changes, fields[3]);
	if (!change) {
		change = g_new0(PackageChange, 1);
		change->package = g_strdup(fields[3]);
		change->from = g_strdup(strcmp(fields[4], "<none>") == 0 ? "" : fields[4]);
		g_ptr_array_add(changes, change);
	}
	g_free(change->to);
	change->to = g_strdup(fields[5]);
}

static GInputStream *open_log(const char *directory, const char *name)
{
	g_autofree char *path = g_build_filename(directory, name, NULL);
	g_autoptr(GFile) file = g_file_new_for_path(path);
	g_autoptr(GInputStream) input = G_INPUT_STREAM(g_file_read(file, NULL, NULL));
	g_autoptr(GConverter) converter = NULL;

	if (!input || !g_str_has_suffix(name, ".gz"))
		return g_steal_pointer(&input);
	converter = G_CONVERTER(g_zlib_decompressor_new(G_ZLIB_COMPRESSOR_FORMAT_GZIP));
	return g_converter_input_stream_new(input, converter);
}

static int by_age(gconstpointer a, gconstpointer b)
{
	const char *left = *(const char *const *)a;
	const char *right = *(const char *const *)b;
	const size_t prefix = strlen("dpkg.log.");

	/* dpkg.log.10.gz is older than dpkg.log.2.gz, and dpkg.log is the newest one. */
	return (int)(g_ascii_strtoull(strlen(right) > prefix ? right + prefix : "", NULL, 10) -
		     g_ascii_strtoull(strlen(left) > prefix ? left + prefix : "", NULL, 10));
}

GPtrArray *package_log_read(const char *directory, const char *from, const char *to)
{
	GPtrArray *changes = g_ptr_array_new_with_free_func(package_change_free);
	g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GDir) dir = g_dir_open(directory, 0, NULL);
	const char *name;
	gsize n_read = 0;

	while (dir && (name = g_dir_read_name(dir))) {
		if (strcmp(name, "dpkg.log") == 0 || g_str_has_prefix(name, "dpkg.log."))
			g_ptr_array_add(names, g_strdup(name));
	}
	g_ptr_array_sort(names, by_age);
	for (guint i = 0; i < names->len; i++) {
		g_autoptr(GInputStream) input = open_log(directory, g_ptr_array_index(names, i));
		g_autoptr(GDataInputStream) data = input ? g_data_input_stream_new(input) : NULL;
		char *line;
		gsize length;

		while (data && n_read < LOG_BYTES &&
		       (line = g_data_input_stream_read_line(data, &length, NULL, NULL))) {
			n_read += length;
			add_line(changes, line, from, to);
			g_free(line);
		}
	}
	return changes;
}

char *package_change_text(const PackageChange *change)
{
	g_autofree char *name = g_strndup(change->package, strcspn(change->package, ":"));

	return *change->from ? g_strdup_printf("%s %s -> %s", name, change->from, change->to) :
			       g_strdup_printf("%s %s (new)", name, change->to);
}

static bool is_line_of(const char *line, char *const *files)
{
	for (size_t i = 0; files[i]; i++) {
		if (strcmp(line, files[i]) == 0 ||
		    (g_str_has_prefix(line, "/usr/") && strcmp(line + 4, files[i]) == 0) ||
		    (g_str_has_prefix(files[i], "/usr/") && strcmp(line, files[i] + 4) == 0))
			return true;
	}
	return false;
}

bool package_owns(const char *info, const PackageChange *change, char *const *files)
{
	g_autofree char *name = g_strndup(change->package, strcspn(change->package, ":"));
	/* Packages for several architectures have the architecture in the name of the list. */
	g_autofree char *plain = g_strdup_printf("%s/%s.list", info, name);
	g_autofree char *full = g_strdup_printf("%s/%s.list", info, change->package);
	g_autofree char *text = NULL;
	g_auto(GStrv) lines = NULL;

	if (!g_file_get_contents(full, &text, NULL, NULL) &&
	    !g_file_get_contents(plain, &text, NULL, NULL))
		return false; /* removed again */
	lines = g_strsplit(text, "\n", -1);
	for (size_t i = 0; lines[i]; i++) {
		if (is_line_of(lines[i], files))
			return true;
	}
	return false;
}
