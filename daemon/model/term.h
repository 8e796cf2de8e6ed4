/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Terms: one line of When= or While=, which consists of alternatives joined by "|", each with an
 * optional "!".
 */
#ifndef SVCD_MODEL_TERM_H
#define SVCD_MODEL_TERM_H

#include <glib.h>
#include <stdbool.h>

#include "base/diag.h"
#include "model/key.h"

typedef struct Literal {
	const char *key; /* canonical, interned */
	KeyPrefix prefix;
	bool negated;
} Literal;

typedef struct Term {
	Origin origin;
	char *text; /* as written */
	unsigned n_literals;
	Literal literals[]; /* at least one; the term is true if any of them is */
} Term;

/**
 * term_parse() - parse one line
 * @service: the service whose file contains it, for due: without a name; NULL: none
 * @ret_problem: on failure, one sentence, a new string
 * Returns: a new term, or NULL.
 */
Term *term_parse(const char *text, const char *service, Origin origin, char **ret_problem);

/* A term of one plain literal, for keys that are short forms (After=x is settled:x). */
Term *term_new_single(KeyPrefix prefix, const char *argument, const char *text, Origin origin);
Term *term_copy(const Term *term);
void term_free(Term *term);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Term, term_free)

static inline unsigned term_length(const Term *term)
{
	return term->n_literals;
}

static inline const Literal *term_literal(const Term *term, unsigned index)
{
	return &term->literals[index];
}

/* The present level of @key. */
typedef Level (*TermLevelFunc)(const char *key, void *data);

/**
 * term_evaluate() - three-valued: true beats unknown, and unknown beats false; "!" keeps unknown
 */
Level term_evaluate(const Term *term, TermLevelFunc level, void *data);

/**
 * term_need() - get the service that this term makes wanted: a single plain service:x
 * Returns: x, or NULL.
 */
const char *term_need(const Term *term);

#endif
