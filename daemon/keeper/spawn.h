/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Spawn: makes a process from a request. spawn.c checks the request and clones; child-exec.c
 * contains the steps of the child.
 *
 * PID 1 uses clone3(2), never vfork, which would stop PID 1 during an exec on a hung file system or
 * in a frozen cgroup (measured). PID 1 resolves no path of a service. The child reports failures
 * after the clone through the exec status channel.
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
 * PID 1 sends this signal to a service's child when it has closed the descriptors of the request.
 * The child executes its program only then. Otherwise the program could make the last close(2) of
 * such a descriptor wait, and PID 1 could be the process that waits. A late signal does nothing.
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
	pid_t *ret_pid; /* where the kernel writes the pid before the child runs; NULL: nowhere */
	bool controlling_tty; /* make standard input the controlling terminal: the rescue shell */
	uint32_t n_groups;
	uint32_t n_rlimits;
	uint32_t n_inherited;
	int stdio[3]; /* -1: /dev/null */
	int cgroup; /* -1: PID 1's own cgroup */
	bool enters_cgroup; /* the child enters it, because there is no clone3(2) */
	int status; /* -1: none */
	bool is_message; /* from spawn_request_parse(): the child waits for SPAWN_MAY_EXEC */
	int inherited[PROTOCOL_MAX_FDS];
	uint32_t groups[PROTOCOL_MAX_GROUPS];
	struct SpawnRlimit rlimits[PROTOCOL_MAX_RLIMITS];
	const char *directory; /* NULL: / */
	void (*prepare)(struct SpawnRequest *request); /* in the child; NULL: nothing */
	char *const *argv;
	char *const *environment;
	/* filled by spawn_request_parse(); not cleared by spawn_request_blank() */
	char *strings[SPAWN_MAX_STRINGS];
};

/*
 * Called once at start, before handlers are set. Otherwise signals that our parent ignored would be
 * ignored by all processes that we start, because exec keeps the ignored signals.
 */
void spawn_reset_signals(void);

/*
 * Returns: a request without any settings: /dev/null, PID 1's cgroup, no ids. It is valid until the
 * next call. It is static because it is too large for the stack, which never shrinks.
 */
struct SpawnRequest *spawn_request_blank(void);

/**
 * spawn_request_parse() - check every count and string of a SPAWN message
 * @message: the datagram; the request points into it
 * @fds: the descriptors that came with it; the caller keeps them
 *
 * Returns: 0 or EINVAL.
 */
int spawn_request_parse(const void *message, size_t size, const int *fds, size_t n_fds,
			struct SpawnRequest *request);

/* Returns: the pid, or -1 with errno set by clone3(2). The child reports later failures. */
pid_t spawn_process(struct SpawnRequest *request);

/* In the child: carries out @request and executes the program, or reports a failure. */
void child_exec(struct SpawnRequest *request) __attribute__((noreturn));

/* Restores our own OOM score after a fault, which may have come while PID 1 had that of a child. */
void spawn_restore_score(void);

/* fork(2) without the C library's handlers. Returns as fork does. */
pid_t spawn_fork(void);

#endif
