/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Spawn: from a request to a process, with clone3(2): the request and the clone in spawn.c, what the child does in child-exec.c.
 *
 * Never vfork: an exec on a hung file system, or a frozen cgroup, would stop PID 1 (measured). The keeper's own process
 * resolves no path of a service; what fails after the clone is reported by the child through the status pipe.
 */
#ifndef SVCD_KEEPER_SPAWN_H
#define SVCD_KEEPER_SPAWN_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "protocol/protocol.h"

/*
 * A service's child executes its program only when it has this signal, which PID 1 sends when it has closed what came with the request. Otherwise
 * the program could make one of these descriptors a trap for PID 1, whose close would be the last. A signal that comes late does nothing.
 */
#define SPAWN_MAY_EXEC SIGCONT

#define SPAWN_MAX_STRINGS 3072 /* argv and environment together, with their two NULLs */

struct SpawnRequest {
	uint32_t flags; /* enum SpawnFlags */
	uint32_t uid;
	uint32_t gid;
	uint32_t umask;
	int32_t nice;
	int32_t oom_score_adj;
	int score_error; /* an errno, set by spawn_process() */
	pid_t *pid_place; /* where the kernel writes the pid before the child runs; NULL: nowhere */
	bool controlling_tty; /* make standard input the controlling terminal: the rescue shell */
	uint32_t n_groups;
	uint32_t n_rlimits;
	uint32_t n_inherited;
	int stdio[3]; /* -1: /dev/null */
	int cgroup;   /* -1: ours */
	bool enters_cgroup; /* by itself, for the kernel has no clone3(2) for us */
	int status;   /* -1: none */
	bool is_message; /* made by spawn_request_parse(): it waits for SPAWN_MAY_EXEC */
	int inherited[PROTOCOL_MAX_FDS];
	uint32_t groups[PROTOCOL_MAX_GROUPS];
	struct SpawnRlimit rlimits[PROTOCOL_MAX_RLIMITS];
	const char *directory; /* NULL: / */
	void (*prepare)(struct SpawnRequest *request); /* in the child; NULL: nothing */
	char *const *argv;
	char *const *environment;
	char *strings[SPAWN_MAX_STRINGS]; /* spawn_request_parse()'s, for these two; not even cleared by others */
};

/*
 * To be called once at start, before there are handlers: signals that whoever started us ignored would be ignored by all
 * processes that we start, for exec keeps that.
 */
void spawn_reset_signals(void);

/* A request that asks for nothing: /dev/null, our cgroup, no ids. */
void spawn_request_init(struct SpawnRequest *request);

/* Such a one; there is one only, until the next call. It is too large for the stack, of which every page that was touched is ours for ever. */
struct SpawnRequest *spawn_request_blank(void);

/**
 * spawn_request_parse() - take a SPAWN message apart and check every count and string in it
 * @message:  the datagram; the request points into it
 * @fds:      the descriptors that came with it; they stay the caller's
 *
 * Returns: 0 or EINVAL.
 */
int spawn_request_parse(const void *message, size_t size, const int *fds, size_t n_fds, struct SpawnRequest *request);

/**
 * spawn_process() - start it
 * Returns: its pid, or -1 with errno set by clone3(2). What goes wrong after that is the child's to report.
 */
pid_t spawn_process(struct SpawnRequest *request);

/* In the child: all that @request asks for, and then its program. What fails is told through its status pipe. */
void child_exec(struct SpawnRequest *request) __attribute__((noreturn));

/* After a fault: it may have come while we had the score of a child. */
void spawn_restore_score(void);

/* fork(2) without the C library's handlers. Returns as fork does. */
pid_t spawn_fork(void);

#endif
