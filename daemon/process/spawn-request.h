/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Spawn request: a command of a service as the message that makes the keeper start it; directly where numbers say all,
 * else by way of svc-exec.
 */
#ifndef SVCD_PROCESS_SPAWN_REQUEST_H
#define SVCD_PROCESS_SPAWN_REQUEST_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "process/keeper-link.h"
#include "process/plan.h"
#include "process/supervise.h"

/* What differs from one spawn of an invocation to the next. All borrowed. */
typedef struct SpawnInput {
	const Plan *plan;
	const Command *command;    /* NULL: remove what the run leaves */
	bool ends_runtime;         /* without a command: its runtime directories, too */
	enum ProcessRole role;
	uint64_t invocation;
	const char *note;
	const char *notify_path;   /* NOTIFY_SOCKET, or NULL */
	const char *mark;          /* cgroup_mark() */
	pid_t main_pid;            /* MAINPID and $MAINPID; 0: not known */
	SpawnSockets sockets;      /* n 0: none */
	int output_fd;             /* stdout and stderr; -1: nowhere */
	int cgroup_fd;             /* or -1 */
	int status_fd;             /* or -1 */
	int ready_fd;              /* write end of the readiness pipe, or -1 */
} SpawnInput;

/**
 * spawn_request_send() - make the request and hand it to the keeper
 * Returns: false with @error when it cannot be made; what the keeper says comes later.
 */
bool spawn_request_send(ProcessContext *context, const SpawnInput *input, GError **error);

#endif
