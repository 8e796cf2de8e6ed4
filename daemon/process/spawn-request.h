/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Spawn request: sends a command of a service to the keeper, which starts it. It is executed
 * directly if the user and groups are numeric and no helper is needed, and otherwise through
 * svc-exec.
 */
#ifndef SVCD_PROCESS_SPAWN_REQUEST_H
#define SVCD_PROCESS_SPAWN_REQUEST_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "process/keeper-link.h"
#include "process/plan.h"
#include "process/supervise.h"

/* The values that differ between the spawns of an invocation. All borrowed. */
typedef struct SpawnInput {
	const Plan *plan;
	const Command *command; /* NULL: remove the directories of the run */
	bool ends_runtime; /* without a command: remove the runtime directories, too */
	enum ProcessRole role;
	uint64_t invocation;
	const char *note;
	const char *notify_path; /* NOTIFY_SOCKET, or NULL */
	const char *mark; /* cgroup_mark() */
	pid_t main_pid; /* MAINPID and $MAINPID; 0: not known */
	SpawnSockets sockets; /* n is 0 if there are none */
	int output_fd; /* stdout and stderr; -1: nowhere */
	int cgroup_fd; /* or -1 */
	int status_fd; /* or -1 */
	int ready_fd; /* writer's end of the readiness channel, or -1 */
} SpawnInput;

/**
 * spawn_request_send() - make the request and hand it to the keeper
 * Returns: false with @error if it cannot be made. The keeper's answer comes later.
 */
bool spawn_request_send(ProcessContext *context, const SpawnInput *input, GError **error);

#endif
