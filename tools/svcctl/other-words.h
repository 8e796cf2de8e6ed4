/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Other words: verbs and options of other service managers, each with the command of svcctl that
 * does the same. They are answers and no aliases, so that a script that runs here was written for
 * svcctl.
 */
#ifndef SVCD_SVCCTL_OTHER_WORDS_H
#define SVCD_SVCCTL_OTHER_WORDS_H

#include <glib.h>

/**
 * other_word_answer() - "svcctl set ssh never" for "mask"
 * @word:  a verb, or an option with its dashes
 * @names: what follows it; takes the place of NAME in the answer if there is anything
 * Returns: a new string; NULL: nobody knows the word.
 */
char *other_word_answer(const char *word, const char *const *names, unsigned n_names);

#endif
