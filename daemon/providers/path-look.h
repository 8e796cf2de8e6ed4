/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Path look: does a file exist at a path, now and after each event on the way to it? svc-worker
 * looks it up, because a look-up can block for ever.
 *
 * This is for sockets that the manager connects to. On a tmpfs, connect(2) finds an existing name
 * without a lock. A missing name needs the lock of its directory.
 */
#ifndef SVCD_PROVIDERS_PATH_LOOK_H
#define SVCD_PROVIDERS_PATH_LOOK_H

#include <stdbool.h>

#include "loop/system-bus.h"
#include "worker/pool.h"

typedef struct PathLook PathLook;

/**
 * path_look_new() - watch a path from now on
 * @seen: called from the main loop soon, and again after each event, also if the answer is the
 * same; may free the PathLook
 */
PathLook *path_look_new(WorkerPool *workers, const char *path,
			void (*seen)(void *data, bool is_there), void *data);
void path_look_free(PathLook *look); /* NULL is allowed */

/* For sockets that the manager connects to. @workers: borrowed; NULL: no socket is ever seen. */
SocketLook path_look_for_sockets(WorkerPool *workers);

#endif
