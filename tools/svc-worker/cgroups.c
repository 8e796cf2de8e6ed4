/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Cgroups: operations on the groups that a service has made below its own.
 *
 * 	cgroup-signal GROUP NUMBER PID -> done    to all processes except PID
 * 	cgroup-clear GROUP             -> done    removes the groups below it
 */
#include "config.h"

#include <stdlib.h>

#include "process/cgroup-tree.h"
#include "tools/svc-worker/verbs.h"
#include "tools/svc-worker/worker.h"

static GArray *list(const void *group)
{
	return cgroup_tree_pids(group);
}

void verb_cgroup_signal(WorkerRequest *request)
{
	if (request->n_words == 4)
		pids_signal(list, request->words[1], atoi(request->words[2]), (pid_t)atoi(request->words[3]));
	worker_answer(request->id, -1, WORKER_DONE, NULL);
}

void verb_cgroup_clear(WorkerRequest *request)
{
	if (request->n_words == 2)
		cgroup_tree_clear(request->words[1]);
	worker_answer(request->id, -1, WORKER_DONE, NULL);
}
