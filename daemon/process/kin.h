/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Kin: who belongs to a service where there is no cgroup to tell: what descends from the keeper, and bears the service's mark
 * in its environment. All orphans below a subreaper stay its descendants, and an environment is inherited, whatever a process
 * does to its session.
 *
 * A process that has no mark any more (its environment is overwritten, or not to be read) belongs where its parent or the
 * leader of its session does. Only one that has neither, and is an orphan, is not found.
 *
 * An orphan that is just being executed has no environment for a moment, and may be anybody's.
 */
#ifndef SVCD_PROCESS_KIN_H
#define SVCD_PROCESS_KIN_H

#include <glib.h>
#include <stdbool.h>
#include <sys/types.h>

/* "SVCD_SERVICE=NAME": an entry of an environment. */
#define KIN_MARK "SVCD_SERVICE="

/**
 * kin_pids() - the living processes that belong to @service
 * @service: as in the mark
 * @keeper:  the pid of the subreaper
 * @ret_is_whole: false: somebody is being executed who may belong to it, too; look again. Or NULL
 * Returns: a new array of pid_t, in no order.
 */
GArray *kin_pids(const char *service, pid_t keeper, bool *ret_is_whole);

#endif
