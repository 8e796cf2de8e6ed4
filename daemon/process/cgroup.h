/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Cgroup: the control group (v2) of one service: its processes, signals to all of them, and the
 * event when the last one ends.
 *
 * Without cgroup v2 the object exists, but its population is CGROUP_UNKNOWN and it contains no
 * process. Then only the main process and its session are known (docs/processes.md). A user's svcd
 * usually has no writable cgroup. It can find processes by marks instead
 * (process/tagged-processes.h), which is almost as exact.
 */
#ifndef SVCD_PROCESS_CGROUP_H
#define SVCD_PROCESS_CGROUP_H

#include <glib.h>
#include <stdbool.h>
#include <sys/types.h>

#include "worker/pool.h"

typedef struct Cgroup Cgroup;

typedef enum CgroupPopulation {
	CGROUP_UNKNOWN, /* no cgroup v2 */
	CGROUP_EMPTY, /* no process except zombies, or the directory is gone */
	CGROUP_POPULATED,
} CgroupPopulation;

/**
 * cgroup_new() - name the group of a service; the directory is not made yet
 * @root: the directory that contains the groups of services; NULL: no cgroup v2
 * @on_change: called from the main loop when a watched group may have become empty
 */
Cgroup *cgroup_new(const char *root, const char *service, void (*on_change)(void *data),
		   void *data);
/*
 * @workers walk the groups that the service makes below its own. Without workers those groups are
 * left alone.
 */
void cgroup_use_workers(Cgroup *cgroup, WorkerPool *workers);
/*
 * From now on, the service's processes are the descendants of @keeper that have the service's mark.
 * Does nothing if there is a cgroup.
 */
void cgroup_use_marks(Cgroup *cgroup, pid_t keeper);
/* The mark to put into the environment of the service's processes; NULL: none. */
const char *cgroup_mark(const Cgroup *cgroup);
/* Can the processes of the group be listed? */
bool cgroup_is_known(const Cgroup *cgroup);
void cgroup_free(Cgroup *cgroup);

/* Makes the directory. It is not an error if it exists. */
bool cgroup_create(Cgroup *cgroup, GError **error);
/*
 * Makes an empty group anew if cgroup.kill may have been written to it; called before a process is
 * started in it.
 *
 * Since Linux 6.14 (and 6.1.129, 6.6.78, 6.12.14), CLONE_INTO_CGROUP has a fault:
 * cgroup_post_fork() uses the kill counter of the wrong group. It kills the new process if the
 * counters of its own group and of the parent's group differ. Returns: true if the group is new
 * now, with no setting applied to it yet.
 */
bool cgroup_renew(Cgroup *cgroup);
bool cgroup_may_be_killed(const Cgroup *cgroup);
/*
 * Was the group made by cgroup_create() and not used since? Then it has no processes, and its
 * counters are 0.
 */
bool cgroup_is_new(const Cgroup *cgroup);
/* A descriptor for CLONE_INTO_CGROUP; -1 with @error. Without cgroup v2: -1 and no error. */
int cgroup_open(Cgroup *cgroup, GError **error);

/* Starts or ends watching for changes. The callback is only a hint: call cgroup_population(). */
void cgroup_watch(Cgroup *cgroup, bool on);

/* Sends SIGKILL to all processes in the group and below it. */
bool cgroup_kill(Cgroup *cgroup, GError **error);
/*
 * Sends @signo to all processes in the group and below it, except @except (0: none). If it has
 * subgroups, a worker sends the signals a little later.
 */
void cgroup_signal(const Cgroup *cgroup, int signo, pid_t except);

/* Removes the directory. A group with processes or subgroups stays. */
void cgroup_remove(const Cgroup *cgroup);
/*
 * Removes the groups that the service has made below its own. Returns: true if there are none;
 * false while the removal is in progress. The end of the removal is reported as a change.
 */
bool cgroup_clear(Cgroup *cgroup);
bool cgroup_has_groups(const Cgroup *cgroup);

const char *cgroup_path(const Cgroup *cgroup); /* NULL without cgroup v2 */
/* A group that was just made is reported as empty. It is not examined before cgroup_open(). */
CgroupPopulation cgroup_population(const Cgroup *cgroup);
/* The next two functions do not examine subgroups. */
bool cgroup_contains(const Cgroup *cgroup, pid_t pid);
GArray *cgroup_pids(const Cgroup *cgroup);

#endif
