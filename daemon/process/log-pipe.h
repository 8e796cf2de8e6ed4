/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Log router: brings the output pipe of each invocation to svc-logger, through that program's deaths and the manager's.
 *
 * A new pipe per invocation; the write end goes to the service, the read end to the keeper (as "SERVICE/log/INVOCATION")
 * and to svc-logger, which is itself a child of the keeper. What could not be handed over
 * stays marked and is handed over later; nothing waits. When svc-logger reports end of file, the pipe is forgotten.
 */
#ifndef SVCD_PROCESS_LOG_PIPE_H
#define SVCD_PROCESS_LOG_PIPE_H

#include <stdbool.h>
#include <stdint.h>

#include "process/keeper-link.h"

#define LOGGER_SERVICE PROTOCOL_LOGGER_SERVICE

typedef struct LogRouter LogRouter;

typedef struct LogRouterOptions {
	const char *program;   /* path of svc-logger */
	const char *directory; /* where it writes: /run/svcd/log */
	const char *cgroup_root; /* NULL: none */
	gid_t (*group)(void *data, const char *service); /* who else than root may read its log, 0: nobody; NULL: never */
	void *data;
} LogRouterOptions;

LogRouter *log_router_new(KeeperLink *link, const LogRouterOptions *options);
void log_router_free(LogRouter *router);

/* After the replay: start svc-logger if no living row of it was told (@alive_pid 0). */
void log_router_begin(LogRouter *router, pid_t alive_pid, uint64_t alive_invocation);

/* A kept descriptor of the replay whose kind is "log" (any service) or whose service is svc-logger. Takes @fd. */
void log_router_give_fd(LogRouter *router, const char *service, const char *kind, const char *index, int fd);

/**
 * log_router_open() - a new pipe for an invocation
 * Returns: the write end, for stdout and stderr; the caller closes it after the spawn. -1 with @error.
 */
int log_router_open(LogRouter *router, const char *service, uint64_t invocation, GError **error);

/* Groups may be others than before: tell svc-logger those that are. */
void log_router_group_again(LogRouter *router);

/* Rows of the service name LOGGER_SERVICE. */
void log_router_on_spawned(LogRouter *router, const struct MessageSpawned *message);
void log_router_on_exited(LogRouter *router, const struct MessageExited *message);

#endif
