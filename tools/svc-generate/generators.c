/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Generators: see generators.h.
 */
#include "config.h"

#include "svc-generate/generators.h"

#include <string.h>
#include <unistd.h>

#define SUFFIX ".generate"

static void add_files(Generated *g, const char *text, const char *source)
{
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
	GString *file = NULL;

	for (char **line = lines; *line; line++) {
		if (**line == '>')
			file = generated_file(g, *line + 1, source);
		else if (file && **line)
			g_string_append_printf(file, "%s\n", *line);
	}
}

static void add_errors(Generated *g, const char *text, const char *source)
{
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

	for (char **line = lines; *line; line++) {
		if (**line)
			diag_error(g->diags, origin_new(source, 0), NULL, "%s", *line);
	}
}

static void run(Generated *g, const char *script, const char *source)
{
	char *argv[] = { (char *)script, g->root, NULL };
	g_autofree char *text = NULL;
	g_autofree char *errors = NULL;
	g_autoptr(GError) error = NULL;
	int status;

	if (!g_spawn_sync(NULL, argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &text, &errors, &status,
			  &error) ||
	    !g_spawn_check_wait_status(status, &error))
		diag_error(g->diags, origin_new(source, 0), NULL, "%s: %s", script, error->message);
	if (text)
		add_files(g, text, source);
	if (errors)
		add_errors(g, errors, source);
}

void generators_run(Generated *g, const char *directory)
{
	g_autoptr(GDir) dir = g_dir_open(directory, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir)) != NULL) {
		g_autofree char *script = g_build_filename(directory, name, NULL);
		g_autofree char *source = g_strdup_printf("%s/etc/%s", g->root, name);

		if (!g_str_has_suffix(name, SUFFIX))
			continue;
		source[strlen(source) - strlen(SUFFIX)] = '\0';
		if (g->bundle)
			bundle_begin(g->bundle, source);
		if (access(source, F_OK) == 0)
			run(g, script, source);
	}
}
