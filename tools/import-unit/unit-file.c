/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Unit file: joins lines, then splits them at the first "=".
 */
#include "config.h"

#include "import-unit/unit-file.h"

#include <string.h>

typedef struct Reader {
	GPtrArray *lines; /* UnitLine * */
	DiagList *diags;
	const char *file;
	char *section; /* NULL before the first one */
} Reader;

static void unit_line_free(gpointer data)
{
	UnitLine *line = data;

	g_free(line->section);
	g_free(line->key);
	g_free(line->value);
	g_free(line);
}

static void read_section(Reader *reader, const char *text, Origin origin)
{
	const size_t length = strlen(text);

	if (length < 3 || text[length - 1] != ']') {
		diag_error(reader->diags, origin, NULL, "\"%s\" is not a section; write [NAME]",
			   text);
		return;
	}
	g_free(reader->section);
	reader->section = g_strndup(text + 1, length - 2);
}

static void read_setting(Reader *reader, const char *text, Origin origin)
{
	const char *equals = strchr(text, '=');
	UnitLine *line;

	if (!equals || equals == text || !reader->section) {
		diag_error(reader->diags, origin, NULL, "\"%s\" is not a setting %s", text,
			   reader->section ? "of the form KEY=VALUE" : "in a section");
		return;
	}
	line = g_new0(UnitLine, 1);
	line->origin = origin;
	line->section = g_strdup(reader->section);
	line->key = g_strchomp(g_strndup(text, (gsize)(equals - text)));
	line->value = g_strstrip(g_strdup(equals + 1));
	g_ptr_array_add(reader->lines, line);
}

static void read_logical_line(Reader *reader, const char *joined, unsigned number)
{
	g_autofree char *text = g_strstrip(g_strdup(joined));
	const Origin origin = origin_new(reader->file, number);

	if (*text == '\0')
		return;
	if (*text == '[')
		read_section(reader, text, origin);
	else
		read_setting(reader, text, origin);
}

static bool is_comment(const char *line)
{
	while (g_ascii_isspace(*line))
		line++;
	return *line == '#' || *line == ';';
}

static bool is_continued(const char *line)
{
	const size_t length = strlen(line);

	return length > 0 && line[length - 1] == '\\';
}

/* A comment between a line and its continuation is skipped. */
static void read_lines(Reader *reader, char **physical)
{
	g_autoptr(GString) joined = g_string_new(NULL);
	unsigned first = 0;

	for (unsigned i = 0; physical[i]; i++) {
		char *line = g_strchomp(physical[i]);
		const bool goes_on = is_continued(line);

		if (is_comment(line))
			continue;
		if (joined->len == 0)
			first = i + 1;
		if (goes_on)
			line[strlen(line) - 1] = ' ';
		g_string_append(joined, line);
		if (goes_on)
			continue;
		read_logical_line(reader, joined->str, first);
		g_string_truncate(joined, 0);
	}
	read_logical_line(reader, joined->str, first);
}

GPtrArray *unit_file_read(const char *file, const char *text, gsize length, DiagList *diags)
{
	Reader reader = { .lines = g_ptr_array_new_with_free_func(unit_line_free),
			  .diags = diags,
			  .file = file };

	if (memchr(text, '\0', length) || !g_utf8_validate(text, (gssize)length, NULL)) {
		diag_error(diags, origin_new(file, 0), NULL, "this is not UTF-8 text");
	} else {
		g_auto(GStrv) physical = g_strsplit(text, "\n", -1);

		read_lines(&reader, physical);
	}
	g_free(reader.section);
	return reader.lines;
}

const char *unit_file_last(const GPtrArray *lines, const char *section, const char *key)
{
	for (guint i = lines->len; i > 0; i--) {
		const UnitLine *line = g_ptr_array_index(lines, i - 1);

		if (strcmp(line->key, key) == 0 && strcmp(line->section, section) == 0)
			return *line->value ? line->value : NULL;
	}
	return NULL;
}
