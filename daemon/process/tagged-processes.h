/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tagged processes: the processes of a service on a machine without cgroups. They are the
 * descendants of the keeper that have the service's mark in their environment.
 *
 * All orphans below a subreaper remain its descendants, and the environment is inherited even if a
 * process changes its session. A process without a readable mark (its environment is overwritten or
 * protected) belongs to the service of its parent or its session leader. Only orphans that have no
 * mark and no session leader are missed.
 *
 * An orphan in the middle of an exec has no environment for a moment, so it may belong to any
 * service.
 */
#ifndef SVCD_PROCESS_TAGGED_PROCESSES_H
#define SVCD_PROCESS_TAGGED_PROCESSES_H

#include <glib.h>
#include <stdbool.h>
#include <sys/types.h>

/* "SVCD_SERVICE=NAME": an entry of the environment. */
#define SERVICE_TAG "SVCD_SERVICE="

/**
 * tagged_processes_find() - the living processes that belong to @service
 * @service: as in the mark
 * @keeper: the pid of the subreaper
 * @ret_is_whole: false: a process that may belong to the service is in the middle of an exec; look
 * again. May be NULL
 * Returns: a new array of pid_t, in no particular order.
 */
GArray *tagged_processes_find(const char *service, pid_t keeper, bool *ret_is_whole);

#endif
