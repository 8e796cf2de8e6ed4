/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The order graph: start and stop ordering, strongly connected components without recursion, and
 * the edges of a cycle.
 */
#ifndef SVCD_MODEL_GRAPH_H
#define SVCD_MODEL_GRAPH_H

#include <glib.h>
#include <stdbool.h>

#include "base/enum-names.h"
#include "model/service-set.h"

#define EDGE_KINDS(X, P) X(P, SOFT, "soft") X(P, HARD, "hard")
ENUM_WITH_NAMES(EdgeKind, EDGE, edge_kind, EDGE_KINDS)

/* @before must be up (or settled) before @after starts. */
typedef struct Edge {
	unsigned before; /* index into service_set_list() */
	unsigned after;
	EdgeKind kind;
	bool is_turned; /* from Before= in the file of @before */
	Origin origin;
	const char *text; /* the term or name as written; borrowed from the definition */
} Edge;

/**
 * graph_edges() - collect all edges of @set
 *
 * They come from After=, Before=, and the service:, settled: and facility: terms.
 * Returns: a new GArray of Edge.
 */
GArray *graph_edges(const ServiceSet *set);

/**
 * graph_stop_edges() - collect the stop order: @before has stopped before @after may stop
 *
 * These are StopAfter= and StopBefore=. Other pairs get the reverse of the start order, unless the
 * service with the line has StopOrder=said. A mounted: term orders like a term about the service
 * that mounts. Every alternative of a term is included, because the service may depend on any of
 * them.
 * Returns: a new GArray of Edge.
 */
GArray *graph_stop_edges(const ServiceSet *set);

/**
 * graph_edges_compact() - like graph_edges(), with a node for each facility
 * @ret_facilities: names of the facilities; node service_set_length() + i is the i-th; a new array
 * of borrowed strings
 *
 * With these nodes, the number of edges grows only in proportion to the text of the files. A hard
 * edge without text leads from each provider to its facility. A service that provides a facility
 * does not wait for that facility itself.
 * Returns: a new GArray of Edge.
 */
GArray *graph_edges_compact(const ServiceSet *set, GPtrArray **ret_facilities);

/**
 * graph_components() - find strongly connected components by Tarjan's algorithm, without recursion
 * @n: number of nodes
 *
 * Chains of 10,000 nodes are fine.
 * Returns: a new array of n component numbers. The successors of a component have smaller numbers.
 */
unsigned *graph_components(unsigned n, const GArray *edges);

#endif
