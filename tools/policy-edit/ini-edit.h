/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * INI edit: one key of one file of ours, changed as a person with an editor would.
 *
 * Whatever is not concerned (comments, order, sections that we do not know, indentation) stays byte by byte. A text that
 * our reader would not take as it is (CR LF, NUL, no newline at its end, a line that is nothing) is refused, for what is
 * written below a mistake may be read as something else.
 */
#ifndef SVCD_INI_EDIT_H
#define SVCD_INI_EDIT_H

#include <glib.h>
#include <stdbool.h>

/* Stands at the top of a file that we make. */
#define INI_EDIT_HEAD                                                                              \
	"# Written by svcctl; may be edited by hand, comments and other sections are kept.\n"      \
	"# \"svcctl policy log\" lists the changes, \"svcctl undo\" reverts them.\n"

/**
 * ini_edit_set() - one line @key=@value in [@section]
 * @file:  for messages
 * @text:  the file as it is, NULL or empty: a new one, which gets INI_EDIT_HEAD; replaced by the new text
 * @value: NULL takes the key out
 *
 * All lines of the key are replaced by the new one, at the place of the first. A new key comes after the last of its
 * section, a new section after an empty line at the end of the file. With its last key a section goes, unless a comment
 * stands in it; so taking out what was just set gives the text of before.
 * Returns: false with @error, and @text as it was.
 */
bool ini_edit_set(const char *file, GBytes **text, const char *section, const char *key, const char *value,
		  GError **error);

/* One more line of a key that may repeat, after the last of its section; otherwise as above. */
bool ini_edit_add(const char *file, GBytes **text, const char *section, const char *key, const char *value, GError **error);

/* All of [@section], with its comments; otherwise as above. */
bool ini_edit_remove_section(const char *file, GBytes **text, const char *section, GError **error);

/* Is there nothing but the head of ours? */
bool ini_edit_is_bare(GBytes *text);

#endif
