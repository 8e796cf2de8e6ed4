/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Arguments: options by table. They may stand anywhere; "--" ends them.
 */
#ifndef SVCD_SVCCTL_ARGUMENTS_H
#define SVCD_SVCCTL_ARGUMENTS_H

#include "svcctl/svcctl.h"

/**
 * arguments_parse() - take the options out of @argv
 * @words: what is left is added; borrowed strings
 *
 * On an error the options before it are set all the same, so that it can be told in the way that was asked for.
 */
bool arguments_parse(Options *options, int argc, char **argv, GPtrArray *words, GError **error);

/* Options that concern every verb. */
bool arguments_apply(Options *options, Output *output, int64_t *ret_timeout_us, GError **error);

/* Does @verb take what was given? */
bool arguments_check(const Options *options, const Verb *verb, GError **error);

/* Does @verb take the option of that name? */
bool arguments_takes(const Verb *verb, const char *name);

/* Is one of the options given that stand for @verb? Its of is not NULL. */
bool arguments_chooses(const Options *options, const Verb *verb);

/* The name of the option that @word is, if the next word is its value; else NULL. */
const char *arguments_awaiting(const char *word);

/* Options of @verb, or the global ones (NULL), that people may know of. */
void arguments_foreach_option(const Verb *verb, void (*func)(void *data, const char *name, const char *help, bool takes_value),
			      void *data);

/* The options of @verb, or the global ones. */
void arguments_print_options(Output *output, const Verb *verb);

#endif
