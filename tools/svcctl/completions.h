/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Completions: completions of the argument at the cursor, with their descriptions. They cost at
 * most one call to svcd. If svcd does not answer, or refuses this user, they come from the files.
 */
#ifndef SVCD_SVCCTL_COMPLETIONS_H
#define SVCD_SVCCTL_COMPLETIONS_H

#include "svcctl/svcctl.h"

typedef struct Completion {
	char *token;
	char *text; /* one line; "": no description */
} Completion;

typedef struct Completions {
	const char *begin; /* the typed beginning of the argument; borrowed */
	const char *root; /* the tree with the files to use instead of svcd, or NULL */
	GPtrArray *found; /* Completion *; only those that begin with @begin */
} Completions;

void completions_init(Completions *c, const char *begin, const char *root);
void completions_clear(Completions *c);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Completions, completions_clear)

/* @text may be NULL. */
void completions_add(Completions *c, const char *token, const char *text);
/* Each of the @tokens, which are separated by blanks. */
void completions_add_tokens(Completions *c, const char *tokens);

typedef enum ServiceFilter {
	SERVICES_ANY,
	SERVICES_OFF, /* a start would have an effect */
	SERVICES_RUNNING, /* with processes, or up */
	SERVICES_FAILED, /* with a failure state that can be cleared */
} ServiceFilter;

void completions_add_services(Completions *c, Context *context, ServiceFilter filter);
void completions_add_conditions(Completions *c, Context *context);
/* Flags that are set, or flags that services wait for. */
void completions_add_flags(Completions *c, Context *context, bool is_set);
void completions_add_runlevels(Completions *c, Context *context);
/*
 * Properties of services, or of svcd itself. A list of properties is separated by commas; a
 * property that is in it is not offered again.
 */
void completions_add_properties(Completions *c);
/* @suffix: of the files, with directories on the way to them; NULL: only directories. */
void completions_add_files(Completions *c, const char *suffix);

#endif
