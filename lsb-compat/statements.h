/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Statements: what headers and rc links say, one by one, as edges between nodes.
 */
#ifndef SVCD_LSB_COMPAT_STATEMENTS_H
#define SVCD_LSB_COMPAT_STATEMENTS_H

#include <glib.h>

#include "base/diag.h"
#include "lsb-compat/edges.h"
#include "lsb-compat/nodes.h"

/* A $facility that a script names: services that are no scripts may provide it, too. */
typedef struct LsbFacilityUse {
	unsigned node;
	const char *facility; /* borrowed */
	bool is_expanded; /* the edges to its members must all stand; false: an own job stands for it */
} LsbFacilityUse;

typedef struct LsbStatements {
	LsbEdges *start;
	LsbEdges *stop;
	GArray *start_uses; /* LsbFacilityUse: the node starts after it */
	GArray *stop_uses;  /* the node stops before it */
} LsbStatements;

/**
 * lsb_statements_collect() - of all nodes but those that have a file of their own
 *
 * Words that nobody provides, facilities that nobody defines, and required services that are not started where they
 * are required are told to @diags.
 */
LsbStatements *lsb_statements_collect(LsbNodes *nodes, DiagList *diags);
void lsb_statements_free(LsbStatements *statements);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LsbStatements, lsb_statements_free)

#endif
