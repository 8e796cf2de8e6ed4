/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Path: conditions on the file system, by inotify.
 *
 * path:/x exists (symlinks followed), path:exec:/x is an executable file, path:dir:/x is a directory,
 * path:nonempty:/x is a file with content or a directory with an entry.
 */
#ifndef SVCD_PROVIDERS_PATH_H
#define SVCD_PROVIDERS_PATH_H

#include <glib.h>

#include "providers/mount.h"
#include "providers/path-elsewhere.h"
#include "providers/provider.h"

typedef struct PathOptions {
	MountKind (*kind)(void *data, const char *place); /* NULL: all is local */
	void *data;
	ElsewhereOps elsewhere;
} PathOptions;

/* Returns: NULL with @error when the machine cannot watch files. @options: copied */
Provider *path_provider_new(const ProviderSink *sink, const PathOptions *options, GError **error);

/**
 * path_provider_look_below() - look again at what may lie below mount points
 * @points: a set of paths without links in them (char *); only conditions whose way leads through a name like theirs are
 *          looked at. NULL: at all
 */
void path_provider_look_below(Provider *provider, GHashTable *points);

/* ElsewhereOps.start() has begun a process of that number, and it has ended. */
void path_provider_look_ended(Provider *provider, uint64_t number);

#endif
