/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Arguments: options by table. They may stand anywhere; "--" ends them.
 */
#ifndef SVCD_SVCCTL_ARGUMENTS_H
#define SVCD_SVCCTL_ARGUMENTS_H

#include "svcctl/svcctl.h"

/**
 * arguments_parse() - take the options out of @argv
 * @tokens: the remaining arguments are added; borrowed strings
 *
 * After an error the options before it are still set, so that the error is printed in the requested
 * format.
 */
bool arguments_parse(Options *options, int argc, char **argv, GPtrArray *tokens, GError **error);

/* Applies the options that concern every verb. */
bool arguments_apply(Options *options, Output *output, int64_t *ret_timeout_us, GError **error);

/* Does @verb take the options that are set? */
bool arguments_check(const Options *options, const Verb *verb, GError **error);

/* Does @verb take the option @name? */
bool arguments_takes(const Verb *verb, const char *name);

/* Do the given options select @verb? @verb->of must not be NULL. */
bool arguments_chooses(const Options *options, const Verb *verb);

/* The option that takes the argument after @token as its value; NULL if @token expects none. */
const char *arguments_awaiting(const char *token);

/* Calls @func with each documented option of @verb; NULL: with each documented global option. */
void arguments_foreach_option(const Verb *verb,
			      void (*func)(void *data, const char *name, const char *help,
					   bool takes_value),
			      void *data);

/* Prints the options of @verb; NULL: the global options. */
void arguments_print_options(Output *output, const Verb *verb);

#endif
