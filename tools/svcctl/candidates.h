/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Candidates: words that may stand where somebody is typing, with what they mean. One question to svcd at the most; where it does
 * not answer, or not to this user, what the files say has to do.
 */
#ifndef SVCD_SVCCTL_CANDIDATES_H
#define SVCD_SVCCTL_CANDIDATES_H

#include "svcctl/svcctl.h"

typedef struct Candidate {
	char *word;
	char *text; /* one line, "": nothing to say */
} Candidate;

typedef struct Candidates {
	const char *begin; /* what has been typed of the word; borrowed */
	const char *root;  /* files below it, and no svcd; or NULL */
	GPtrArray *found;  /* Candidate *; only what goes on from @begin */
} Candidates;

void candidates_init(Candidates *c, const char *begin, const char *root);
void candidates_clear(Candidates *c);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Candidates, candidates_clear)

/* @text may be NULL. */
void candidates_add(Candidates *c, const char *word, const char *text);
/* Each of the @words, which have blanks between. */
void candidates_add_words(Candidates *c, const char *words);

typedef enum ServiceFilter {
	SERVICES_ANY,
	SERVICES_OFF,     /* a start has something to do */
	SERVICES_RUNNING, /* they have processes, or are up */
	SERVICES_FAILED,  /* there is something to forget */
} ServiceFilter;

void candidates_add_services(Candidates *c, Context *context, ServiceFilter filter);
void candidates_add_conditions(Candidates *c, Context *context);
/* Flags that are set, or those that services wait for. */
void candidates_add_flags(Candidates *c, Context *context, bool is_set);
void candidates_add_runlevels(Candidates *c, Context *context);
/* Of services, or of svcd itself; more than one has commas between, and those that are there are not offered again. */
void candidates_add_properties(Candidates *c);
/* @suffix: of files, with directories on the way there; NULL: directories alone. */
void candidates_add_files(Candidates *c, const char *suffix);

#endif
