/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The order graph: who comes before whom, strongly connected parts without recursion, the softest edge of a cycle.
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
	bool is_turned; /* @before says so, by its Before= */
	Origin origin;
	const char *text; /* the term or name as written; borrowed from the definition */
} Edge;

/**
 * graph_edges() - all edges of @set: After=, Before=, and the service:, settled: and facility: terms
 * Returns: a new GArray of Edge.
 */
GArray *graph_edges(const ServiceSet *set);

/**
 * graph_stop_edges() - the order of stopping: @before has stopped before @after is told to
 *
 * What StopAfter= and StopBefore= say, and the reverse of the order of starting where they say nothing, and the service
 * whose line it is has not StopOrder=said. A mounted: term orders as a term about the service that mounts it does. Here every alternative of a term counts: the service may stand on any of them.
 * Returns: a new GArray of Edge.
 */
GArray *graph_stop_edges(const ServiceSet *set);

/**
 * graph_edges_compact() - the same with a node for each facility, so that their number grows with the files' text only
 * @ret_facilities: names of the facilities; node service_set_length() + i is the i-th; a new array of borrowed strings
 *
 * From each provider to its facility goes a hard edge without text. A service that provides a facility does not wait
 * for that facility itself.
 * Returns: a new GArray of Edge.
 */
GArray *graph_edges_compact(const ServiceSet *set, GPtrArray **ret_facilities);

/**
 * graph_components() - Tarjan's strongly connected components, iterative (chains of 10,000 are fine)
 * @n: number of nodes
 * Returns: a new array of n component numbers, numbered so that a component's successors have smaller numbers.
 */
unsigned *graph_components(unsigned n, const GArray *edges);

#endif
