/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Log router: passes the output of each command to svc-logger, and keeps the channels through
 * restarts of the logger and of the manager.
 *
 * Each command has its own channel (base/channel.h). One end is the command's standard output. PID
 * 1 keeps the other end as "SERVICE/log/SERIAL", and svc-logger reads it. A channel that cannot be
 * handed over stays marked and is handed over later, so nothing waits. When svc-logger reports the
 * end of a channel, PID 1 is asked to forget it.
 */
#ifndef SVCD_PROCESS_LOG_ROUTER_H
#define SVCD_PROCESS_LOG_ROUTER_H

#include <stdbool.h>
#include <stdint.h>

#include "process/keeper-link.h"

#define LOGGER_SERVICE PROTOCOL_LOGGER_SERVICE

typedef struct LogRouter LogRouter;

typedef struct LogRouterOptions {
	const char *program; /* path of svc-logger */
	const char *directory; /* the directory of the logs: /run/svcd/log */
	const char *cgroup_root; /* NULL: none */
	/* the group that may read the service's log, 0: none; NULL: no log has a group */
	gid_t (*group)(void *data, const char *service);
	void *data;
} LogRouterOptions;

LogRouter *log_router_new(KeeperLink *link, const LogRouterOptions *options);
void log_router_free(LogRouter *router);

/* After the replay: starts svc-logger unless it is already running (@alive_pid 0: it is not). */
void log_router_begin(LogRouter *router, pid_t alive_pid, uint64_t alive_invocation);

/*
 * Takes @fd, a kept descriptor from the replay. @kind is "log" (of any service), or @service is
 * svc-logger.
 */
void log_router_give_fd(LogRouter *router, const char *service, const char *kind, const char *index,
			int fd);

/**
 * log_router_open() - a new channel for one command of @service
 * Returns: the end for stdout and stderr; the caller closes it after the spawn. -1 with @error.
 */
int log_router_open(LogRouter *router, const char *service, GError **error);

/* Groups may have changed: sends the changed groups to svc-logger. */
void log_router_group_again(LogRouter *router);

/* For rows of the service LOGGER_SERVICE. */
void log_router_on_spawned(LogRouter *router, const struct MessageSpawned *message);
void log_router_on_exited(LogRouter *router, const struct MessageExited *message);

#endif
