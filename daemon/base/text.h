/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Text: quoting, %i and %t, durations, sizes, names in bus paths. Splitting and the search for
 * similar names are in tokens/tokens.h.
 */
#ifndef SVCD_BASE_TEXT_H
#define SVCD_BASE_TEXT_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "tokens/tokens.h"

/* Compares two strings for g_ptr_array_sort(): @a and @b point to the pointers to them. */
int text_compare(gconstpointer a, gconstpointer b);

/* Like tokens_split(), but the result is a strv, and *@ret_problem is a new string. */
char **text_split_tokens(const char *text, char **ret_problem);

/**
 * text_expand() - replace %i by @instance, %t by @runtime and %% by %
 * Returns: a new string. NULL if another character follows a %; then *@ret_problem is a new string.
 */
char *text_expand(const char *text, const char *instance, const char *runtime, char **ret_problem);

/**
 * text_parse_duration() - "5", "5s", "200ms", "2min", "1h", "1h 30min" in microseconds
 *
 * A bare number is seconds. "infinity" is invalid, because every wait must end.
 */
bool text_parse_duration(const char *text, int64_t *ret_us);

/**
 * text_format_duration() - "812 ms", "6.4 s", "2 min 10 s", "3 h 4 min", "2 d 1 h"
 * Returns: a new string.
 */
char *text_format_duration(int64_t us);

/* "just now", "6.4 s ago"; a time in the future is "just now". A new string. */
char *text_format_ago(int64_t us);

/**
 * text_parse_size() - "4096", "64K", "1M", "2G", "infinity" (UINT64_MAX) in bytes
 */
bool text_parse_size(const char *text, uint64_t *ret_bytes);

/*
 * Parses the whole of @text, which must not contain blanks: decimal; with @base 0 also hexadecimal
 * (0x...) or octal (0...). A sign is valid only for signed numbers.
 */
bool text_parse_uint(const char *text, int base, uint64_t max, uint64_t *ret);
bool text_parse_int(const char *text, int64_t min, int64_t max, int64_t *ret);

#define TEXT_BASE36_BYTES 16 /* 13 digits, and a NUL */

/* Returns: the number in base 36, as a string inside @digits. */
const char *text_base36(char digits[TEXT_BASE36_BYTES], uint64_t value);
/* *@ret_end: the first character after the digits. */
bool text_parse_base36(const char *text, int64_t *ret, const char **ret_end);

/**
 * text_escape_bus_path() - escape a service's name as one element of a D-Bus object path
 *
 * Letters and digits are kept, and other bytes become _xx. An empty name becomes "_".
 */
char *text_escape_bus_path(const char *name);
char *text_unescape_bus_path(const char *element);

/**
 * text_escape_terminal() - print control bytes and invalid UTF-8 as \xHH; tabs become blanks
 *
 * Characters that change the direction of text, or are invisible, become \uHHHH. So all characters
 * are displayed, in their order.
 */
char *text_escape_terminal(const char *text);

/*
 * Like text_escape_terminal(), for a JSON document. The meaning of the document is unchanged,
 * because such characters can only be in strings. @json: valid UTF-8.
 */
char *text_escape_json(const char *json);

/* Signals by name, with or without SIG: "TERM", "SIGHUP", "RTMIN+3", or by number. */
bool text_parse_signal(const char *text, int *ret_signal);
const char *text_signal_name(int signal);

/**
 * text_join_tokens() - the reverse of text_split_tokens()
 */
char *text_join_tokens(const char *const *tokens);

#endif
