/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * INI source: the text of a file as sections and entries, each with its line.
 */
#ifndef SVCD_MODEL_INI_SOURCE_H
#define SVCD_MODEL_INI_SOURCE_H

#include <glib.h>
#include <stdbool.h>

#include "base/arena.h"
#include "base/diag.h"

typedef struct IniSection IniSection;
struct IniSection {
	const char *name; /* what stands between [ and ] */
	unsigned line;
	IniSection *next; /* in the order of the file, as all that follow */
};

/* A value as written on one line: the first, or one of the indented lines below it. */
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
	IniPart first; /* of at least one */
	IniEntry *next;
};

typedef struct IniFile {
	IniSection *sections;
	IniEntry *entries;
	bool broken; /* an error was reported; what could be read is there all the same */
} IniFile;

/**
 * ini_file_read() - sections and entries of @text
 * @arena:   for all of them
 * @service: goes into the diagnostics, may be NULL
 *
 * Our own rules stand in front of inih: what a comment is, how long a line may be, that the text is UTF-8 with Unix
 * line ends. Whatever breaks them is reported, and the rest is read on.
 */
IniFile *ini_file_read(Arena *arena, const char *file, const char *text, gsize length, const char *service, DiagList *diags);

/* All parts of @entry joined with a blank, for as long as @arena, which is that of its file. */
const char *ini_entry_join(Arena *arena, const IniEntry *entry);

#endif
