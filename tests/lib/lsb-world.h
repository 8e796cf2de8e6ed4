/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * LSB world: a machine with init scripts, and the files generated from them.
 */
#ifndef SVCD_TESTS_LIB_LSB_WORLD_H
#define SVCD_TESTS_LIB_LSB_WORLD_H

#include "tests/lib/tree.h"

typedef struct LsbWorld {
	Tree *tree;
	GPtrArray *files; /* LsbFile *, since read_scripts() */
} LsbWorld;

/* A machine with facilities and without scripts. */
LsbWorld *lsb_world_new(void);
void lsb_world_free(LsbWorld *w);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LsbWorld, lsb_world_free)

void write_script(const LsbWorld *w, const char *name, const char *text);
/*
 * Writes a script with a complete header: @fields, and the required fields that are not among them.
 * @fields: "Provides: a\nShould-Start: b"
 */
void script(const LsbWorld *w, const char *name, const char *fields);

/* The diagnostics must be exactly those of the last argument. */
void read_scripts(LsbWorld *w, const char *message);
/* @native_pairs: pairs of a script and the service that replaces it; ends with NULL. */
void read_scripts_beside(LsbWorld *w, const char *const *native_pairs, const char *message);

/* The content of NAME.svc or a policy file, "" if there is none. */
const char *text_of(const LsbWorld *w, const char *name);
/* The values of all lines for @key in NAME.svc, separated by blanks; a new string. */
char *value_of(const LsbWorld *w, const char *service, const char *key);
void expect_value(const LsbWorld *w, const char *service, const char *key, const char *expected);
/* Compares the names of all files. */
void expect_names(const LsbWorld *w, const char *expected);
/* svcd's own parsers must accept the generated files. */
void expect_sound(const LsbWorld *w);

#endif
