/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Words: how headers and insserv.conf separate what they list; lines of text that may hold any bytes.
 */
#ifndef SVCD_LSB_COMPAT_WORDS_H
#define SVCD_LSB_COMPAT_WORDS_H

#include <glib.h>
#include <stdbool.h>

/**
 * lsb_next_line() - cut the next line off @text
 * @text:   the rest of the text; moved behind the line
 * @length: of the rest
 * Returns: a new string without the line's end, CR LF included, and without what is longer than LIMIT_LINE_BYTES; bytes
 * that are NUL have become blanks. NULL at the end.
 */
char *lsb_next_line(const char **text, gsize *length);

/* Moves behind the line, too. Returns: how long it is. */
gsize lsb_skip_line(const char **text, gsize *length);

/**
 * lsb_split_words() - words between blanks, tabs, commas and semicolons, however many
 * Returns: a new array of strings.
 */
GPtrArray *lsb_split_words(const char *value);

/* A word that can name a service, or a $facility, without the "+" of what is optional; @ret_problem is one sentence, a new string. */
bool lsb_word_check(const char *word, char **ret_problem);

/* An absolute path of plain bytes, such as a file in /run has: it may stand in a service file as it is. */
bool lsb_path_is_plain(const char *path);

#endif
