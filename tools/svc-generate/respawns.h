/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Respawns: what the lines of inittab(5) mean: services, and the runlevels that want them.
 *
 *	respawn                   a daemon that is always restarted; a getty is getty@TERMINAL where that template exists,
 *	                          but for the terminal that the display manager takes (consoles.h)
 *	once, wait, boot, bootwait  a task; what follows in the file waits for wait and bootwait
 *	ctrlaltdel, power..., kbrequest  a task with the name that svcd starts when that happens
 *	initdefault               the runlevel to boot into
 *	sysinit, and /etc/init.d/rc of any line  nothing: rc's work is svcd's
 */
#ifndef SVCD_GENERATE_RESPAWNS_H
#define SVCD_GENERATE_RESPAWNS_H

#include <glib.h>
#include <stdbool.h>

#include "base/diag.h"
#include "svc-generate/output.h"

#define RESPAWNS_POLICY_FILE "inittab.policy"

typedef struct RespawnsWorld {
	bool has_getty; /* is there a template getty@? */
	/* Is @path there, an executable file? */
	bool (*has_program)(const void *data, const char *path);
	const void *data;
} RespawnsWorld;

typedef struct RespawnsOutput {
	Output *services;
	Output *policy; /* of the layer of rc links (docs/policy.md): it counts if RcLinks=yes */
} RespawnsOutput;

/* @entries: InittabEntry * */
void respawns_generate(const GPtrArray *entries, const RespawnsWorld *world, RespawnsOutput output, DiagList *diags);

#endif
