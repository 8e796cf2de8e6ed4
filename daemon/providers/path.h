/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Path: conditions on the file system.
 *
 * path:/x exists (symlinks followed), path:exec:/x is an executable file, path:dir:/x is a directory,
 * path:nonempty:/x is a file with content or a directory with an entry.
 *
 * svc-worker looks at all paths (providers/path-walker.h), because a look-up can wait for ever. The manager looks at none. A path on a
 * file system of another machine or of a process is unknown, because nothing reports its changes and each look can wait.
 */
#ifndef SVCD_PROVIDERS_PATH_H
#define SVCD_PROVIDERS_PATH_H

#include <glib.h>
#include <stdbool.h>

#include "providers/provider.h"
#include "worker/pool.h"

/* The owner of jobs that look at paths, as long as their process does not hang. */
#define PATH_OWNER "paths"

/* A verb of svc-worker with the argument of a key. The answers are PATH_ANSWER_LEVEL LEVEL WHY, now and after each change. */
#define PATH_VERB_WATCH "watch-path"
#define PATH_EACH_LOOK "each" /* after the argument: after each event, also without a change */

#define PATH_ANSWER_LEVEL "level"

typedef struct PathOptions {
	WorkerPool *workers; /* borrowed; NULL: all paths are unknown */
	/* Something is known of each path that was subscribed. May be NULL. */
	void (*settled)(void *data);
	void *data;
} PathOptions;

/* @options: copied */
Provider *path_provider_new(const ProviderSink *sink, const PathOptions *options);

/* Is something known of each path that was subscribed? */
bool path_provider_is_settled(Provider *provider);

#endif
