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
	GPtrArray *lines; /* char *, owned, without newlines; NULL: removed. Line N is at index N - 1 */
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

static bool check_text(const char *file, const char *text, gsize length, GError **error)
{
	if (length > LIMIT_FILE_BYTES)
		return fail(error, SVCD_ERROR_LIMIT_REACHED, "%s is longer than %d bytes; nothing was changed", file,
			    LIMIT_FILE_BYTES);
	if (length > 0 && text[length - 1] != '\n')
		return fail(error, SVCD_ERROR_INVALID_CONFIGURATION,
			    "%s: the last line does not end; add a newline there; nothing was changed", file);
	return true;
}

/*
 * Fails with the reader's first error, because the admin must correct the file by hand before it is
 * edited.
 */
static bool check_sound(const char *file, const IniFile *ini, const DiagList *diags, GError **error)
{
	g_autofree char *said = ini->broken ? diag_format(diag_list_get(diags, 0)) : NULL;

	if (said)
		return fail(error, SVCD_ERROR_INVALID_CONFIGURATION,
			    "%s; nothing was changed in %s, correct that line first", said, file);
	return true;
}

static bool ini_edit_begin(IniEdit *edit, const char *file, GBytes *bytes, const char *section, GError **error)
{
	gsize length = 0;
	const char *text = bytes ? g_bytes_get_data(bytes, &length) : NULL;
	g_autoptr(DiagList) diags = diag_list_new();

	if (!text || length == 0) {
		text = INI_EDIT_HEAD;
		length = strlen(text);
	}
	edit->section = section;
	edit->lines = g_ptr_array_new_with_free_func(g_free);
	if (!check_text(file, text, length, error))
		return false;
	edit->arena = arena_new();
	edit->ini = ini_file_read(edit->arena, file, text, length, NULL, diags);
	if (!check_sound(file, edit->ini, diags, error))
		return false;
	for (const char *p = text; p < text + length;) {
		const char *newline = memchr(p, '\n', (size_t)(text + length - p));

		g_ptr_array_add(edit->lines, g_strndup(p, (gsize)(newline - p)));
		p = newline + 1;
	}
	return true;
}

static GBytes *join_lines(const IniEdit *edit)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < edit->lines->len; i++) {
		if (g_ptr_array_index(edit->lines, i))
			g_string_append_printf(text, "%s\n", (char *)g_ptr_array_index(edit->lines, i));
	}
	return g_string_free_to_bytes(text);
}

/* Replaces *@text by the lines, if the reader accepts them. */
static bool ini_edit_end(const IniEdit *edit, const char *file, GBytes **text, GError **error)
{
	g_autoptr(GBytes) bytes = join_lines(edit);
	g_autoptr(DiagList) diags = diag_list_new();
	g_autoptr(Arena) arena = arena_new();
	const IniFile *ini;
	gsize length;
	const char *data = g_bytes_get_data(bytes, &length);

	if (length > LIMIT_FILE_BYTES)
		return fail(error, SVCD_ERROR_LIMIT_REACHED,
			    "%s would become longer than %d bytes; nothing was changed", file, LIMIT_FILE_BYTES);
	ini = ini_file_read(arena, file, data, length, NULL, diags);
	if (!check_sound(file, ini, diags, error))
		return false;
	g_clear_pointer(text, g_bytes_unref);
	*text = g_steal_pointer(&bytes);
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

static unsigned entry_last_line(const IniEntry *entry)
{
	const IniPart *last = &entry->first;

	while (last->next)
		last = last->next;
	return last->line;
}

/*
 * The last line of the last entry of this [section], or the section's own line if it has no entry.
 */
static unsigned section_last_line(const IniEdit *edit, const IniSection *section)
{
	unsigned line = section->line;

	for (const IniEntry *entry = edit->ini->entries; entry; entry = entry->next) {
		if (entry->section == section)
			line = entry_last_line(entry);
	}
	return line;
}

static bool section_has_entries(const IniEdit *edit, const IniSection *section, const char *but_key)
{
	for (const IniEntry *entry = edit->ini->entries; entry; entry = entry->next) {
		if (entry->section == section && !(but_key && strcmp(entry->key, but_key) == 0))
			return true;
	}
	return false;
}

/*
 * Are there comments among its lines or directly below them? After an empty line they belong to the
 * following section.
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
 * Removes its line, its entries, and the empty line above (or below, if it is the first in the
 * file).
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

static void take_out_entry(const IniEdit *edit, const IniEntry *entry)
{
	for (const IniPart *part = &entry->first; part; part = part->next)
		take_out(edit, part->line);
}

/*
 * Removes all lines of @key.
 * Returns: the line number of the first, 0 if there was none.
 */
static unsigned take_out_key(const IniEdit *edit, const char *key)
{
	unsigned first = 0;

	for (const IniEntry *entry = edit->ini->entries; entry; entry = entry->next) {
		if (!is_section(entry->section->name, edit->section) || strcmp(entry->key, key) != 0)
			continue;
		if (!first)
			first = entry->first.line;
		take_out_entry(edit, entry);
	}
	return first;
}

static const IniSection *find_section(const IniEdit *edit)
{
	for (const IniSection *section = edit->ini->sections; section; section = section->next) {
		if (is_section(section->name, edit->section))
			return section;
	}
	return NULL;
}

static void add_line(const IniEdit *edit, const char *key, const char *value)
{
	const IniSection *section = find_section(edit);
	unsigned last;

	if (!section) {
		/*
		 * Always one empty line, even below another, so that a removal deletes exactly the
		 * added lines.
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

static void set_key(const IniEdit *edit, const char *key, const char *value)
{
	const unsigned first = take_out_key(edit, key);

	if (first)
		*line_at(edit, first) = g_strdup_printf("%s=%s", key, value);
	else
		add_line(edit, key, value);
}

/* Returns: was there a line to remove? */
static bool unset_key(const IniEdit *edit, const char *key)
{
	bool found = false;

	for (const IniSection *section = edit->ini->sections; section; section = section->next) {
		if (!is_section(section->name, edit->section) || !section_has_entries(edit, section, NULL) ||
		    section_has_entries(edit, section, key) || section_has_comments(edit, section))
			continue;
		take_out_section(edit, section);
		found = true;
	}
	return take_out_key(edit, key) != 0 || found;
}

static bool check_word(const char *what, const char *text, gsize max, const char *forbidden, GError **error)
{
	const char *place;

	if (!g_utf8_validate(text, -1, &place))
		return fail(error, SVCD_ERROR_INVALID_ARGUMENT, "%s is not UTF-8", what);
	for (place = text; *place; place++) {
		if (((guchar)*place < ' ' && *place != '\t') || *place == 0x7f || strchr(forbidden, *place) != NULL)
			return fail(error, SVCD_ERROR_INVALID_ARGUMENT, "%s may not contain the byte 0x%02x", what,
				    (guchar)*place);
	}
	if ((gsize)(place - text) > max)
		return fail(error, SVCD_ERROR_LIMIT_REACHED, "%s is longer than %zu bytes", what, max);
	return true;
}

static bool check_arguments(const char *section, const char *key, const char *value, GError **error)
{
	if (!*section)
		return fail(error, SVCD_ERROR_INVALID_ARGUMENT, "no section is named");
	if (!key || !*key || key[strspn(key, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "-_")])
		return fail(error, SVCD_ERROR_INVALID_ARGUMENT, "\"%s\" is not the name of a key", key ? key : "");
	return check_word("the name of the section", section, LIMIT_NAME_BYTES + 16, "[]#", error) &&
	       (!value || check_word("the value", value, LIMIT_LINE_BYTES, "", error));
}

bool ini_edit_set(const char *file, GBytes **text, const char *section, const char *key, const char *value,
		  GError **error)
{
	g_auto(IniEdit) edit = { 0 };
	g_autofree char *stripped = value ? g_strstrip(g_strdup(value)) : NULL;

	if (!check_arguments(section, key, stripped, error) || !ini_edit_begin(&edit, file, *text, section, error))
		return false;
	if (stripped)
		set_key(&edit, key, stripped);
	else if (!unset_key(&edit, key))
		return true;
	return ini_edit_end(&edit, file, text, error);
}

bool ini_edit_add(const char *file, GBytes **text, const char *section, const char *key, const char *value, GError **error)
{
	g_auto(IniEdit) edit = { 0 };
	g_autofree char *stripped = g_strstrip(g_strdup(value));

	if (!check_arguments(section, key, stripped, error) || !ini_edit_begin(&edit, file, *text, section, error))
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
