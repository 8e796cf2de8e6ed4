/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Generated files: see generated-files.h.
 */
#include "config.h"

#include "svc-generate/generated-files.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/errors.h"
#include "base/fd.h"
#include "base/limits.h"

#define DROP_INS ".svc.d"

struct GeneratedFiles {
	GHashTable *files; /* name -> GString */
};

static void free_text(gpointer data)
{
	g_string_free(data, TRUE);
}

GeneratedFiles *generated_files_new(void)
{
	GeneratedFiles *output = g_new0(GeneratedFiles, 1);

	output->files = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_text);
	return output;
}

GString *generated_files_add(GeneratedFiles *output, const char *name, const char *from)
{
	GString *text = g_hash_table_lookup(output->files, name);

	if (!text) {
		text = g_string_new(NULL);
		g_string_append_printf(text, OUTPUT_MARK " from %s; changes are lost.\n", from);
		g_hash_table_insert(output->files, g_strdup(name), text);
	}
	return text;
}

bool generated_files_has(const GeneratedFiles *output, const char *name)
{
	return g_hash_table_contains(output->files, name);
}

/* Does @path contain this text? */
static bool is_unchanged(const char *path, const GString *text)
{
	g_autoptr(GBytes) old = file_read_bounded(path, LIMIT_FILE_BYTES, NULL);
	size_t size;
	const void *data = old ? g_bytes_get_data(old, &size) : NULL;

	return old && size == text->len && (size == 0 || memcmp(data, text->str, size) == 0);
}

static bool is_ours(const char *path)
{
	g_autoptr(GBytes) old = file_read_bounded(path, LIMIT_FILE_BYTES, NULL);
	size_t size;
	const char *data = old ? g_bytes_get_data(old, &size) : NULL;

	return old && size >= strlen(OUTPUT_MARK) &&
	       memcmp(data, OUTPUT_MARK, strlen(OUTPUT_MARK)) == 0;
}

/* Adds stale files in @directory; @below: its name and "/" if it contains drop-ins, else "". */
static bool add_stale(const GeneratedFiles *output, const char *directory, const char *below,
		      GPtrArray *stale, GError **error)
{
	g_autoptr(GDir) dir = g_dir_open(directory, 0, error);
	const char *entry;

	if (!dir)
		return false;
	while ((entry = g_dir_read_name(dir)) != NULL) {
		g_autofree char *name = g_strconcat(below, entry, NULL);
		g_autofree char *path = g_build_filename(directory, entry, NULL);
		g_autofree char *inner = g_strconcat(name, "/", NULL);

		if (!*below && g_str_has_suffix(name, DROP_INS)) {
			if (!add_stale(output, path, inner, stale, error))
				return false;
		} else if (!g_hash_table_contains(output->files, name) && is_ours(path)) {
			g_ptr_array_add(stale, g_steal_pointer(&path));
		}
	}
	return true;
}

/*
 * Paths of files that an earlier run has made and this one has not; NULL with @error if @directory
 * cannot be read.
 */
static GPtrArray *list_stale(const GeneratedFiles *output, const char *directory, GError **error)
{
	g_autoptr(GPtrArray) stale = g_ptr_array_new_with_free_func(g_free);

	return add_stale(output, directory, "", stale, error) ? g_steal_pointer(&stale) : NULL;
}

static bool remove_stale(const GeneratedFiles *output, const char *directory, GError **error)
{
	g_autoptr(GPtrArray) stale = list_stale(output, directory, error);

	for (guint i = 0; stale && i < stale->len; i++) {
		const char *path = g_ptr_array_index(stale, i);

		if (unlink(path) < 0 && errno != ENOENT)
			return fail_errno(error, errno, "cannot remove %s", path);
	}
	return stale != NULL;
}

/* Makes its directory if it is missing. */
static bool write_file(const char *path, const GString *text, GError **error)
{
	g_autofree char *parent = g_path_get_dirname(path);

	return is_unchanged(path, text) ||
	       (directory_ensure(parent, error) && file_replace(path, text->str, 0644, error));
}

bool generated_files_write(const GeneratedFiles *output, const char *directory, GError **error)
{
	GHashTableIter iter;
	gpointer name;
	gpointer text;

	if (!directory_ensure(directory, error))
		return false;
	g_hash_table_iter_init(&iter, output->files);
	while (g_hash_table_iter_next(&iter, &name, &text)) {
		g_autofree char *path = g_build_filename(directory, name, NULL);

		if (!write_file(path, text, error))
			return false;
	}
	return remove_stale(output, directory, error);
}

void output_overlay(const GeneratedFiles *output, const char *directory, GHashTable *overlay)
{
	/* without the directory there are no stale files */
	g_autoptr(GPtrArray) stale = list_stale(output, directory, NULL);
	GHashTableIter iter;
	gpointer name;
	gpointer text;

	for (guint i = 0; stale && i < stale->len; i++)
		g_hash_table_insert(overlay, g_strdup(g_ptr_array_index(stale, i)), NULL);
	g_hash_table_iter_init(&iter, output->files);
	while (g_hash_table_iter_next(&iter, &name, &text)) {
		const GString *string = text;

		g_hash_table_insert(overlay, g_build_filename(directory, name, NULL),
				    g_bytes_new(string->str, string->len));
	}
}

void generated_files_free(GeneratedFiles *output)
{
	if (!output)
		return;
	g_hash_table_unref(output->files);
	g_free(output);
}
