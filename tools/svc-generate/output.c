/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Output: see output.h.
 */
#include "config.h"

#include "svc-generate/output.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/errors.h"
#include "base/fd.h"
#include "base/limits.h"

struct Output {
	GHashTable *files; /* name -> GString */
};

static void free_text(gpointer data)
{
	g_string_free(data, TRUE);
}

Output *output_new(void)
{
	Output *output = g_new0(Output, 1);

	output->files = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_text);
	return output;
}

GString *output_file(Output *output, const char *name, const char *from)
{
	GString *text = g_hash_table_lookup(output->files, name);

	if (!text) {
		text = g_string_new(NULL);
		g_string_append_printf(text, OUTPUT_MARK " from %s; changes are lost.\n", from);
		g_hash_table_insert(output->files, g_strdup(name), text);
	}
	return text;
}

bool output_has(const Output *output, const char *name)
{
	return g_hash_table_contains(output->files, name);
}

/* Is this what @path holds? */
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

	return old && size >= strlen(OUTPUT_MARK) && memcmp(data, OUTPUT_MARK, strlen(OUTPUT_MARK)) == 0;
}

static bool remove_stale(const Output *output, const char *directory, GError **error)
{
	g_autoptr(GDir) dir = g_dir_open(directory, 0, error);
	const char *name;

	if (!dir)
		return false;
	while ((name = g_dir_read_name(dir)) != NULL) {
		g_autofree char *path = g_build_filename(directory, name, NULL);

		if (g_hash_table_contains(output->files, name) || !is_ours(path))
			continue;
		if (unlink(path) < 0 && errno != ENOENT)
			return fail_errno(error, errno, "cannot remove %s", path);
	}
	return true;
}

bool output_write(const Output *output, const char *directory, GError **error)
{
	GHashTableIter iter;
	gpointer name;
	gpointer text;

	if (!directory_ensure(directory, error))
		return false;
	g_hash_table_iter_init(&iter, output->files);
	while (g_hash_table_iter_next(&iter, &name, &text)) {
		g_autofree char *path = g_build_filename(directory, name, NULL);

		if (!is_unchanged(path, text) && !file_replace(path, ((GString *)text)->str, 0644, error))
			return false;
	}
	return remove_stale(output, directory, error);
}

void output_free(Output *output)
{
	if (!output)
		return;
	g_hash_table_unref(output->files);
	g_free(output);
}
