/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Last good: finds faulty files, and replaces them by copies in an overlay.
 */
#include "config.h"

#include "config/last-good.h"

#include <string.h>

#include "config/search-path.h"

#define SERVICES SVCD_SYSCONFDIR "/services.d"
#define POLICIES SVCD_SYSCONFDIR "/policy.d"
#define POLICY_SUFFIX ".policy"
#define SERVICE_SUFFIX ".svc"
#define DROP_IN_SUFFIX ".svc.d"

GPtrArray *last_good_list(SourceReader *reader, const char *directory)
{
	g_autofree char *top = g_strconcat(reader->root, directory, NULL);
	g_autofree char *problem = NULL;
	g_autoptr(GPtrArray) names = source_reader_list(reader, top, &problem);
	g_autoptr(GPtrArray) files = g_ptr_array_new_with_free_func(g_free);

	for (guint i = 0; i < names->len && !problem; i++) {
		const char *name = g_ptr_array_index(names, i);
		g_autofree char *path = g_build_filename(top, name, NULL);
		g_autoptr(GPtrArray) drop_ins = NULL;

		if (g_str_has_suffix(name, SERVICE_SUFFIX))
			g_ptr_array_add(files, g_strdup(name));
		if (!g_str_has_suffix(name, DROP_IN_SUFFIX))
			continue;
		drop_ins = source_reader_list(reader, path, &problem);
		for (guint j = 0; j < drop_ins->len; j++) {
			const char *drop_in = g_ptr_array_index(drop_ins, j);

			if (g_str_has_suffix(drop_in, ".conf"))
				g_ptr_array_add(files, g_build_filename(name, drop_in, NULL));
		}
	}
	return problem ? NULL : g_steal_pointer(&files);
}

static bool has_problem(const Configuration *configuration, const char *service)
{
	const ServiceDef *def = service_set_find(configuration->set, service);

	return !def || def->problem || def->file_problem; /* no @def: a template */
}

/* An error that a policy file causes is recorded under that file, not under the service. */
static void add_wrong(GHashTable *wrong, const Diagnostic *d)
{
	const char *at = strchr(d->service, '@');

	if (d->origin.file && g_str_has_suffix(d->origin.file, POLICY_SUFFIX)) {
		g_hash_table_add(wrong, g_strdup(d->origin.file));
		return;
	}
	g_hash_table_add(wrong, g_strdup(d->service));
	if (at) /* an instance is made of the files of its template */
		g_hash_table_add(wrong, g_strndup(d->service, (size_t)(at + 1 - d->service)));
}

GHashTable *last_good_find_wrong(const Configuration *configuration)
{
	GHashTable *wrong = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

	for (unsigned i = 0; i < diag_list_length(configuration->diags); i++) {
		const Diagnostic *d = diag_list_get(configuration->diags, i);

		if (d->level == DIAG_ERROR && d->service && has_problem(configuration, d->service))
			add_wrong(wrong, d);
	}
	return wrong;
}

static char *service_of(const char *file)
{
	return g_strndup(file, (size_t)(strstr(file, SERVICE_SUFFIX) - file));
}

bool last_good_is_wrong(GHashTable *wrong, const char *file)
{
	g_autofree char *service = service_of(file);

	return g_hash_table_contains(wrong, service);
}

static GBytes *read_copy(SourceReader *reader, const char *directory, const char *file)
{
	g_autofree char *path = g_strconcat(reader->root, directory, "/", file, NULL);
	g_autofree char *problem = NULL; /* ignored: there is no copy */
	gsize length;
	char *text = source_reader_read(reader, path, &length, &problem);

	return text ? g_bytes_new_take(text, length) : NULL;
}

static void add_policies(SourceReader *reader, GHashTable *wrong, GHashTable *overlay)
{
	g_autofree char *top = g_strconcat(reader->root, POLICIES "/", NULL);
	GHashTableIter iter;
	gpointer path;

	g_hash_table_iter_init(&iter, wrong);
	while (g_hash_table_iter_next(&iter, &path, NULL)) {
		GBytes *copy = g_str_has_prefix(path, top) ?
				       read_copy(reader, POLICY_LAST_GOOD_DIRECTORY,
						 (char *)path + strlen(top)) :
				       NULL;

		if (copy)
			g_hash_table_insert(overlay, g_strdup(path), copy);
	}
}

static bool is_remote(SourceReader *reader, const LoaderOptions *options, const char *file)
{
	g_auto(GStrv) directories = search_path_services(options);
	g_autofree char *admins = g_strconcat(reader->root, SERVICES, NULL);
	bool is_there = false;

	for (char **directory = directories; *directory && !is_there; directory++) {
		g_autofree char *path = g_build_filename(*directory, file, NULL);
		g_autofree char *problem = NULL; /* ignored: there is no such file */
		gsize length;
		g_autofree char *text =
			strcmp(*directory, admins) != 0 ?
				source_reader_read(reader, path, &length, &problem) :
				NULL;

		is_there = text;
	}
	return is_there;
}

/*
 * If a service has no other main file, the admin's is kept, because a new service without a copy
 * would vanish otherwise.
 */
static void remove_present(SourceReader *reader, const LoaderOptions *options, GHashTable *wrong,
			   GHashTable *overlay)
{
	g_autoptr(GPtrArray) files = last_good_list(reader, SERVICES);

	for (guint i = 0; files && i < files->len; i++) {
		const char *file = g_ptr_array_index(files, i);

		if (last_good_is_wrong(wrong, file) &&
		    (strchr(file, '/') || is_remote(reader, options, file)))
			g_hash_table_insert(
				overlay, g_strconcat(reader->root, SERVICES "/", file, NULL), NULL);
	}
}

static void add_copies(SourceReader *reader, GHashTable *wrong, GHashTable *overlay)
{
	g_autoptr(GPtrArray) files = last_good_list(reader, SERVICE_LAST_GOOD_DIRECTORY);

	for (guint i = 0; files && i < files->len; i++) {
		const char *file = g_ptr_array_index(files, i);

		if (last_good_is_wrong(wrong, file))
			g_hash_table_insert(overlay,
					    g_strconcat(reader->root, SERVICES "/", file, NULL),
					    read_copy(reader, SERVICE_LAST_GOOD_DIRECTORY, file));
	}
}

static void add_services(SourceReader *reader, const LoaderOptions *options, GHashTable *wrong,
			 GHashTable *overlay)
{
	g_autofree char *directory = g_strconcat(reader->root, SERVICE_LAST_GOOD_DIRECTORY, NULL);
	g_autofree char *problem = NULL; /* ignored: there are no copies */
	g_autoptr(GPtrArray) names = source_reader_list(reader, directory, &problem);

	if (!g_ptr_array_find_with_equal_func(names, SERVICE_LAST_GOOD_MARK, g_str_equal, NULL))
		return;
	remove_present(reader, options, wrong, overlay);
	add_copies(reader, wrong, overlay);
}

static void unref_bytes(gpointer data)
{
	g_bytes_unref(data);
}

/*
 * Adds the files that the caller tries out, except those of a service with an error. If such a file
 * were on the disk, its last good version would replace it.
 */
static void add_given(SourceReader *reader, const LoaderOptions *options, GHashTable *wrong,
		      GHashTable *overlay)
{
	g_autofree char *top = g_strconcat(reader->root, SERVICES "/", NULL);
	GHashTableIter iter;
	gpointer path;
	gpointer text;

	if (!options->overlay)
		return;
	g_hash_table_iter_init(&iter, options->overlay);
	while (g_hash_table_iter_next(&iter, &path, &text)) {
		const char *file = g_str_has_prefix(path, top) ? (char *)path + strlen(top) : "";

		if (g_hash_table_contains(overlay, path) ||
		    (strstr(file, SERVICE_SUFFIX) && last_good_is_wrong(wrong, file)))
			continue;
		g_hash_table_insert(overlay, g_strdup(path), text ? g_bytes_ref(text) : NULL);
	}
}

GHashTable *last_good_overlay(const LoaderOptions *options, const Configuration *configuration)
{
	g_autoptr(GHashTable) wrong = last_good_find_wrong(configuration);
	g_autoptr(GHashTable)
		overlay = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, unref_bytes);
	bool has_copies;
	SourceReader reader;

	source_reader_init(&reader, options->root, options->any_owner, 0);
	reader.bundle = options->bundle;
	if (g_hash_table_size(wrong) > 0) {
		add_policies(&reader, wrong, overlay);
		add_services(&reader, options, wrong, overlay);
	}
	has_copies = g_hash_table_size(overlay) > 0;
	if (has_copies)
		add_given(&reader, options, wrong, overlay);
	source_reader_clear(&reader);
	return has_copies ? g_steal_pointer(&overlay) : NULL;
}

bool last_good_drop_useless(const LoaderOptions *options, const Configuration *good,
			    GHashTable *overlay)
{
	g_autoptr(GHashTable) wrong = last_good_find_wrong(good);
	GHashTableIter iter;
	gpointer path;
	bool is_dropped = false;

	g_hash_table_iter_init(&iter, wrong);
	while (g_hash_table_iter_next(&iter, &path, NULL)) {
		GBytes *given = options->overlay ? g_hash_table_lookup(options->overlay, path) :
						   NULL;

		if (!g_hash_table_contains(overlay, path) ||
		    g_hash_table_lookup(overlay, path) == given)
			continue;
		if (given)
			g_hash_table_insert(overlay, g_strdup(path), g_bytes_ref(given));
		else
			g_hash_table_remove(overlay, path);
		is_dropped = true;
	}
	return is_dropped;
}
