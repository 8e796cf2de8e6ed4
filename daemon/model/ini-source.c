/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * INI source: inih behind our own line reader.
 *
 * inih as distributions build it cuts a line at 199 bytes and a section's name at 49 without a word, ends a value at
 * blank and ";", and does not tell lines. So it never sees a line as written: a section is handed over as a number,
 * a value in short pieces, each between two dots that keep its blanks and its ";" from being touched, and joined
 * again in on_value(). inih calls back before it asks for the next line, so the line we are at is the value's line.
 */
#include "config.h"

#include "model/ini-source.h"

#include <ini.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"

enum {
	PIECE_BYTES = 128, /* of a value; with a key of KEY_BYTES in front still below inih's 199 */
	KEY_BYTES = 48,    /* inih's own limit is 49 */
	SECTION_BYTES = LIMIT_NAME_BYTES + 32,
};

typedef struct IniReader {
	const char *next; /* the rest of the text */
	const char *end;
	unsigned line; /* the number of the line before @next */
	const char *file;
	const char *service;
	DiagList *diags;
	IniFile *ini;
	IniSection *section;   /* NULL before the first */
	IniEntry *entry;       /* what an indented line would continue, or NULL */
	IniPart *part;         /* its last one */
	char *part_end;        /* where the next piece goes */
	bool skip_indented;    /* below a line that was reported already */
	const char *piece;     /* what is still to be handed over of the present value, or NULL */
	const char *piece_end;
} IniReader;

static void G_GNUC_PRINTF(2, 3) report(IniReader *r, const char *format, ...)
{
	va_list args;
	g_autofree char *text = NULL;

	va_start(args, format);
	text = g_strdup_vprintf(format, args);
	va_end(args);
	diag_error(r->diags, origin_new(r->file, r->line), r->service, "%s", text);
	r->ini->broken = true;
	r->entry = NULL;
	r->skip_indented = true;
}

static void ini_section_free(gpointer data)
{
	IniSection *section = data;

	g_free(section->name);
	g_free(section);
}

static void ini_entry_free(gpointer data)
{
	IniEntry *entry = data;

	for (IniPart *part = entry->first.next, *next; part; part = next) {
		next = part->next;
		g_free(part->text);
		g_free(part);
	}
	g_free(entry->first.text);
	g_free(entry->key);
	g_free(entry);
}

/* inih is to give back the value from @value to @end in pieces; here there is room for all of them. */
static void begin_part(IniReader *r, IniPart *part, const char *value, const char *end)
{
	part->text = g_malloc((gsize)(end - value) + 1);
	part->text[0] = '\0';
	part->line = r->line;
	r->part = part;
	r->part_end = part->text;
	r->piece = value;
	r->piece_end = end;
}

static bool is_short_enough(IniReader *r, const char *value, const char *end)
{
	if (end - value <= LIMIT_LINE_BYTES)
		return true;
	report(r, "the line is longer than %d bytes", LIMIT_LINE_BYTES);
	return false;
}

/* Writes the next piece of the present value as a line of its own. Not by snprintf(3): there are a thousand at each boot. */
static void hand_over_piece(IniReader *r, char *buffer)
{
	const char *p = r->piece;
	char *end;

	/* Between a blank and a ";" the piece ends: together they would begin a comment. */
	while (p < r->piece_end && p - r->piece < PIECE_BYTES &&
	       !(p > r->piece && *p == ';' && g_ascii_isspace(p[-1])))
		p++;
	end = g_stpcpy(g_stpcpy(buffer, r->entry->key), "=.");
	memcpy(end, r->piece, (size_t)(p - r->piece));
	memcpy(end + (p - r->piece), ".\n", sizeof ".\n");
	r->piece = p < r->piece_end ? p : NULL;
}

static int on_value(void *user, const char *section, const char *name, const char *value)
{
	IniReader *r = user;
	const size_t length = strlen(value);

	g_assert(length >= 2 && value[0] == '.' && value[length - 1] == '.'); /* ours, from hand_over_piece() */
	memcpy(r->part_end, value + 1, length - 2);
	r->part_end += length - 2;
	*r->part_end = '\0';
	return 1;
}

static bool begin_section(IniReader *r, const char *start, const char *end)
{
	IniSection *section;

	if (end[-1] != ']' || memchr(start, ']', (size_t)(end - start - 1))) {
		report(r, "a section is written [Name], alone on its line");
		return false;
	}
	if (end - start > SECTION_BYTES) {
		report(r, "no section's name is longer than %d bytes", SECTION_BYTES - 2);
		return false;
	}
	r->entry = NULL;
	r->skip_indented = false;
	section = g_new0(IniSection, 1);
	section->name = g_strstrip(g_strndup(start + 1, (gsize)(end - start - 2)));
	section->line = r->line;
	g_ptr_array_add(r->ini->sections, section);
	r->section = section;
	return true;
}

static bool is_key(const char *key)
{
	const char *p = key;

	while (g_ascii_isalnum(*p) || *p == '-' || *p == '_')
		p++;
	return p > key && !*p;
}

static bool begin_entry(IniReader *r, const char *start, const char *end)
{
	const char *equals = memchr(start, '=', (size_t)(end - start));
	g_autofree char *key = equals ? g_strchomp(g_strndup(start, (gsize)(equals - start))) : NULL;
	IniEntry *entry;

	if (!key || !is_key(key)) {
		report(r, "this is neither a [Section] nor Key=value nor a # comment");
		return false;
	}
	if (strlen(key) > KEY_BYTES) {
		report(r, "no key is longer than %d bytes", KEY_BYTES);
		return false;
	}
	if (!r->section) {
		report(r, "%s= stands before the first [Section]", key);
		return false;
	}
	for (start = equals + 1; start < end && g_ascii_isspace(*start); start++)
		;
	if (!is_short_enough(r, start, end))
		return false;
	entry = g_new0(IniEntry, 1);
	entry->section = r->section;
	entry->key = g_steal_pointer(&key);
	g_ptr_array_add(r->ini->entries, entry);
	r->entry = entry;
	r->skip_indented = false;
	begin_part(r, &entry->first, start, end);
	return true;
}

static bool continue_entry(IniReader *r, const char *start, const char *end)
{
	if (r->skip_indented)
		return false;
	if (*start == '#') {
		report(r, "a comment begins in the first column; an indented line continues the value above it");
		return false;
	}
	if (!r->entry) {
		report(r, "an indented line continues the value above it, and there is none");
		return false;
	}
	if (*start == '[' && end[-1] == ']') {
		report(r, "a section begins in the first column; an indented line continues the value above it");
		return false;
	}
	if (!is_short_enough(r, start, end))
		return false;
	r->part->next = g_new0(IniPart, 1);
	begin_part(r, r->part->next, start, end);
	return true;
}

/* Decides what one line is. Returns: true when there is something to hand over to inih. */
static bool take_line(IniReader *r, const char *start, const char *end)
{
	const char *text = start;

	while (end > start && g_ascii_isspace(end[-1]))
		end--;
	while (text < end && g_ascii_isspace(*text))
		text++;
	if (text == end) {
		r->entry = NULL;
		r->skip_indented = false;
		return false;
	}
	if (*start == '#')
		return false;
	if (text > start)
		return continue_entry(r, text, end);
	if (*start == ';') {
		report(r, "a comment begins with #");
		return false;
	}
	return *start == '[' ? begin_section(r, start, end) : begin_entry(r, start, end);
}

/* inih's reader: one line as fgets() would give it, but one of our making. */
static char *read_line(char *buffer, int size, void *stream)
{
	IniReader *r = stream;

	g_assert(size > KEY_BYTES + PIECE_BYTES + 8); /* inih's own line */
	if (r->piece) {
		hand_over_piece(r, buffer);
		return buffer;
	}
	while (r->next < r->end) {
		const char *start = r->next;
		const char *newline = memchr(start, '\n', (size_t)(r->end - start));
		const char *end = newline ? newline : r->end;

		r->next = newline ? newline + 1 : r->end;
		r->line++;
		if (!take_line(r, start, end))
			continue;
		if (r->piece)
			hand_over_piece(r, buffer);
		else
			(void)snprintf(buffer, (size_t)size, "[%u]\n", r->ini->sections->len);
		return buffer;
	}
	return NULL;
}

static unsigned line_of(const char *text, const char *place)
{
	unsigned line = 1;

	for (const char *p = text; p < place; p++)
		line += *p == '\n';
	return line;
}

/* What makes the whole text unreadable, so that nothing further is said of it. */
static bool check_encoding(IniReader *r, const char *text, gsize length)
{
	const char *place;

	if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
		r->line = 1;
		report(r, "the file begins with a byte order mark; save it as UTF-8 without one");
	} else if ((place = memchr(text, '\0', length)) != NULL) {
		r->line = line_of(text, place);
		report(r, "the line holds a NUL byte; a service or policy file is text");
	} else if (!g_utf8_validate(text, (gssize)length, &place)) {
		r->line = line_of(text, place);
		report(r, "the line is not UTF-8: byte 0x%02x", (unsigned char)*place);
	} else if ((place = memchr(text, '\r', length)) != NULL) {
		r->line = line_of(text, place);
		report(r, "the line holds a carriage return; save the file with Unix line ends (LF, not CR LF)");
	}
	return !r->ini->broken;
}

IniFile *ini_file_read(const char *file, const char *text, gsize length, const char *service, DiagList *diags)
{
	IniFile *ini = g_new0(IniFile, 1);
	IniReader r = {
		.next = text, .end = text + length, .file = file, .service = service, .diags = diags, .ini = ini,
	};

	ini->sections = g_ptr_array_new_with_free_func(ini_section_free);
	ini->entries = g_ptr_array_new_with_free_func(ini_entry_free);
	if (check_encoding(&r, text, length) && ini_parse_stream(read_line, &r, on_value, &r) != 0)
		report(&r, "the line cannot be read");
	return ini;
}

void ini_file_free(IniFile *ini)
{
	if (!ini)
		return;
	g_ptr_array_unref(ini->entries);
	g_ptr_array_unref(ini->sections);
	g_free(ini);
}

char *ini_entry_join(const IniEntry *entry)
{
	g_autoptr(GString) joined = NULL;

	if (!entry->first.next)
		return g_strdup(entry->first.text);
	joined = g_string_new(NULL);
	for (const IniPart *part = &entry->first; part; part = part->next) {
		if (joined->len > 0 && *part->text)
			g_string_append_c(joined, ' ');
		g_string_append(joined, part->text);
	}
	return g_string_free(g_steal_pointer(&joined), FALSE);
}
