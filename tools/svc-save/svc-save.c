/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * svc-save: replaces the content of a file, or keeps the old content.
 *
 * 	svc-save FILE    writes standard input to FILE; makes its directory if it is missing
 *
 * It is a separate program, because a disk may block its writer, and the manager must not wait.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/errors.h"
#include "base/fd.h"
#include "base/limits.h"

/* Reads the text up to the end of file. Refuses a NUL byte, because it would truncate the text. */
static char *read_input(GError **error)
{
	g_autoptr(GBytes) bytes =
		fd_read_bounded(STDIN_FILENO, LIMIT_DURATIONS_BYTES, "standard input", error);
	g_autofree char *text = NULL;

	if (!bytes)
		return NULL;
	text = g_strndup(g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes));
	if (strlen(text) != g_bytes_get_size(bytes)) {
		fail(error, SVCD_ERROR_INVALID_ARGUMENT, "standard input contains a NUL byte");
		return NULL;
	}
	return g_steal_pointer(&text);
}

static bool save(const char *file, GError **error)
{
	g_autofree char *text = read_input(error);
	g_autofree char *directory = g_path_get_dirname(file);

	return text && directory_ensure(directory, error) && file_replace(file, text, 0644, error);
}

int main(int argc, char **argv)
{
	g_autoptr(GError) error = NULL;

	if (argc != 2 || argv[1][0] != '/') {
		(void)fprintf(stderr, "usage: svc-save FILE\n");
		return 2;
	}
	if (save(argv[1], &error))
		return EXIT_SUCCESS;
	(void)fprintf(stderr, "svc-save: %s\n", error->message);
	return EXIT_FAILURE;
}
