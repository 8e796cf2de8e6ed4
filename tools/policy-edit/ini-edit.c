/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * INI edit: the file's own reader (model/ini-source) finds the meaning of the lines, and the edit
 * works on whole lines.
 */
#include "config.h"

#include "policy-edit/ini-edit.h"

#include <string.h>

#include "base/errors.h"
#include "base/limits.h"
#include "model/ini-source.h"

typedef struct IniEdit {
	/* char *, owned, without newlines; NULL: removed. Line N is at index N - 1 */
	GPtrArray *lines;
	Arena *arena; /* of @ini */
	const IniFile *ini;
	const char *section;
} IniEdit;

static void ini_edit_clear(IniEdit *edit)
{
	g_clear_pointer(&edit->lines, g_ptr_array_unref);
	g_clear_pointer(&edit->arena, arena_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(IniEdit, ini_edit_clear)

/*
 * Reads @text into @arena. Fails with the reader's first error, because the admin must correct the
 * file by hand before it is edited.
 */
static const IniFile *read_sound(Arena *arena, const char *file, const char *text, gsize length,
				 GError **error)
{
	g_autoptr(DiagList) diags = diag_list_new();
	const IniFile *ini = ini_file_read(arena, file, text, length, NULL, diags);
	g_autofree char *message = ini->broken ? diag_format(diag_list_get(diags, 0)) : NULL;

	if (message)
		fail(error, SVCD_ERROR_INVALID_CONFIGURATION,
		     "%s; nothing was changed in %s, correct that line first", message, file);
	return message ? NULL : ini;
}

static bool ini_edit_begin(IniEdit *edit, const char *file, GBytes *bytes, const char *section,
			   GError **error)
{
	gsize length = 0;
	const char *text = bytes ? g_bytes_get_data(bytes, &length) : NULL;

	if (!text || length == 0) {
		text = INI_EDIT_HEAD;
		length = strlen(text);
	}
	edit->section = section;
	edit->lines = g_ptr_array_new_with_free_func(g_free);
	edit->arena = arena_new();
	if (length > LIMIT_FILE_BYTES)
		return fail(error, SVCD_ERROR_LIMIT_REACHED,
			    "%s is longer than %d bytes; nothing was changed", file,
			    LIMIT_FILE_BYTES);
	if (text[length - 1] != '\n')
		return fail(error, SVCD_ERROR_INVALID_CONFIGURATION,
			    "%s: there is no newline at the end; add one; nothing was "
			    "changed",
			    file);
	edit->ini = read_sound(edit->arena, file, text, length, error);
	for (const char *p = text; edit->ini && p < text + length;) {
		const char *newline = memchr(p, '\n', (size_t)(text + length - p));

		g_ptr_array_add(edit->lines, g_strndup(p, (gsize)(newline - p)));
		p = newline + 1;
	}
	return edit->ini != NULL;
}

/* Replaces *@text with the lines, if the reader accepts them. */
static bool ini_edit_end(const IniEdit *edit, const char *file, GBytes **text, GError **error)
{
	g_autoptr(GString) joined = g_string_new(NULL);
	g_autoptr(Arena) arena = arena_new();

	for (guint i = 0; i < edit->lines->len; i++) {
		if (g_ptr_array_index(edit->lines, i))
			g_string_append_printf(joined, "%s\n",
					       (char *)g_ptr_array_index(edit->lines, i));
	}
	if (joined->len > LIMIT_FILE_BYTES)
		return fail(error, SVCD_ERROR_LIMIT_REACHED,
			    "%s would become longer than %d bytes; nothing was changed", file,
			    LIMIT_FILE_BYTES);
	if (!read_sound(arena, file, joined->str, joined->len, error))
		return false;
	g_clear_pointer(text, g_bytes_unref);
	*text = g_string_free_to_bytes(g_steal_pointer(&joined));
	return true;
}

static char **line_at(const IniEdit *edit, unsigned line)
{
	return (char **)&g_ptr_array_index(edit->lines, line - 1);
}

static void take_out(const IniEdit *edit, unsigned line)
{
	g_free(*line_at(edit, line));
	*line_at(edit, line) = NULL;
}

static bool is_comment(const IniEdit *edit, unsigned line)
{
	const char *text = line <= edit->lines->len ? *line_at(edit, line) : NULL;

	return text && *text == '#';
}

static bool is_blank(const IniEdit *edit, unsigned line)
{
	const char *text = *line_at(edit, line);

	return text && !text[strspn(text, " \t\v\f")];
}

/* "[service  ssh]" is [service ssh]: the reader of policy splits at blanks. */
static bool is_section(const char *name, const char *wanted)
{
	while (*name && *wanted) {
		if (g_ascii_isspace(*name) && g_ascii_isspace(*wanted)) {
			name += strspn(name, " \t\f");
			wanted += strspn(wanted, " \t\f");
		} else if (*name++ != *wanted++) {
			return false;
		}
	}
	return !*name && !*wanted;
}

/*
 * The last line of the last entry of this [section], or the section's own line if it has no entry.
 */
static unsigned section_last_line(const IniEdit *edit, const IniSection *section)
{
	unsigned line = section->line;

	for (const IniEntry *entry = edit->ini->entries; entry; entry = entry->next) {
		for (const IniPart *part = &entry->first; entry->section == section && part;
		     part = part->next)
			line = part->line;
	}
	return line;
}

/* Does @section have entries, and are they all of @key? */
static bool section_has_only(const IniEdit *edit, const IniSection *section, const char *key)
{
	bool has = false;

	for (const IniEntry *entry = edit->ini->entries; entry; entry = entry->next) {
		if (entry->section == section && strcmp(entry->key, key) != 0)
			return false;
		has |= entry->section == section;
	}
	return has;
}

/*
 * Are there comments among the lines of @section or directly below them? A comment after an empty
 * line belongs to the following section.
 */
static bool section_has_comments(const IniEdit *edit, const IniSection *section)
{
	const unsigned last = section_last_line(edit, section);

	for (unsigned line = section->line; line <= last; line++) {
		if (is_comment(edit, line))
			return true;
	}
	return is_comment(edit, last + 1);
}

/*
 * Removes the line of @section, its entries, and the empty line above (or below, if the section is
 * the first in the file).
 */
static void take_out_section(const IniEdit *edit, const IniSection *section)
{
	unsigned last = section_last_line(edit, section);

	while (is_comment(edit, last + 1))
		last++;
	for (unsigned line = section->line; line <= last; line++)
		take_out(edit, line);
	if (section->line > 1 && is_blank(edit, section->line - 1))
		take_out(edit, section->line - 1);
	else if (section->line == 1 && last < edit->lines->len && is_blank(edit, last + 1))
		take_out(edit, last + 1);
}

/*
 * Removes all lines of @key.
 * Returns: the line number of the first, 0 if there was none.
 */
static unsigned take_out_key(const IniEdit *edit, const char *key)
{
	unsigned first = 0;

	for (const IniEntry *entry = edit->ini->entries; entry; entry = entry->next) {
		if (!is_section(entry->section->name, edit->section) ||
		    strcmp(entry->key, key) != 0)
			continue;
		if (!first)
			first = entry->first.line;
		for (const IniPart *part = &entry->first; part; part = part->next)
			take_out(edit, part->line);
	}
	return first;
}

static void add_line(const IniEdit *edit, const char *key, const char *value)
{
	const IniSection *section = edit->ini->sections;
	unsigned last;

	while (section && !is_section(section->name, edit->section))
		section = section->next;
	if (!section) {
		/*
		 * An empty line is added even below another one, so that a removal deletes exactly
		 * the added lines.
		 */
		g_ptr_array_add(edit->lines, g_strdup(""));
		g_ptr_array_add(edit->lines, g_strdup_printf("[%s]", edit->section));
		g_ptr_array_add(edit->lines, g_strdup_printf("%s=%s", key, value));
		return;
	}
	last = section_last_line(edit, section);
	if (last == section->line) {
		while (is_comment(edit, last + 1))
			last++;
	}
	g_ptr_array_insert(edit->lines, (gint)last, g_strdup_printf("%s=%s", key, value));
}

/* Returns: was there a line to remove? */
static bool unset_key(const IniEdit *edit, const char *key)
{
	bool found = false;

	for (const IniSection *section = edit->ini->sections; section; section = section->next) {
		if (!is_section(section->name, edit->section) ||
		    !section_has_only(edit, section, key) || section_has_comments(edit, section))
			continue;
		take_out_section(edit, section);
		found = true;
	}
	return take_out_key(edit, key) != 0 || found;
}

static bool check_token(const char *what, const char *text, gsize max, const char *forbidden,
			GError **error)
{
	const char *place;

	if (!g_utf8_validate(text, -1, &place))
		return fail(error, SVCD_ERROR_INVALID_ARGUMENT, "%s is not UTF-8", what);
	for (place = text; *place; place++) {
		if (((guchar)*place < ' ' && *place != '\t') || *place == 0x7f ||
		    strchr(forbidden, *place) != NULL)
			return fail(error, SVCD_ERROR_INVALID_ARGUMENT,
				    "%s may not contain the byte 0x%02x", what, (guchar)*place);
	}
	if ((gsize)(place - text) > max)
		return fail(error, SVCD_ERROR_LIMIT_REACHED, "%s is longer than %zu bytes", what,
			    max);
	return true;
}

static bool check_arguments(const char *section, const char *key, const char *value, GError **error)
{
	if (!*section)
		return fail(error, SVCD_ERROR_INVALID_ARGUMENT, "no section is named");
	if (!key || !*key || key[strspn(key, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "-_")])
		return fail(error, SVCD_ERROR_INVALID_ARGUMENT, "\"%s\" is not the name of a key",
			    key ? key : "");
	return check_token("the name of the section", section, LIMIT_NAME_BYTES + 16, "[]#",
			   error) &&
	       (!value || check_token("the value", value, LIMIT_LINE_BYTES, "", error));
}

bool ini_edit_set(const char *file, GBytes **text, const char *section, const char *key,
		  const char *value, GError **error)
{
	g_auto(IniEdit) edit = { 0 };
	g_autofree char *stripped = value ? g_strstrip(g_strdup(value)) : NULL;
	unsigned first;

	if (!check_arguments(section, key, stripped, error) ||
	    !ini_edit_begin(&edit, file, *text, section, error))
		return false;
	if (!stripped && !unset_key(&edit, key))
		return true;
	first = stripped ? take_out_key(&edit, key) : 0;
	if (first)
		*line_at(&edit, first) = g_strdup_printf("%s=%s", key, stripped);
	else if (stripped)
		add_line(&edit, key, stripped);
	return ini_edit_end(&edit, file, text, error);
}

bool ini_edit_add(const char *file, GBytes **text, const char *section, const char *key,
		  const char *value, GError **error)
{
	g_auto(IniEdit) edit = { 0 };
	g_autofree char *stripped = g_strstrip(g_strdup(value));

	if (!check_arguments(section, key, stripped, error) ||
	    !ini_edit_begin(&edit, file, *text, section, error))
		return false;
	add_line(&edit, key, stripped);
	return ini_edit_end(&edit, file, text, error);
}

bool ini_edit_remove_section(const char *file, GBytes **text, const char *section, GError **error)
{
	g_auto(IniEdit) edit = { 0 };
	bool found = false;

	if (!ini_edit_begin(&edit, file, *text, section, error))
		return false;
	for (const IniSection *it = edit.ini->sections; it; it = it->next) {
		if (is_section(it->name, section)) {
			take_out_section(&edit, it);
			found = true;
		}
	}
	return !found || ini_edit_end(&edit, file, text, error);
}

bool ini_edit_is_bare(GBytes *text)
{
	g_autoptr(GBytes) head = g_bytes_new_static(INI_EDIT_HEAD, strlen(INI_EDIT_HEAD));

	return g_bytes_equal(text, head);
}
