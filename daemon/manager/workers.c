/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Workers: PID 1 runs svc-worker for the pool. Each process has its own row in PID 1's table,
 * ".worker-NUMBER".
 *
 * Workers of an earlier manager find end-of-file on their input and exit. A hanging worker keeps
 * its row until it ends; the manager that runs then acknowledges its exit.
 */
#include "config.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "manager/manager.h"

#define WORKER_PROGRAM SVCD_LIBDIR "/svc-worker"

static uint64_t last_number; /* of the worker that was started last */

static void write_name(char *name, size_t size, uint64_t number)
{
	(void)snprintf(name, size, "%s%" G_GUINT64_FORMAT, worker_helper.service, number);
}

static uint64_t start(void *data, int socket)
{
	static const char *const argv[] = { WORKER_PROGRAM, NULL };
	Manager *m = data;
	const uint64_t number = MAX((uint64_t)loop_now(), last_number + 1);
	g_autoptr(GError) error = NULL;
	char name[40];

	write_name(name, sizeof name, number);
	if (helper_spawn(m, &worker_helper,
			 &(HelperRun){ .argv = argv,
				       .input_fd = socket,
				       .output_fd = -1,
				       .row = name,
				       .invocation = number },
			 &error) > 0)
		return last_number = number;
	log_warning(NULL, "cannot start svc-worker: %s", error->message);
	return 0;
}

static void kill_worker(void *data, uint64_t number)
{
	Manager *m = data;
	struct ProcessId id;
	char name[40];

	write_name(name, sizeof name, number);
	process_id_init(&id, name, ROLE_MAIN, number);
	keeper_link_signal(m->link, &id, SIGKILL);
}

static void dispose(void *data, int fd)
{
	keeper_link_dispose(((Manager *)data)->link, fd);
}

void workers_init(Manager *m)
{
	m->workers = worker_pool_new(&(WorkerOps){ .start = start,
						   .kill = kill_worker,
						   .dispose = dispose,
						   .limit_us = WORKER_LIMIT_US,
						   .idle_us = WORKER_IDLE_US,
						   .data = m });
}

static void on_spawned(Manager *m, const struct MessageSpawned *message)
{
	if (!message->error)
		return;
	log_warning(NULL, "cannot start svc-worker: %s", g_strerror(message->error));
	if (m->workers)
		worker_pool_ended(m->workers, message->id.invocation);
}

static void on_exited(Manager *m, const struct MessageExited *message)
{
	if (m->workers)
		worker_pool_ended(m->workers, message->id.invocation);
}

const Helper worker_helper = {
	.service = ".worker-", .has_many_rows = true, .spawned = on_spawned, .exited = on_exited
};
