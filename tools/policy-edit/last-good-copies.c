/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Last good copies: keeps copies of the admin's policy and service files that have no error
 * (LAST_GOOD_DIRECTORY). If a later version has an error, the copy is used, now and at the next
 * boot.
 */
#include "config.h"

#include <string.h>

#include "base/limits.h"
#include "config/last-good.h"
#include "config/policy-files.h"
#include "policy-edit/atomic-file.h"
#include "policy-edit/policy-edit.h"

typedef struct Saving {
	SourceReader reader;
	AtomicFiles atomic_files;
	GHashTable *wrong; /* last_good_find_wrong() */
} Saving;

static bool is_saved(const AtomicFiles *atomic_files, const char *path, GBytes *text)
{
	g_autoptr(GBytes) saved = NULL;

	return atomic_file_read(atomic_files, path, LIMIT_FILE_BYTES, &saved, NULL) && saved &&
	       g_bytes_equal(saved, text);
}

static bool save(const Saving *s, const char *directory, const char *name, const char *text,
		 size_t length, GError **error)
{
	g_autofree char *path = g_build_filename(directory, name, NULL);
	g_autoptr(GBytes) bytes = g_bytes_new(text, length);

	return is_saved(&s->atomic_files, path, bytes) ||
	       atomic_file_write(&s->atomic_files, path, bytes, FILE_ACCESS_PRIVATE, error);
}

static bool has_name(const GPtrArray *names, const char *name)
{
	return g_ptr_array_find_with_equal_func((GPtrArray *)names, name, g_str_equal, NULL);
}

/* --- policy --- */

static bool has_no_errors(const Saving *s, const PolicyFile *file)
{
	g_autoptr(Policy) policy = policy_new();
	g_autoptr(DiagList) diags = diag_list_new();

	return file->text && !g_hash_table_contains(s->wrong, file->path) &&
	       policy_parse(policy, file->layer, file->path, file->text, file->length, diags);
}

/*
 * Deletes the copies of removed files, because otherwise such a copy would replace a later file of
 * the same name that has an error.
 */
static bool remove_other_policies(const Saving *s, const GPtrArray *present, GError **error)
{
	g_autoptr(GPtrArray)
		copies = atomic_file_list(&s->atomic_files, POLICY_LAST_GOOD_DIRECTORY, error);

	for (guint i = 0; copies && i < copies->len; i++) {
		g_autofree char *path = g_build_filename(POLICY_LAST_GOOD_DIRECTORY,
							 g_ptr_array_index(copies, i), NULL);

		if (!has_name(present, g_ptr_array_index(copies, i)) &&
		    !atomic_file_write(&s->atomic_files, path, NULL, FILE_ACCESS_PRIVATE, error))
			return false;
	}
	return copies;
}

static bool save_policies(Saving *s, const LoaderOptions *options, GError **error)
{
	g_autoptr(DiagList) diags = diag_list_new();
	g_autoptr(GPtrArray) files = policy_files_of_admin(&s->reader, options, diags);
	g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);

	for (guint i = 0; i < files->len; i++) {
		const PolicyFile *file = g_ptr_array_index(files, i);
		char *name = g_path_get_basename(file->path);

		g_ptr_array_add(names, name);
		if (has_no_errors(s, file) &&
		    !save(s, POLICY_LAST_GOOD_DIRECTORY, name, file->text, file->length, error))
			return false;
	}
	/* A file that could not be read may still exist. */
	return diag_list_length(diags) > 0 || remove_other_policies(s, names, error);
}

/* --- services --- */

static bool save_service(Saving *s, const char *file, GError **error)
{
	g_autofree char *path =
		g_strconcat(s->reader.root, SVCD_SYSCONFDIR "/services.d/", file, NULL);
	g_autofree char *problem = NULL;
	gsize length;
	g_autofree char *text = source_reader_read(&s->reader, path, &length, &problem);

	/* Without a bundle, the file may have been removed since it was parsed. */
	return !text || save(s, SERVICE_LAST_GOOD_DIRECTORY, file, text, length, error);
}

/* A service is saved as a whole, because only all its files together are known to have no error. */
static bool save_services(Saving *s, GError **error)
{
	g_autoptr(GPtrArray) present = last_good_list(&s->reader, SVCD_SYSCONFDIR "/services.d");
	g_autoptr(GPtrArray) copies = last_good_list(&s->reader, SERVICE_LAST_GOOD_DIRECTORY);
	bool is_complete = true;

	if (!present || !copies)
		return true;
	for (guint i = 0; i < present->len; i++) {
		const char *file = g_ptr_array_index(present, i);

		is_complete = is_complete && !last_good_is_wrong(s->wrong, file);
		if (!last_good_is_wrong(s->wrong, file) && !save_service(s, file, error))
			return false;
	}
	for (guint i = 0; i < copies->len; i++) {
		const char *file = g_ptr_array_index(copies, i);
		g_autofree char *path = g_build_filename(SERVICE_LAST_GOOD_DIRECTORY, file, NULL);

		if (!has_name(present, file) && !last_good_is_wrong(s->wrong, file) &&
		    !atomic_file_write(&s->atomic_files, path, NULL, FILE_ACCESS_PRIVATE, error))
			return false;
	}
	return !is_complete ||
	       save(s, SERVICE_LAST_GOOD_DIRECTORY, SERVICE_LAST_GOOD_MARK, "", 0, error);
}

bool policy_save_last_good(const char *root, Bundle *bundle, GError **error)
{
	const LoaderOptions options = {
		.root = root, .any_owner = *root != '\0', .without_lines = true, .bundle = bundle
	};
	g_autoptr(Configuration) configuration = configuration_load(&options, NULL);
	g_autoptr(GHashTable) wrong = last_good_find_wrong(configuration);
	Saving s = { .wrong = wrong };
	bool ok;

	source_reader_init(&s.reader, root, options.any_owner, 0);
	s.reader.bundle = bundle;
	atomic_files_init(&s.atomic_files, root);
	ok = atomic_file_make_private(&s.atomic_files, LAST_GOOD_DIRECTORY, error) &&
	     save_policies(&s, &options, error) && save_services(&s, error);
	atomic_files_clear(&s.atomic_files);
	source_reader_clear(&s.reader);
	return ok;
}
