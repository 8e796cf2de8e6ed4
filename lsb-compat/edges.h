/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Edges: for each pair of nodes the strongest reason for its order, without loops.
 */
#ifndef SVCD_LSB_COMPAT_EDGES_H
#define SVCD_LSB_COMPAT_EDGES_H

#include <glib.h>
#include <stdbool.h>

#include "base/diag.h"
#include "lsb-compat/nodes.h"

/* The weakest edge of a loop is dropped first. */
typedef enum LsbStrength {
	LSB_UNUSED, /* no runlevel has both nodes */
	LSB_NUMBER, /* the numbers of rc links */
	LSB_ALL, /* $all */
	LSB_SHOULD, /* Should-Start, X-Start-Before and the like */
	LSB_REQUIRED, /* Required-Start, Required-Stop */
} LsbStrength;

typedef struct LsbEdge {
	unsigned before; /* starts, or stops, first */
	unsigned after;
	LsbStrength strength;
	Origin origin; /* the line that orders them */
	unsigned declared_by; /* the node with this header or link */
	const char *field; /* "Required-Start", borrowed; NULL: the numbers of links */
	const char *token; /* as written in the header, borrowed */
	bool is_dropped;
} LsbEdge;

typedef struct LsbEdges {
	GArray *list; /* LsbEdge */
	GHashTable *by_pair;
} LsbEdges;

LsbEdges *lsb_edges_new(void);
void lsb_edges_free(LsbEdges *edges);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LsbEdges, lsb_edges_free)

/*
 * Adds @edge, or raises the edge of the same pair to its strength. An edge from a node to itself is
 * ignored.
 */
void lsb_edges_add(LsbEdges *edges, const LsbEdge *edge);

/* Returns: the edge of this pair that was not dropped, or NULL. */
const LsbEdge *lsb_edges_find(const LsbEdges *edges, unsigned before, unsigned after);

/**
 * lsb_edges_break_loops() - drop edges, each time one of the weakest in a loop, until there is no
 * loop
 *
 * Each dropped edge is reported with its loop. Beyond LIMIT_LOOPS all weakest edges of the
 * remaining loops are dropped at once.
 */
void lsb_edges_break_loops(LsbEdges *edges, const LsbNodes *nodes, DiagList *diags);

#endif
