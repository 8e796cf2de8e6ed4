/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Output: the generated files; a file is written only if it has changed.
 */
#ifndef SVCD_GENERATE_OUTPUT_H
#define SVCD_GENERATE_OUTPUT_H

#include <glib.h>
#include <stdbool.h>

/* The beginning of every file. A file with it that is no longer generated is removed. */
#define OUTPUT_MARK "# Made by svc-generate"

typedef struct Output Output;

Output *output_new(void);
void output_free(Output *output);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Output, output_free)

/**
 * output_file() - the text of one file, to be appended to
 * @name: within the directory, "NAME.svc.d/x.conf" for a drop-in; the first call for a name makes
 * it, with the mark as its first line
 * @from: its source, for that line
 */
GString *output_file(Output *output, const char *name, const char *from);

/* Has this file been made? */
bool output_has(const Output *output, const char *name);

/**
 * output_write() - write these files to @directory
 *
 * Each file is replaced atomically, and only if its text has changed. Other files of an earlier run
 * are removed.
 */
bool output_write(const Output *output, const char *directory, GError **error);

/*
 * Adds to @overlay (path -> GBytes, both owned by it) the effect of output_write() on @directory:
 * NULL for removed files.
 */
void output_overlay(const Output *output, const char *directory, GHashTable *overlay);

#endif
