/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Ready descriptor: one channel (base/channel.h) from a starting service to us, read until its purpose is fulfilled.
 *
 * Used for both channels of a start: s6's notification descriptor (a newline means ready) and the exec status (an ExecStatus means
 * failure, an end without one means that the program runs). The service itself never has the latter: it is closed by execve(2), and
 * before that no user can look into the process.
 */
#ifndef SVCD_PROCESS_READY_FD_H
#define SVCD_PROCESS_READY_FD_H

#include <stdbool.h>

#include "protocol/protocol.h"

typedef enum ReadyFdKind {
	READY_FD_NEWLINE,
	READY_FD_EXEC_STATUS,
} ReadyFdKind;

/* One of them is called, at most once. */
typedef struct ReadyFdListener {
	void (*newline)(void *data);
	void (*executed)(void *data, bool has_ended); /* @has_ended: nothing is left in the channel */
	void (*exec_failed)(void *data, const struct ExecStatus *status);
} ReadyFdListener;

typedef struct ReadyFd ReadyFd;

/* @fd: our end, taken. Quiet until it is armed. */
ReadyFd *ready_fd_new(ReadyFdKind kind, int fd, const ReadyFdListener *listener, void *data);
void ready_fd_arm(ReadyFd *ready);
/* Reads what is there now. */
void ready_fd_drain(ReadyFd *ready);
/* True once it has called its listener, or can no longer. */
bool ready_fd_is_over(const ReadyFd *ready);
void ready_fd_free(ReadyFd *ready); /* NULL is nothing */

#endif
