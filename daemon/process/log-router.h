/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Log router: gives the output of each command to svc-logger, through the deaths of that program and of the manager.
 *
 * Each command has a channel of its own (base/channel.h). One end is its standard output. PID 1 keeps the other, as
 * "SERVICE/log/SERIAL", and svc-logger reads it. A channel that could not be handed over stays marked and is handed over later, so
 * nothing waits. When svc-logger reports its end, PID 1 is asked to forget it.
 */
#ifndef SVCD_PROCESS_LOG_ROUTER_H
#define SVCD_PROCESS_LOG_ROUTER_H

#include <stdbool.h>
#include <stdint.h>

#include "process/keeper-link.h"

#define LOGGER_SERVICE PROTOCOL_LOGGER_SERVICE

typedef struct LogRouter LogRouter;

typedef struct LogRouterOptions {
	const char *program;   /* path of svc-logger */
	const char *directory; /* where it writes: /run/svcd/log */
	const char *cgroup_root; /* NULL: none */
	gid_t (*group)(void *data, const char *service); /* the group that may read its log, 0: none; NULL: never one */
	void *data;
} LogRouterOptions;

LogRouter *log_router_new(KeeperLink *link, const LogRouterOptions *options);
void log_router_free(LogRouter *router);

/* After the replay: starts svc-logger if no row of it is alive (@alive_pid 0). */
void log_router_begin(LogRouter *router, pid_t alive_pid, uint64_t alive_invocation);

/* A kept descriptor of the replay whose kind is "log" (any service) or whose service is svc-logger. Takes @fd. */
void log_router_give_fd(LogRouter *router, const char *service, const char *kind, const char *index, int fd);

/**
 * log_router_open() - a new channel for one command of @service
 * Returns: the end for stdout and stderr; the caller closes it after the spawn. -1 with @error.
 */
int log_router_open(LogRouter *router, const char *service, GError **error);

/* Groups may be others than before: those that changed are sent to svc-logger. */
void log_router_group_again(LogRouter *router);

/* Rows of the service name LOGGER_SERVICE. */
void log_router_on_spawned(LogRouter *router, const struct MessageSpawned *message);
void log_router_on_exited(LogRouter *router, const struct MessageExited *message);

#endif
