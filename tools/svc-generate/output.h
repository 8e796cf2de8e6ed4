/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Output: the files that were made, written where they differ from what is there.
 */
#ifndef SVCD_GENERATE_OUTPUT_H
#define SVCD_GENERATE_OUTPUT_H

#include <glib.h>
#include <stdbool.h>

/* First words of every file; what begins so and is not made any more is removed. */
#define OUTPUT_MARK "# Made by svc-generate"

typedef struct Output Output;

Output *output_new(void);
void output_free(Output *output);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Output, output_free)

/**
 * output_file() - the text of one file, to be appended to
 * @name: within the directory, "NAME.svc.d/x.conf" for a drop-in; the first call for a name makes it, with the mark as its
 *        first line
 * @from: what it is made from, for that line
 */
GString *output_file(Output *output, const char *name, const char *from);

/* Has this file been made? */
bool output_has(const Output *output, const char *name);

/**
 * output_write() - make @directory hold these files
 *
 * Each appears whole or not at all, and only if its text has changed; files of an earlier run that are not among them go.
 */
bool output_write(const Output *output, const char *directory, GError **error);

/* Adds to @overlay (path -> GBytes, both owned by it) what output_write() would make of @directory: NULL for what would go. */
void output_overlay(const Output *output, const char *directory, GHashTable *overlay);

#endif
