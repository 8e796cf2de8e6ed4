/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * INI source: the text of a file as sections and entries, each with its line.
 */
#ifndef SVCD_MODEL_INI_SOURCE_H
#define SVCD_MODEL_INI_SOURCE_H

#include <glib.h>
#include <stdbool.h>

#include "base/diag.h"

typedef struct IniSection {
	char *name; /* what stands between [ and ] */
	unsigned line;
} IniSection;

/* A value as written on one line: the first, or one of the indented lines below it. */
typedef struct IniPart IniPart;
struct IniPart {
	char *text;
	unsigned line;
	IniPart *next;
};

typedef struct IniEntry {
	const IniSection *section;
	char *key;
	IniPart first; /* of at least one */
} IniEntry;

typedef struct IniFile {
	GPtrArray *sections; /* IniSection * */
	GPtrArray *entries;  /* IniEntry *, in the order of the file */
	bool broken;         /* an error was reported; what could be read is there all the same */
} IniFile;

/**
 * ini_file_read() - sections and entries of @text
 * @service: goes into the diagnostics, may be NULL
 *
 * Our own rules stand in front of inih: what a comment is, how long a line may be, that the text is UTF-8 with Unix
 * line ends. Whatever breaks them is reported, and the rest is read on.
 */
IniFile *ini_file_read(const char *file, const char *text, gsize length, const char *service, DiagList *diags);
void ini_file_free(IniFile *ini);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(IniFile, ini_file_free)

/* All parts of @entry joined with a blank; a new string. */
char *ini_entry_join(const IniEntry *entry);

#endif
