/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Log tail: reads both files whole; they are bounded by their writer.
 */
#include "config.h"

#include "svcctl/log-tail.h"

#include <string.h>

#include "base/fd.h"
#include "base/limits.h"

char *log_path(const char *directory, const char *name)
{
	return g_strdup_printf("%s/%s.log", directory, name);
}

static void add_lines(GPtrArray *lines, const char *path)
{
	/* The writer may go over its limit by the line it is at. */
	g_autoptr(GBytes) bytes = file_read_bounded(path, 4 * LIMIT_LOG_BYTES, NULL);
	gsize length = 0;
	const char *text = bytes ? g_bytes_get_data(bytes, &length) : NULL;

	while (length > 0) {
		const char *end = memchr(text, '\n', length);
		const gsize line = end ? (gsize)(end - text) : length;

		g_ptr_array_add(lines, g_strndup(text, line));
		length -= MIN(length, line + 1);
		text += line + 1;
	}
}

GPtrArray *log_tail(const char *directory, const char *name, unsigned n)
{
	GPtrArray *lines = g_ptr_array_new_with_free_func(g_free);
	g_autofree char *path = log_path(directory, name);
	g_autofree char *older = g_strconcat(path, ".1", NULL);

	add_lines(lines, older);
	add_lines(lines, path);
	if (lines->len > n)
		g_ptr_array_remove_range(lines, 0, lines->len - n);
	return lines;
}
