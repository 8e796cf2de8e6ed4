/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Generated files: a set of files in memory, to be written to one directory. A file is written only
 * if it has changed.
 */
#ifndef SVCD_GENERATE_GENERATED_FILES_H
#define SVCD_GENERATE_GENERATED_FILES_H

#include <glib.h>
#include <stdbool.h>

/* The beginning of every file. A file that begins with it and is no longer generated is removed. */
#define OUTPUT_MARK "# Made by svc-generate"

typedef struct GeneratedFiles GeneratedFiles;

GeneratedFiles *generated_files_new(void);
void generated_files_free(GeneratedFiles *output);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(GeneratedFiles, generated_files_free)

/**
 * generated_files_add() - the text of one file, to which the caller appends
 * @name: within the directory, "NAME.svc.d/x.conf" for a drop-in; the first call for a name makes
 * the file, with the mark as its first line
 * @from: its source, for that line
 */
GString *generated_files_add(GeneratedFiles *output, const char *name, const char *from);

/* Has this file been made? */
bool generated_files_has(const GeneratedFiles *output, const char *name);

/**
 * generated_files_write() - write these files to @directory
 *
 * Each file is replaced atomically, and only if its text has changed. Other files of an earlier run
 * are removed.
 */
bool generated_files_write(const GeneratedFiles *output, const char *directory, GError **error);

/*
 * Adds to @overlay (path -> GBytes, both owned by it) the effect of generated_files_write() on
 * @directory. A removed file is NULL.
 */
void output_overlay(const GeneratedFiles *output, const char *directory, GHashTable *overlay);

#endif
