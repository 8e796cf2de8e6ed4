/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Path look: is something at a path now, and after each event on the way to it? svc-worker looks, because a look-up can wait for ever.
 * For sockets that the manager connects to: connect(2) finds a name that exists on a tmpfs without a lock, and a name that does not
 * exist only with that of its directory.
 */
#ifndef SVCD_PROVIDERS_PATH_LOOK_H
#define SVCD_PROVIDERS_PATH_LOOK_H

#include <stdbool.h>

#include "loop/system-bus.h"
#include "worker/pool.h"

typedef struct PathLook PathLook;

/**
 * path_look_new() - look at a path from now on
 * @seen: called from the main loop soon, and again after each event, also if the answer is the same; may free this
 */
PathLook *path_look_new(WorkerPool *workers, const char *path, void (*seen)(void *data, bool is_there), void *data);
void path_look_free(PathLook *look); /* NULL is nothing */

/* For sockets that the manager connects to. @workers: borrowed; NULL: none is ever seen. */
SocketLook path_look_for_sockets(WorkerPool *workers);

#endif
