/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Words: the syntax that programs without GLib also parse: words, booleans, the nearest candidate.
 */
#ifndef SVCD_WORDS_WORDS_H
#define SVCD_WORDS_WORDS_H

#include <stdbool.h>

/* The limit for one line: more than the environment variables or dependencies of any service. */
#define WORDS_MAX 512

/**
 * words_split() - words as a shell splits them: blanks, 'single', "double" (\" and \\ inside), \ before a byte
 *
 * There are no variables, globs or comments.
 * @ret_problem: on failure, the reason, a static string
 * Returns: an array that ends with NULL, possibly empty, for words_free(); NULL on failure.
 */
char **words_split(const char *text, const char **ret_problem);

void words_free(char **words);

static inline void words_cleanup(char ***words)
{
	words_free(*words);
}
/* Frees the array at the end of the block. */
#define auto_words __attribute__((cleanup(words_cleanup)))

/* yes/no, true/false, on/off, 1/0 */
bool words_parse_bool(const char *text, bool *ret);

/**
 * words_nearest() - the candidate for which @word is most likely a misspelling
 * @candidates: ends with NULL
 * Returns: one of @candidates, or NULL if none is near.
 */
const char *words_nearest(const char *word, const char *const *candidates);

#endif
