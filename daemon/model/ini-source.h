/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * INI source: the text of a file as sections and entries, each with its line number.
 */
#ifndef SVCD_MODEL_INI_SOURCE_H
#define SVCD_MODEL_INI_SOURCE_H

#include <glib.h>
#include <stdbool.h>

#include "base/arena.h"
#include "base/diag.h"

typedef struct IniSection IniSection;
struct IniSection {
	const char *name; /* between [ and ] */
	unsigned line;
	IniSection *next; /* in the order of the file, like the other lists here */
};

/* The part of a value that is on one line: the first line, or an indented line below it. */
typedef struct IniPart IniPart;
struct IniPart {
	const char *text;
	unsigned line;
	IniPart *next;
};

typedef struct IniEntry IniEntry;
struct IniEntry {
	const IniSection *section;
	const char *key;
	IniPart first; /* the first of one or more */
	IniEntry *next;
};

typedef struct IniFile {
	IniSection *sections;
	IniEntry *entries;
	bool broken; /* an error was reported; the rest was read */
} IniFile;

/**
 * ini_file_read() - parse the sections and entries of @text
 * @arena: for all of them
 * @service: for the diagnostics, may be NULL
 *
 * Each violation of the rules of the format (comments, line length, UTF-8, Unix line ends) is
 * reported, and the rest is still read.
 */
IniFile *ini_file_read(Arena *arena, const char *file, const char *text, gsize length,
		       const char *service, DiagList *diags);

/* All parts of @entry joined with blanks. Allocated in @arena, the arena of its file. */
const char *ini_entry_join(Arena *arena, const IniEntry *entry);

#endif
