/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Respawns: the meaning of the lines of inittab(5): services, and the runlevels that want them.
 *
 * 	respawn                   a daemon that is always restarted; a getty is getty@TERMINAL where that
 * 	                          template exists, except for the terminal of the display manager
 * 	                          (consoles.h)
 * 	once, boot                a task
 * 	wait, bootwait            a task; the following lines wait until it is done
 * 	ctrlaltdel, power..., kbrequest  a task with the name that svcd starts for that event
 * 	initdefault               the default runlevel
 * 	sysinit, and /etc/init.d/rc in any line  ignored: svcd does the work of rc
 */
#ifndef SVCD_GENERATE_RESPAWNS_H
#define SVCD_GENERATE_RESPAWNS_H

#include <glib.h>
#include <stdbool.h>

#include "base/diag.h"
#include "svc-generate/generated-files.h"

#define RESPAWNS_POLICY_FILE "inittab.policy"

typedef struct RespawnsWorld {
	bool has_getty; /* does a template getty@ exist? */
	/* Is @path an executable file? */
	bool (*has_program)(const void *data, const char *path);
	const void *data;
} RespawnsWorld;

typedef struct RespawnsOutput {
	GeneratedFiles *services;
	GeneratedFiles
		*policy; /* of the layer of rc links (docs/policy.md): in force if RcLinks=yes */
} RespawnsOutput;

/* @entries: InittabEntry * */
void respawns_generate(const GPtrArray *entries, const RespawnsWorld *world, RespawnsOutput output,
		       DiagList *diags);

#endif
