/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * LSB world: a machine with init scripts, and the files that are made of them.
 */
#ifndef SVCD_TESTS_LIB_LSB_WORLD_H
#define SVCD_TESTS_LIB_LSB_WORLD_H

#include "tests/lib/tree.h"

typedef struct LsbWorld {
	Tree *tree;
	GPtrArray *files; /* LsbFile *, since read_scripts() */
} LsbWorld;

/* With facilities and without scripts. */
LsbWorld *lsb_world_new(void);
void lsb_world_free(LsbWorld *w);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LsbWorld, lsb_world_free)

void write_script(const LsbWorld *w, const char *name, const char *text);
/* A script with a whole header: these fields, and those that it must have besides. "Provides: a\nShould-Start: b" */
void script(const LsbWorld *w, const char *name, const char *fields);

/* @said must be all that is complained of. */
void read_scripts(LsbWorld *w, const char *said);
/* @native_pairs: of a script's name and the service that is there for it; ends with NULL. */
void read_scripts_beside(LsbWorld *w, const char *const *native_pairs, const char *said);

/* What NAME.svc or a file of policy says, "" if there is none. */
const char *text_of(const LsbWorld *w, const char *name);
/* The values of all lines for @key in NAME.svc, with blanks between them; a new string. */
char *value_of(const LsbWorld *w, const char *service, const char *key);
void expect_value(const LsbWorld *w, const char *service, const char *key, const char *expected);
/* Of all files. */
void expect_names(const LsbWorld *w, const char *expected);
/* Our own readers must have nothing to say of what was made. */
void expect_sound(const LsbWorld *w);

#endif
