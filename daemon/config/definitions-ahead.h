/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Definitions ahead: what services are, read from their files before it is wanted. The loader takes from here what is made of the same files, and
 * reads the rest.
 */
#ifndef SVCD_CONFIG_DEFINITIONS_AHEAD_H
#define SVCD_CONFIG_DEFINITIONS_AHEAD_H

#include <glib.h>

#include "model/service-def.h"

typedef struct DefinitionsAhead DefinitionsAhead;

DefinitionsAhead *definitions_ahead_new(void);
void definitions_ahead_free(DefinitionsAhead *ahead);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DefinitionsAhead, definitions_ahead_free)

/* Takes @def; @paths: of the files that it was made of, in their order (copied). */
void definitions_ahead_add(DefinitionsAhead *ahead, ServiceDef *def, const GPtrArray *paths);

/* Returns: the caller's, of service @name and made of exactly @paths; NULL: there is none. */
ServiceDef *definitions_ahead_take(DefinitionsAhead *ahead, const char *name, const GPtrArray *paths);

unsigned definitions_ahead_length(const DefinitionsAhead *ahead);

#endif
