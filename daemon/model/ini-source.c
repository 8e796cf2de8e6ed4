/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * INI source: see the header.
 *
 * inih is not used. As distributions build it, it truncates lines at 199 bytes and section names at
 * 49, and ends a value at " ;", which shell commands contain. It also reports no line numbers.
 */
#include "config.h"

#include "model/ini-source.h"

#include <stdint.h>
#include <string.h>

#include "base/limits.h"

enum {
	KEY_BYTES = 48,
	SECTION_BYTES = LIMIT_NAME_BYTES + 32,
};

typedef struct IniReader {
	unsigned line;
	const char *file;
	const char *service;
	DiagList *diags;
	Arena *arena;
	IniFile *ini;
	IniSection **section_end; /* where the next section is linked */
	IniEntry **entry_end;
	IniSection *section; /* NULL before the first */
	IniEntry *entry; /* the entry that an indented line would continue, or NULL */
	IniPart *part; /* the last part of @entry */
	bool skip_indented; /* after a line that was reported */
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

static bool is_short_enough(IniReader *r, const char *value, const char *end)
{
	if (end - value <= LIMIT_LINE_BYTES)
		return true;
	report(r, "the line is longer than %d bytes", LIMIT_LINE_BYTES);
	return false;
}

static void begin_part(IniReader *r, IniPart *part, const char *value, const char *end)
{
	part->text = arena_strndup(r->arena, value, (gsize)(end - value));
	part->line = r->line;
	r->part = part;
}

static char *copy_stripped(IniReader *r, const char *start, const char *end)
{
	while (start < end && g_ascii_isspace(*start))
		start++;
	while (end > start && g_ascii_isspace(end[-1]))
		end--;
	return arena_strndup(r->arena, start, (gsize)(end - start));
}

static void begin_section(IniReader *r, const char *start, const char *end)
{
	IniSection *section;

	if (end[-1] != ']' || memchr(start, ']', (size_t)(end - start - 1))) {
		report(r, "a section is written [Name], alone on its line");
		return;
	}
	if (end - start > SECTION_BYTES) {
		report(r, "the name of a section has at most %d bytes", SECTION_BYTES - 2);
		return;
	}
	r->entry = NULL;
	r->skip_indented = false;
	section = arena_new0(IniSection, r->arena);
	section->name = copy_stripped(r, start + 1, end - 1);
	section->line = r->line;
	*r->section_end = section;
	r->section_end = &section->next;
	r->section = section;
}

static bool is_key(const char *key)
{
	const char *p = key;

	while (g_ascii_isalnum(*p) || *p == '-' || *p == '_')
		p++;
	return p > key && !*p;
}

static void begin_entry(IniReader *r, const char *start, const char *end)
{
	const char *equals = memchr(start, '=', (size_t)(end - start));
	const char *key = equals ? copy_stripped(r, start, equals) : NULL;
	IniEntry *entry;

	if (!key || !is_key(key)) {
		report(r, "this is neither a [Section] nor Key=value nor a # comment");
		return;
	}
	if (strlen(key) > KEY_BYTES) {
		report(r, "the name of a key has at most %d bytes", KEY_BYTES);
		return;
	}
	if (!r->section) {
		report(r, "%s= comes before the first [Section]", key);
		return;
	}
	for (start = equals + 1; start < end && g_ascii_isspace(*start); start++)
		;
	if (!is_short_enough(r, start, end))
		return;
	entry = arena_new0(IniEntry, r->arena);
	entry->section = r->section;
	entry->key = key;
	*r->entry_end = entry;
	r->entry_end = &entry->next;
	r->entry = entry;
	r->skip_indented = false;
	begin_part(r, &entry->first, start, end);
}

static void continue_entry(IniReader *r, const char *start, const char *end)
{
	if (r->skip_indented)
		return;
	if (*start == '#') {
		report(r, "a comment begins in the first column; an indented line continues the "
			  "value above it");
		return;
	}
	if (!r->entry) {
		report(r, "an indented line continues the value above it, and there is none");
		return;
	}
	if (*start == '[' && end[-1] == ']') {
		report(r, "a section begins in the first column; an indented line continues the "
			  "value above it");
		return;
	}
	if (!is_short_enough(r, start, end))
		return;
	r->part->next = arena_new0(IniPart, r->arena);
	begin_part(r, r->part->next, start, end);
}

static void read_line(IniReader *r, const char *start, const char *end)
{
	const char *text = start;

	while (end > start && g_ascii_isspace(end[-1]))
		end--;
	while (text < end && g_ascii_isspace(*text))
		text++;
	if (text == end) {
		r->entry = NULL;
		r->skip_indented = false;
	} else if (*start == '#') {
		return;
	} else if (text > start) {
		continue_entry(r, text, end);
	} else if (*start == ';') {
		report(r, "a comment begins with #");
	} else if (*start == '[') {
		begin_section(r, start, end);
	} else {
		begin_entry(r, start, end);
	}
}

static void read_lines(IniReader *r, const char *text, gsize length)
{
	const char *const text_end = text + length;

	for (const char *next = text; next < text_end;) {
		const char *start = next;
		const char *newline = memchr(start, '\n', (size_t)(text_end - start));

		next = newline ? newline + 1 : text_end;
		r->line++;
		read_line(r, start, newline ? newline : text_end);
	}
}

static unsigned line_of(const char *text, const char *origin)
{
	unsigned line = 1;

	for (const char *p = text; p < origin; p++)
		line += *p == '\n';
	return line;
}

/* Nearly every file is ASCII, and this test takes a tenth of the time of g_utf8_validate(). */
static bool is_ascii(const char *text, gsize length)
{
	uint64_t bytes = 0;

	for (; length >= sizeof(bytes); text += sizeof(bytes), length -= sizeof(bytes)) {
		memcpy(&bytes, text, sizeof(bytes));
		if (bytes & UINT64_C(0x8080808080808080))
			return false;
	}
	bytes = 0;
	memcpy(&bytes, text, length);
	return !(bytes & UINT64_C(0x8080808080808080));
}

/* Reports errors that make the whole text unreadable. Then nothing else is reported. */
static bool check_encoding(IniReader *r, const char *text, gsize length)
{
	const char *origin;

	if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
		r->line = 1;
		report(r, "the file begins with a byte order mark; save it as UTF-8 without one");
	} else if ((origin = memchr(text, '\0', length)) != NULL) {
		r->line = line_of(text, origin);
		report(r, "the line contains a NUL byte; a service or policy file is text");
	} else if (!is_ascii(text, length) && !g_utf8_validate(text, (gssize)length, &origin)) {
		r->line = line_of(text, origin);
		report(r, "the line is not UTF-8: byte 0x%02x", (unsigned char)*origin);
	} else if ((origin = memchr(text, '\r', length)) != NULL) {
		r->line = line_of(text, origin);
		report(r, "the line contains a carriage return; save the file with Unix line ends "
			  "(LF, not CR LF)");
	}
	return !r->ini->broken;
}

IniFile *ini_file_read(Arena *arena, const char *file, const char *text, gsize length,
		       const char *service, DiagList *diags)
{
	IniFile *ini = arena_new0(IniFile, arena);
	IniReader r = {
		.file = file,
		.service = service,
		.diags = diags,
		.arena = arena,
		.ini = ini,
		.section_end = &ini->sections,
		.entry_end = &ini->entries,
	};

	if (check_encoding(&r, text, length))
		read_lines(&r, text, length);
	return ini;
}

const char *ini_entry_join(Arena *arena, const IniEntry *entry)
{
	gsize length = 0;
	char *joined;
	char *end;

	if (!entry->first.next)
		return entry->first.text;
	for (const IniPart *part = &entry->first; part; part = part->next)
		length += strlen(part->text) + 1;
	joined = arena_alloc(arena, length);
	end = joined;
	for (const IniPart *part = &entry->first; part; part = part->next) {
		if (end > joined && *part->text)
			*end++ = ' ';
		end = g_stpcpy(end, part->text);
	}
	return joined;
}
