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

#include "providers/provider.h"

/* Returns: NULL with @error when the machine cannot watch files. */
Provider *path_provider_new(const ProviderSink *sink, GError **error);

/**
 * path_provider_look_below() - look again at what may lie below mount points
 * @points: a set of paths without links in them (char *); only conditions whose way leads through a name like theirs are
 *          looked at. NULL: at all
 */
void path_provider_look_below(Provider *provider, GHashTable *points);

#endif
