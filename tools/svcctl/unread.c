/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Unread: compares the times of files with the time of the last load. Generated files are left out,
 * because each load writes them.
 */
#include "config.h"

#include "svcctl/unread.h"

#include <string.h>
#include <sys/stat.h>

#include "bus/names.h"
#include "config/search-path.h"

/* A new strv. */
static char **service_directories(const Context *context)
{
	const LoaderOptions options = { .root = context->options.root,
					.user_mode = context->options.is_user };

	return search_path_services(&options);
}

static bool is_generated(const char *directory)
{
	return g_str_has_suffix(directory, "/generated");
}

char *unread_find(const Context *context, const char *name)
{
	g_auto(GStrv) directories = service_directories(context);
	const char *at = strchr(name, '@'); /* an instance uses the file of its template */
	g_autofree char *stem = g_strndup(name, at ? (gsize)(at - name) + 1 : strlen(name));
	g_autofree char *script =
		g_build_filename(context_root(context), "/etc/init.d", name, NULL);

	if (!*name || *name == '.' || strchr(name, '/'))
		return NULL;
	for (char **directory = directories; *directory; directory++) {
		g_autofree char *path = g_strdup_printf("%s/%s.svc", *directory, stem);

		if (!is_generated(*directory) && g_file_test(path, G_FILE_TEST_IS_REGULAR))
			return g_steal_pointer(&path);
	}
	if (context->options.is_user || !g_file_test(script, G_FILE_TEST_IS_REGULAR) ||
	    !g_file_test(script, G_FILE_TEST_IS_EXECUTABLE))
		return NULL;
	return g_steal_pointer(&script);
}

/* ctime covers the contents and the name, because a package may unpack an old file now. */
static bool is_newer(const char *path, int64_t wall_us)
{
	struct stat st;

	return stat(path, &st) == 0 &&
	       st.st_ctim.tv_sec * G_USEC_PER_SEC + st.st_ctim.tv_nsec / 1000 > wall_us;
}

/* The directory or the first of its files that is newer; a new string, or NULL. */
static char *find_newer_drop_in(const char *directory, int64_t wall_us)
{
	g_autoptr(GDir) dir = g_dir_open(directory, 0, NULL);
	const char *file;

	if (dir && is_newer(directory, wall_us))
		return g_strdup(directory);
	while (dir && (file = g_dir_read_name(dir))) {
		g_autofree char *path = g_build_filename(directory, file, NULL);

		if (is_newer(path, wall_us))
			return g_steal_pointer(&path);
	}
	return NULL;
}

char *unread_change(Context *context, const char *name)
{
	g_autoptr(GVariant) manager =
		client_properties(context->client, OBJECT_PATH_MANAGER, INTERFACE_MANAGER, NULL);
	const int64_t read_us = manager ? (int64_t)record_number(manager, "FilesReadAt") : 0;
	const int64_t wall_us = g_get_real_time() - (g_get_monotonic_time() - read_us);
	g_auto(GStrv) directories = service_directories(context);
	const char *at = strchr(name, '@');
	g_autofree char *stem = g_strndup(name, at ? (gsize)(at - name) + 1 : strlen(name));

	for (char **directory = directories; read_us > 0 && *directory; directory++) {
		g_autofree char *path = g_strdup_printf("%s/%s.svc", *directory, stem);
		g_autofree char *drop_ins = g_strconcat(path, ".d", NULL);
		char *drop_in;

		if (is_generated(*directory))
			continue;
		if (is_newer(path, wall_us))
			return g_steal_pointer(&path);
		drop_in = find_newer_drop_in(drop_ins, wall_us);
		if (drop_in)
			return drop_in;
	}
	return NULL;
}
