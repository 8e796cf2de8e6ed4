/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Last good: copies of the admin's policy files that have no errors (POLICY_LAST_GOOD_DIRECTORY). A later version of a file that has an error
 * stops no service that way, neither now nor at the next boot.
 */
#include "config.h"

#include <string.h>

#include "base/limits.h"
#include "config/policy-files.h"
#include "policy-edit/durable.h"
#include "policy-edit/policy-edit.h"

static bool has_no_errors(const PolicyFile *file)
{
	g_autoptr(Policy) policy = policy_new();
	g_autoptr(DiagList) diags = diag_list_new();

	return file->text && policy_parse(policy, file->layer, file->path, file->text, file->length, diags);
}

static bool is_saved(const Durable *durable, const char *path, GBytes *text)
{
	g_autoptr(GBytes) saved = NULL;

	return durable_read(durable, path, LIMIT_FILE_BYTES, &saved, NULL) && saved && g_bytes_equal(saved, text);
}

static bool save(const Durable *durable, const PolicyFile *file, GError **error)
{
	g_autofree char *base = g_path_get_basename(file->path);
	g_autofree char *path = g_build_filename(POLICY_LAST_GOOD_DIRECTORY, base, NULL);
	g_autoptr(GBytes) text = g_bytes_new(file->text, file->length);

	return is_saved(durable, path, text) || durable_write(durable, path, text, FILE_ACCESS_PRIVATE, error);
}

/* A file that the admin has removed is to have no copy that a later one of that name would get. */
static bool remove_others(const Durable *durable, const GPtrArray *files, GError **error)
{
	g_autoptr(GPtrArray) names = durable_list(durable, POLICY_LAST_GOOD_DIRECTORY, error);

	for (guint i = 0; names && i < names->len; i++) {
		const char *name = g_ptr_array_index(names, i);
		g_autofree char *path = g_build_filename(POLICY_LAST_GOOD_DIRECTORY, name, NULL);
		bool is_there = false;

		for (guint j = 0; j < files->len && !is_there; j++) {
			g_autofree char *base = g_path_get_basename(((const PolicyFile *)g_ptr_array_index(files, j))->path);

			is_there = strcmp(base, name) == 0;
		}
		if (!is_there && !durable_write(durable, path, NULL, FILE_ACCESS_PRIVATE, error))
			return false;
	}
	return names;
}

bool policy_save_last_good(const char *root, GError **error)
{
	const LoaderOptions options = { .root = root, .any_owner = *root != '\0' };
	g_autoptr(DiagList) diags = diag_list_new();
	g_autoptr(GPtrArray) files = NULL;
	SourceReader reader;
	Durable durable;
	bool ok = true;

	source_reader_init(&reader, root, options.any_owner, 0);
	files = policy_files_of_admin(&reader, &options, diags);
	source_reader_clear(&reader);
	durable_init(&durable, root);
	if (files->len > 0)
		ok = durable_make_private(&durable, POLICY_LAST_GOOD_DIRECTORY, error);
	for (guint i = 0; ok && i < files->len; i++) {
		if (has_no_errors(g_ptr_array_index(files, i)))
			ok = save(&durable, g_ptr_array_index(files, i), error);
	}
	/* What could not be read may be there. */
	if (ok && diag_list_length(diags) == 0)
		ok = remove_others(&durable, files, error);
	durable_clear(&durable);
	return ok;
}
