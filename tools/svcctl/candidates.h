/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Candidates: completions of the argument at the cursor, with their descriptions. They cost at most
 * one call to svcd. If svcd does not answer, or refuses this user, they come from the files.
 */
#ifndef SVCD_SVCCTL_CANDIDATES_H
#define SVCD_SVCCTL_CANDIDATES_H

#include "svcctl/svcctl.h"

typedef struct Candidate {
	char *word;
	char *text; /* one line; "": no description */
} Candidate;

typedef struct Candidates {
	const char *begin; /* the typed beginning of the argument; borrowed */
	const char *root;  /* the tree with the files to use instead of svcd, or NULL */
	GPtrArray *found;  /* Candidate *; only those that begin with @begin */
} Candidates;

void candidates_init(Candidates *c, const char *begin, const char *root);
void candidates_clear(Candidates *c);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Candidates, candidates_clear)

/* @text may be NULL. */
void candidates_add(Candidates *c, const char *word, const char *text);
/* Each of the @words, which are separated by blanks. */
void candidates_add_words(Candidates *c, const char *words);

typedef enum ServiceFilter {
	SERVICES_ANY,
	SERVICES_OFF,     /* a start would have an effect */
	SERVICES_RUNNING, /* with processes, or up */
	SERVICES_FAILED,  /* with a failure state that can be cleared */
} ServiceFilter;

void candidates_add_services(Candidates *c, Context *context, ServiceFilter filter);
void candidates_add_conditions(Candidates *c, Context *context);
/* Flags that are set, or flags that services wait for. */
void candidates_add_flags(Candidates *c, Context *context, bool is_set);
void candidates_add_runlevels(Candidates *c, Context *context);
/*
 * Properties of services, or of svcd itself. Several are separated by commas; those already given
 * are not offered again.
 */
void candidates_add_properties(Candidates *c);
/* @suffix: of the files, with directories on the way to them; NULL: only directories. */
void candidates_add_files(Candidates *c, const char *suffix);

#endif
