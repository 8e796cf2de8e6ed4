/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Path walker: looks up the paths of path: conditions and watches them with inotify. It runs in
 * svc-worker, because any user can hold the lock of a directory that the user may list, and a
 * look-up then blocks.
 */
#ifndef SVCD_PROVIDERS_PATH_WALKER_H
#define SVCD_PROVIDERS_PATH_WALKER_H

#include <glib.h>
#include <stdint.h>

#include "model/key.h"
#include "providers/mount.h"

typedef struct PathWalker PathWalker;

typedef struct PathFinding {
	Level level;
	const char *why;
} PathFinding;

typedef enum PathReports {
	PATH_REPORT_CHANGES,
	PATH_REPORT_LOOKS, /* each look-up, because an event occurred on the way to the path */
} PathReports;

typedef struct PathWalkerOps {
	MountPointKind (*kind)(void *data, const char *path); /* NULL: all mounts are local */
	/* begin(): a look-up of that path begins, and may block. rest(): it has ended. */
	void (*begin)(void *data, uint64_t id);
	void (*rest)(void *data);
	void (*found)(void *data, uint64_t id, const PathFinding *finding); /* before rest() */
	void *data;
} PathWalkerOps;

/* @ops: copied. Returns: NULL with @error if the machine cannot watch files. */
PathWalker *path_walker_new(const PathWalkerOps *ops, GError **error);
void path_walker_free(PathWalker *walker); /* NULL is allowed */

/**
 * path_walker_add() - look up a path now, and again whenever it may have changed
 * @id: not in use
 * @argument: of the key of a condition, "exec:/bin/sh"
 */
void path_walker_add(PathWalker *walker, uint64_t id, const char *argument, PathReports reports);
void path_walker_remove(PathWalker *walker, uint64_t id); /* an unknown id is allowed */

/**
 * path_walker_look_below() - look again at paths that may lie below mount points
 * @points: a set of paths without links in them (char *); NULL: any path may have changed
 *
 * A mount changes nothing in the directory that contains it, so inotify does not report it.
 * Directories do not know their paths, so all paths through a name like that of a mount point are
 * looked up again.
 */
void path_walker_look_below(PathWalker *walker, GHashTable *points);

#endif
