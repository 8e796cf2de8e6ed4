/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Verb cgroups: operations on the cgroups that a service has made below its own.
 *
 * 	cgroup-signal GROUP NUMBER PID -> done    to all processes except PID
 * 	cgroup-clear GROUP             -> done    removes the cgroups below it
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
	if (request->n_fields == 4)
		pids_signal(list, request->fields[1], atoi(request->fields[2]),
			    (pid_t)atoi(request->fields[3]));
	worker_answer(request->id, -1, WORKER_DONE, NULL);
}

void verb_cgroup_clear(WorkerRequest *request)
{
	if (request->n_fields == 2)
		cgroup_tree_clear(request->fields[1]);
	worker_answer(request->id, -1, WORKER_DONE, NULL);
}
