/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * INI source: inih behind our own line reader.
 *
 * inih, as distributions build it, silently truncates a line at 199 bytes and a section name at 49.
 * It ends a value at a blank and ";", and reports no line numbers. So inih never gets the original
 * lines. A section is passed without its name. A value is passed without its key, in short pieces.
 * Two dots around each piece protect its blanks and its ";". on_value() joins the pieces again.
 *
 * inih calls back before it reads the next line, so the present line number is that of the value.
 */
#include "config.h"

#include "model/ini-source.h"

#include <ini.h>
#include <stdint.h>
#include <string.h>

#include "base/limits.h"

enum {
	PIECE_BYTES = 180, /* of a value; with the added bytes still below inih's 199 */
	KEY_BYTES = 48,
	SECTION_BYTES = LIMIT_NAME_BYTES + 32,
};

typedef struct IniReader {
	const char *next; /* the rest of the text */
	const char *end;
	unsigned line; /* the number of the line before @next */
	const char *file;
	const char *service;
	DiagList *diags;
	Arena *arena;
	IniFile *ini;
	IniSection **section_end; /* where the next section is linked */
	IniEntry **entry_end;
	IniSection *section;   /* NULL before the first */
	IniEntry *entry;       /* the entry that an indented line would continue, or NULL */
	IniPart *part;         /* its last part */
	char *part_end;        /* where the next piece is written */
	bool skip_indented;    /* after a line that was reported */
	const char *piece;     /* the rest of the present value, or NULL */
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

/*
 * Starts to pass the value from @value to @end through inih in pieces. @part gets room for all of
 * them.
 */
static void begin_part(IniReader *r, IniPart *part, const char *value, const char *end)
{
	r->part_end = arena_alloc(r->arena, (gsize)(end - value) + 1);
	part->text = r->part_end;
	part->line = r->line;
	r->part = part;
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

/* A piece ends between a blank and a ";", because together they would begin a comment. */
static const char *find_piece_end(const IniReader *r)
{
	const char *end = r->piece_end - r->piece > PIECE_BYTES ? r->piece + PIECE_BYTES : r->piece_end;

	for (const char *p = r->piece; (p = memchr(p, ';', (size_t)(end - p))) != NULL; p++) {
		if (p > r->piece && g_ascii_isspace(p[-1]))
			return p;
	}
	return end;
}

/*
 * Writes the next piece of the present value as a line of its own. Without snprintf(3), because
 * each boot has a thousand pieces.
 */
static void hand_over_piece(IniReader *r, char *buffer)
{
	const char *piece_end = find_piece_end(r);
	char *end = g_stpcpy(buffer, ".=.");

	memcpy(end, r->piece, (size_t)(piece_end - r->piece));
	memcpy(end + (piece_end - r->piece), ".\n", sizeof ".\n");
	r->piece = piece_end < r->piece_end ? piece_end : NULL;
}

static int on_value(void *user, const char *section, const char *name, const char *value)
{
	IniReader *r = user;
	const size_t length = strlen(value);

	g_assert(length >= 2 && value[0] == '.' && value[length - 1] == '.'); /* from hand_over_piece() */
	memcpy(r->part_end, value + 1, length - 2);
	r->part_end += length - 2;
	return 1;
}

/* Without blanks at both ends. */
static char *copy_stripped(IniReader *r, const char *start, const char *end)
{
	while (start < end && g_ascii_isspace(*start))
		start++;
	while (end > start && g_ascii_isspace(end[-1]))
		end--;
	return arena_strndup(r->arena, start, (gsize)(end - start));
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
	section = arena_new0(IniSection, r->arena);
	section->name = copy_stripped(r, start + 1, end - 1);
	section->line = r->line;
	*r->section_end = section;
	r->section_end = &section->next;
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
	const char *key = equals ? copy_stripped(r, start, equals) : NULL;
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
	entry = arena_new0(IniEntry, r->arena);
	entry->section = r->section;
	entry->key = key;
	*r->entry_end = entry;
	r->entry_end = &entry->next;
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
	r->part->next = arena_new0(IniPart, r->arena);
	begin_part(r, r->part->next, start, end);
	return true;
}

/* Classifies one line. Returns: true if a line must be passed to inih. */
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

/* The reader for inih: returns a line like fgets(), but a synthetic one. */
static char *read_line(char *buffer, int size, void *stream)
{
	IniReader *r = stream;

	g_assert(size > PIECE_BYTES + 8); /* the buffer of inih */
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
			g_strlcpy(buffer, "[.]\n", (gsize)size);
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
	const char *place;

	if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
		r->line = 1;
		report(r, "the file begins with a byte order mark; save it as UTF-8 without one");
	} else if ((place = memchr(text, '\0', length)) != NULL) {
		r->line = line_of(text, place);
		report(r, "the line contains a NUL byte; a service or policy file is text");
	} else if (!is_ascii(text, length) && !g_utf8_validate(text, (gssize)length, &place)) {
		r->line = line_of(text, place);
		report(r, "the line is not UTF-8: byte 0x%02x", (unsigned char)*place);
	} else if ((place = memchr(text, '\r', length)) != NULL) {
		r->line = line_of(text, place);
		report(r, "the line contains a carriage return; save the file with Unix line ends (LF, not CR LF)");
	}
	return !r->ini->broken;
}

IniFile *ini_file_read(Arena *arena, const char *file, const char *text, gsize length, const char *service, DiagList *diags)
{
	IniFile *ini = arena_new0(IniFile, arena);
	IniReader r = {
		.next = text, .end = text + length, .file = file, .service = service, .diags = diags, .arena = arena,
		.ini = ini, .section_end = &ini->sections, .entry_end = &ini->entries,
	};

	if (check_encoding(&r, text, length) && ini_parse_stream(read_line, &r, on_value, &r) != 0)
		report(&r, "the line cannot be read");
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
