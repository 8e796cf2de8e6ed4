/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Edges: of each pair of nodes the strongest reason for its order, and the loops taken out.
 */
#ifndef SVCD_LSB_COMPAT_EDGES_H
#define SVCD_LSB_COMPAT_EDGES_H

#include <glib.h>
#include <stdbool.h>

#include "base/diag.h"
#include "lsb-compat/nodes.h"

/* Of a loop the weakest goes first. */
typedef enum LsbStrength {
	LSB_UNUSED,   /* no runlevel has both */
	LSB_NUMBER,   /* the numbers of rc links */
	LSB_ALL,      /* $all */
	LSB_SHOULD,   /* Should-Start, X-Start-Before and the like */
	LSB_REQUIRED, /* Required-Start, Required-Stop */
} LsbStrength;

typedef struct LsbEdge {
	unsigned before; /* starts, or stops, first */
	unsigned after;
	LsbStrength strength;
	Origin origin;     /* the line that says so */
	unsigned said_by;  /* the node whose header or link it is */
	const char *field; /* "Required-Start", borrowed; NULL: the numbers of links */
	const char *word;  /* as written there, borrowed */
	bool is_dropped;
} LsbEdge;

typedef struct LsbEdges {
	GArray *list; /* LsbEdge */
	GHashTable *by_pair;
} LsbEdges;

LsbEdges *lsb_edges_new(void);
void lsb_edges_free(LsbEdges *edges);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LsbEdges, lsb_edges_free)

/* Adds @edge, or makes the one of the same pair as strong. Nobody comes before himself. */
void lsb_edges_add(LsbEdges *edges, const LsbEdge *edge);

/* The edge of that pair that has not been dropped, or NULL. */
const LsbEdge *lsb_edges_find(const LsbEdges *edges, unsigned before, unsigned after);

/**
 * lsb_edges_break_loops() - drop edges until there is no loop, each time one of the weakest in it
 *
 * Each is told with the whole loop. Beyond LIMIT_LOOPS all of the weakest in every loop that is left go at once.
 */
void lsb_edges_break_loops(LsbEdges *edges, const LsbNodes *nodes, DiagList *diags);

#endif
