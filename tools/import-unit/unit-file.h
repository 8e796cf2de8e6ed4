/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Unit file: the text of a systemd unit as lines (systemd.syntax(7)): "#" and ";" begin a comment,
 * a backslash at the end of a line joins the next one, keys may repeat.
 */
#ifndef SVCD_IMPORT_UNIT_UNIT_FILE_H
#define SVCD_IMPORT_UNIT_UNIT_FILE_H

#include <glib.h>

#include "base/diag.h"

typedef struct UnitLine {
	Origin origin; /* of its first line */
	char *section;
	char *key;
	char *value; /* blanks at both ends removed */
} UnitLine;

/**
 * unit_file_read() - all settings of @text
 * @text: NUL-terminated
 * @diags: other lines are reported here, with their number, and left out
 * Returns: UnitLine *, owned, in the order of the file.
 */
GPtrArray *unit_file_read(const char *file, const char *text, gsize length, DiagList *diags);

/* The last value of a key in @lines, NULL if there is none or if it is empty. */
const char *unit_file_last(const GPtrArray *lines, const char *section, const char *key);

#endif
