/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Lsb tokens: the separators of headers and insserv.conf; lines of text that may contain any bytes.
 */
#ifndef SVCD_LSB_COMPAT_LSB_TOKENS_H
#define SVCD_LSB_COMPAT_LSB_TOKENS_H

#include <glib.h>
#include <stdbool.h>

/**
 * lsb_next_line() - cut the next line off @text
 * @text: the rest of the text; moved behind the line
 * @length: of the rest
 * Returns: a new string without the line end (LF or CR LF) and without the part beyond
 * LIMIT_LINE_BYTES; NUL bytes have become blanks. NULL at the end.
 */
char *lsb_next_line(const char **text, gsize *length);

/* Moves *@text behind the line, too. Returns: the length of the line. */
gsize lsb_skip_line(const char **text, gsize *length);

/**
 * lsb_split_tokens() - tokens between blanks, tabs, commas and semicolons, however many
 * Returns: a new array of strings.
 */
GPtrArray *lsb_split_tokens(const char *value);

/*
 * Is @token a valid name of a service or $facility, without the "+" of an optional one?
 * @ret_problem is one sentence, a new string.
 */
bool lsb_token_check(const char *token, char **ret_problem);

/*
 * Is @path an absolute path of plain bytes, like those in /run, which may be written to a service
 * file unchanged?
 */
bool lsb_path_is_plain(const char *path);

#endif
