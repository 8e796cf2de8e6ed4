/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Nodes: everything that headers order: scripts that are run, services that replace scripts, and
 * scripts that are not run. They are found by the names that they provide.
 */
#ifndef SVCD_LSB_COMPAT_NODES_H
#define SVCD_LSB_COMPAT_NODES_H

#include <glib.h>
#include <stdbool.h>

#include "base/diag.h"
#include "lsb-compat/facilities.h"
#include "lsb-compat/natives.h"
#include "lsb-compat/scripts.h"

typedef enum LsbRole {
	LSB_ROLE_SCRIPT, /* becomes a service */
	/* a service with a file of its own; that file, not a header, decides its order */
	LSB_ROLE_NATIVE,
	/* not run; passes on the order between the scripts before and behind it */
	LSB_ROLE_OWN_JOB,
} LsbRole;

typedef struct LsbNode {
	char *name; /* of the service */
	LsbRole role;
	const LsbScript *script; /* NULL: a service without a script */
	/* Of a job of svcd's own: the facility that its names stand for; or NULL. */
	const char *stands_for;
	unsigned start; /* runlevels, see levels.h; of a native without a script: all */
	unsigned stop;
	bool is_known; /* rc links, or else the header, set its runlevels */
	GPtrArray *provides; /* further names and facilities, strings; of scripts that are run */
	bool is_interactive;
	bool is_stop_only; /* its header lists it for the shutdown only */
} LsbNode;

typedef struct LsbNodes {
	GPtrArray *list; /* LsbNode *, owned */
	const LsbFacilities *facilities;
	const LsbNatives *natives; /* or NULL */
	GHashTable *tokens; /* name -> GArray of node numbers, owned */
	GHashTable *by_name; /* name of a native -> its number + 1 */
	DiagList *diags;
} LsbNodes;

/**
 * lsb_nodes_new() - a node for each script, with the names that each provides
 * @scripts, @facilities, @natives: borrowed, must stay valid
 *
 * Runlevels come from the links; if no script has any, from Default-Start and Default-Stop.
 */
LsbNodes *lsb_nodes_new(const GPtrArray *scripts, const LsbFacilities *facilities,
			const LsbNatives *natives, DiagList *diags);
void lsb_nodes_free(LsbNodes *nodes);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LsbNodes, lsb_nodes_free)

LsbNode *lsb_node_at(const LsbNodes *nodes, unsigned number);

/**
 * lsb_nodes_find() - the nodes that provide @token, which is not a facility
 *
 * A service with a file of its own becomes a node at the first request.
 * Returns: an array of node numbers that belongs to @nodes; NULL if there is none.
 */
const GArray *lsb_nodes_find(LsbNodes *nodes, const char *token);

#endif
