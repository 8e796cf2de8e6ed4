/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Cgroup: the control group of one service, cgroup v2: who is in it, signals to all of it, its end.
 *
 * Without cgroup v2 the object exists all the same and knows nothing: its population is CGROUP_UNKNOWN, and it holds
 * nobody. Then only the main process and its session are known (docs/processes.md). For a user's svcd, which mostly has no
 * cgroup that it may write to, it can be told to go by marks (process/kin.h) and then knows almost as much.
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
	CGROUP_EMPTY,   /* no process but zombies, or the directory is gone */
	CGROUP_POPULATED,
} CgroupPopulation;

/**
 * cgroup_new() - name the group of a service; nothing is made yet
 * @root:      the directory that services' groups are in; NULL: no cgroup v2
 * @on_change: called from the main loop when a watched group may have become empty
 */
Cgroup *cgroup_new(const char *root, const char *service, void (*on_change)(void *data), void *data);
/* For what walks the groups that the service makes below its own. Without them those are left alone. */
void cgroup_use_workers(Cgroup *cgroup, WorkerPool *workers);
/* From now on its processes are those below @keeper that bear its mark. Nothing where there is a cgroup. */
void cgroup_use_marks(Cgroup *cgroup, pid_t keeper);
/* The mark that its processes are to have in their environment; NULL: none. */
const char *cgroup_mark(const Cgroup *cgroup);
/* Is it known at all who belongs to it? */
bool cgroup_is_known(const Cgroup *cgroup);
void cgroup_free(Cgroup *cgroup);

/* Makes the directory; there already is fine. */
bool cgroup_create(Cgroup *cgroup, GError **error);
/*
 * Before somebody is started into a group that may have been killed: it is made anew, if it is empty. Since Linux 6.14 (and 6.1.129,
 * 6.6.78, 6.12.14) cgroup_post_fork() kills who comes by CLONE_INTO_CGROUP into a group that was killed another number of times
 * than his parent's: the count of the wrong group is remembered. Returns: whether it is a new one now, with nothing written to it.
 */
bool cgroup_renew(Cgroup *cgroup);
bool cgroup_may_be_killed(const Cgroup *cgroup);
/* Was it made by cgroup_create(), and not used since? Then nothing is in it, and nothing has been counted in it. */
bool cgroup_is_new(const Cgroup *cgroup);
/* A descriptor for CLONE_INTO_CGROUP; -1 with @error, -1 without one where there is no cgroup v2. */
int cgroup_open(Cgroup *cgroup, GError **error);

/* Starts or ends looking for changes. The call-back only wakes: ask cgroup_population() for the truth. */
void cgroup_watch(Cgroup *cgroup, bool on);

/* KILL to every process in it and below it, at once. */
bool cgroup_kill(Cgroup *cgroup, GError **error);
/* @signo to every process in it and below it, except @except (0: none). If there are groups below it, a moment later. */
void cgroup_signal(const Cgroup *cgroup, int signo, pid_t except);

/* Removes it; one with processes or groups stays. */
void cgroup_remove(const Cgroup *cgroup);
/* Has the groups removed that the service has made below it. Returns: false when that has begun; the end of it is a change. */
bool cgroup_clear(Cgroup *cgroup);
bool cgroup_has_groups(const Cgroup *cgroup);

const char *cgroup_path(const Cgroup *cgroup); /* NULL without cgroup v2 */
/* One that was just made is empty: nobody is looked for in it until cgroup_open(). */
CgroupPopulation cgroup_population(const Cgroup *cgroup);
/* These two do not look into groups below it. */
bool cgroup_contains(const Cgroup *cgroup, pid_t pid);
GArray *cgroup_pids(const Cgroup *cgroup);

#endif
