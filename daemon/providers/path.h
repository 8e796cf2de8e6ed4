/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Path: conditions on the file system.
 *
 * path:/x exists (symlinks followed), path:exec:/x is an executable file, path:dir:/x is a directory,
 * path:nonempty:/x is a file with content or a directory with an entry.
 *
 * svc-worker looks at all paths (providers/path-walker.h), because a look-up can wait for ever. The manager looks at none.
 */
#ifndef SVCD_PROVIDERS_PATH_H
#define SVCD_PROVIDERS_PATH_H

#include <glib.h>
#include <stdbool.h>

#include "providers/provider.h"
#include "worker/pool.h"

/* The owner of jobs that look at paths, as long as their process does not hang. */
#define PATH_OWNER "paths"

/* Verbs of svc-worker with the argument of a key; each answers PATH_ANSWER_LEVEL LEVEL WHY, and again after each change. */
#define PATH_VERB_WATCH "watch-path" /* by inotify; may answer PATH_ANSWER_MOUNT POINT instead */
#define PATH_EACH_LOOK "each"        /* after the argument: after each event, also without a change */
#define PATH_VERB_POLL "poll-path"   /* every second; for file systems that may not answer */

#define PATH_ANSWER_LEVEL "level"
#define PATH_ANSWER_MOUNT "mount" /* the path leads into this mount, whose file system may not answer */

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
