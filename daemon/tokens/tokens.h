/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tokens: splits text into tokens, reads booleans, and finds the nearest candidate, for programs
 * without GLib, too.
 */
#ifndef SVCD_TOKENS_TOKENS_H
#define SVCD_TOKENS_TOKENS_H

#include <stdbool.h>

/* The limit for one line: more than the environment variables or dependencies of any service. */
#define TOKENS_MAX 512

/**
 * tokens_split() - split @text into tokens, as a shell does
 *
 * It handles blanks, 'single' and "double" quotes (\" and \\ inside), and \ before a byte. There
 * are no variables, globs or comments.
 * @ret_problem: on failure, the reason, a static string
 * Returns: an array that ends with NULL, possibly empty, for tokens_free(); NULL on failure.
 */
char **tokens_split(const char *text, const char **ret_problem);

void tokens_free(char **tokens);

static inline void tokens_cleanup(char ***tokens)
{
	tokens_free(*tokens);
}
/* Frees the array at the end of the block. */
#define auto_tokens __attribute__((cleanup(tokens_cleanup)))

/* yes/no, true/false, on/off, 1/0 */
bool token_parse_bool(const char *text, bool *ret);

/**
 * token_nearest() - find the candidate for which @token is most likely a misspelling
 * @known: ends with NULL
 * Returns: one of @known, or NULL if none is near.
 */
const char *token_nearest(const char *token, const char *const *known);

#endif
