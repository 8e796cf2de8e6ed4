/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Statements: the contents of headers and rc links, one by one, as edges between nodes.
 */
#ifndef SVCD_LSB_COMPAT_STATEMENTS_H
#define SVCD_LSB_COMPAT_STATEMENTS_H

#include <glib.h>

#include "base/diag.h"
#include "lsb-compat/edges.h"
#include "lsb-compat/nodes.h"

/* A $facility that a script names. Services that are not scripts may provide it, too. */
typedef struct LsbFacilityUse {
	unsigned node;
	const char *facility; /* borrowed */
	/* all edges to its members must remain; false: a job of svcd's own stands for it */
	bool is_expanded;
} LsbFacilityUse;

typedef struct LsbStatements {
	LsbEdges *start;
	LsbEdges *stop;
	GArray *start_uses; /* LsbFacilityUse: the node starts after it */
	GArray *stop_uses; /* the node stops before it */
} LsbStatements;

/**
 * lsb_statements_collect() - the statements of all nodes except those with a file of their own
 *
 * Reported to @diags: tokens without a provider, undefined facilities, and required services that
 * do not start in a runlevel where they are required.
 */
LsbStatements *lsb_statements_collect(LsbNodes *nodes, DiagList *diags);
void lsb_statements_free(LsbStatements *statements);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LsbStatements, lsb_statements_free)

#endif
