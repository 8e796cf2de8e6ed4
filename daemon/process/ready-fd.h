/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Ready descriptor: a channel (base/channel.h) from a starting service to the manager, read until
 * its purpose is fulfilled.
 *
 * It is used for both channels of a start. On s6's notification descriptor a newline means ready.
 * On the exec status channel an ExecStatus means failure, and an end without one means that the
 * program runs. The service never holds the exec status channel: execve(2) closes it, and before
 * that no user can access the process.
 */
#ifndef SVCD_PROCESS_READY_FD_H
#define SVCD_PROCESS_READY_FD_H

#include <stdbool.h>

#include "protocol/protocol.h"

typedef enum ReadyFdKind {
	READY_FD_NEWLINE,
	READY_FD_EXEC_STATUS,
} ReadyFdKind;

/* One of these is called, at most once. */
typedef struct ReadyFdListener {
	void (*newline)(void *data);
	void (*executed)(void *data, bool has_ended); /* @has_ended: the channel is at its end */
	void (*exec_failed)(void *data, const struct ExecStatus *status);
} ReadyFdListener;

typedef struct ReadyFd ReadyFd;

/* Takes @fd, which is our end. Nothing is read before ready_fd_arm(). */
ReadyFd *ready_fd_new(ReadyFdKind kind, int fd, const ReadyFdListener *listener, void *data);
void ready_fd_arm(ReadyFd *ready);
/* Reads what is available now. */
void ready_fd_drain(ReadyFd *ready);
void ready_fd_free(ReadyFd *ready); /* NULL is allowed */

#endif
