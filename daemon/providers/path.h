/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Path: conditions on the file system.
 *
 * path:/x requires that the file exists (symlinks are followed), path:exec:/x an executable file,
 * path:dir:/x a directory, and path:nonempty:/x a file with content or a directory with an entry.
 *
 * svc-worker looks up all paths (providers/path-walker.h), because a look-up can block for ever.
 * The manager looks up none. A path on a remote file system, or on one that a process implements,
 * is unknown: its changes are not reported, and each look-up can block.
 */
#ifndef SVCD_PROVIDERS_PATH_H
#define SVCD_PROVIDERS_PATH_H

#include <glib.h>
#include <stdbool.h>

#include "providers/provider.h"
#include "worker/pool.h"

/* The owner name of jobs on paths, as long as their process does not hang. */
#define PATH_OWNER "paths"

/*
 * A verb of svc-worker with the argument of a key. The answers are PATH_ANSWER_LEVEL LEVEL WHY, now
 * and after each change.
 */
#define PATH_VERB_WATCH "watch-path"
#define PATH_EACH_LOOK "each" /* after the argument: report each event, also without a change */

#define PATH_ANSWER_LEVEL "level"

typedef struct PathOptions {
	WorkerPool *workers; /* borrowed; NULL: all paths are unknown */
	/* A result is known for each subscribed path. May be NULL. */
	void (*settled)(void *data);
	void *data;
} PathOptions;

/* @options: copied */
Provider *path_provider_new(const ProviderSink *sink, const PathOptions *options);

/* Is a result known for each subscribed path? */
bool path_provider_is_settled(Provider *provider);

#endif
