/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * INI edit: changes one key of a file, as a person with an editor would.
 *
 * All other text (comments, order, unknown sections, indentation) stays byte for byte. A text with
 * CR LF, NUL, no newline at its end or an invalid line is refused, because the reader may give
 * another meaning to lines below an error.
 */
#ifndef SVCD_INI_EDIT_H
#define SVCD_INI_EDIT_H

#include <glib.h>
#include <stdbool.h>

/* The head comment of a file that svcctl creates. */
#define INI_EDIT_HEAD                                                                         \
	"# Written by svcctl; may be edited by hand, comments and other sections are kept.\n" \
	"# \"svcctl policy log\" lists the changes, \"svcctl undo\" reverts them.\n"

/**
 * ini_edit_set() - one line @key=@value in [@section]
 * @file: for messages
 * @text: the present text, which is replaced by the new text. NULL or empty: a new file, which gets
 * INI_EDIT_HEAD
 * @value: NULL removes the key
 *
 * The new line replaces all lines of the key, at the place of the first. A new key comes after the
 * last key of its section, a new section after an empty line at the end of the file. A section is
 * removed with its last key, unless it contains a comment. So removing a key that was just set
 * restores the earlier text.
 * Returns: false with @error, and @text unchanged.
 */
bool ini_edit_set(const char *file, GBytes **text, const char *section, const char *key,
		  const char *value, GError **error);

/*
 * Adds one more line of a key that may repeat, after the last line of the key in its section.
 * Otherwise like ini_edit_set().
 */
bool ini_edit_add(const char *file, GBytes **text, const char *section, const char *key,
		  const char *value, GError **error);

/* Removes [@section] with its comments. Otherwise like ini_edit_set(). */
bool ini_edit_remove_section(const char *file, GBytes **text, const char *section, GError **error);

/* Does @text contain only svcctl's head comment? */
bool ini_edit_is_bare(GBytes *text);

#endif
