/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Nodes: what headers order: scripts that are run, services that take the place of scripts, and scripts that are not run;
 * found by the words that they provide.
 */
#ifndef SVCD_LSB_COMPAT_NODES_H
#define SVCD_LSB_COMPAT_NODES_H

#include <glib.h>
#include <stdbool.h>

#include "base/diag.h"
#include "lsb-compat/facilities.h"
#include "lsb-compat/lsb.h"
#include "lsb-compat/scripts.h"

typedef enum LsbRole {
	LSB_ROLE_SCRIPT,  /* becomes a service */
	LSB_ROLE_NATIVE,  /* a service with a file of its own; its order is that file's, not a header's */
	LSB_ROLE_OWN_JOB, /* not run; leads from those before it to those behind it */
} LsbRole;

typedef struct LsbNode {
	char *name; /* of the service */
	LsbRole role;
	const LsbScript *script; /* NULL: a service that never was one */
	const char *stands_for;  /* of an own job: the facility that is meant by its names; or NULL */
	unsigned start;          /* runlevels, see levels.h; of a native without a script: all */
	unsigned stop;
	bool is_known; /* rc links (or, without any, the header) say in which runlevels */
	GPtrArray *provides; /* further names and facilities, strings; of scripts that are run */
	bool is_interactive;
	bool is_stop_only; /* its header wants it at the shutdown alone */
} LsbNode;

typedef struct LsbNodes {
	GPtrArray *list; /* LsbNode *, owned */
	const LsbFacilities *facilities;
	const LsbNatives *natives; /* or NULL */
	GHashTable *words;   /* word -> GArray of node numbers, owned */
	GHashTable *by_name; /* name of a native -> its number + 1 */
	DiagList *diags;
} LsbNodes;

/**
 * lsb_nodes_new() - a node for each script, and who provides what
 * @scripts, @facilities, @natives: borrowed, must stay
 *
 * Runlevels come from the links; if no script has any, from Default-Start and Default-Stop.
 */
LsbNodes *lsb_nodes_new(const GPtrArray *scripts, const LsbFacilities *facilities, const LsbNatives *natives,
			DiagList *diags);
void lsb_nodes_free(LsbNodes *nodes);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LsbNodes, lsb_nodes_free)

LsbNode *lsb_node_at(const LsbNodes *nodes, unsigned number);

/**
 * lsb_nodes_find() - who provides @word, which is no facility
 *
 * A service with a file of its own becomes a node when it is first asked for.
 * Returns: an array of node numbers that belongs to @nodes, NULL if there is nobody.
 */
const GArray *lsb_nodes_find(LsbNodes *nodes, const char *word);

#endif
