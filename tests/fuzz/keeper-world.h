/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Keeper world: PID 1's environment without other processes. Children, time and its own death are
 * simulated; sockets and descriptors are real. tests/unit/keeper.mk has the list of redirected
 * calls.
 *
 * A pid is reused as soon as it is reaped, so that a signal to an ended process is found at once.
 */
#ifndef SVCD_TESTS_FUZZ_KEEPER_WORLD_H
#define SVCD_TESTS_FUZZ_KEEPER_WORLD_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "protocol/protocol.h"

#define WORLD_PROCESSES 96

enum WorldKind {
	WORLD_SERVICE,
	WORLD_ORPHAN, /* adopted by PID 1 */
	WORLD_MANAGER,
	WORLD_SHELL,
	WORLD_TRIAL, /* svcd --try-tables */
	WORLD_CLOSER, /* disposal.h */
};

struct WorldProcess {
	pid_t pid; /* 0: a free row */
	enum WorldKind kind;
	bool is_dead; /* and not reaped */
	bool is_killed; /* by us, with SIGKILL */
	bool is_stopped; /* and not yet waited for */
	bool is_immortal; /* waits as for a disk: KILL takes effect later */
	int wait_status;
};

struct World {
	bool is_active; /* false: the calls are not redirected */
	uint64_t now_us;
	struct WorldProcess processes[WORLD_PROCESSES];
	int signal_fd; /* read by the loop */
	int link_fd; /* the manager's end of the link, or -1 */
	int spawn_error; /* of the next spawn; 0: none */
	int exec_error; /* of each execve */
	int trial_status; /* exit status of the trial of a new program; -1: it does not exit */
	unsigned int n_turns; /* of the loop since it was idle */
	unsigned int n_stated;
	unsigned int n_forks; /* requested; some fail */

	/* Called when PID 1 would sleep. Without events only the clock would continue. */
	void (*rest)(int timeout_ms);
	/* PID 1 executes itself, with its tables in @fd. Does not return. */
	void (*exec)(int fd) __attribute__((noreturn));
	/* Halt, power off or reboot. Does not return. */
	void (*finale)(enum ShutdownKind kind) __attribute__((noreturn));
};

extern struct World world;

/* No processes exist, some time after the boot. */
void world_begin(void);
void world_end(void);

/* Returns: the process with this pid, reaped or not yet, or NULL. */
struct WorldProcess *world_find(pid_t pid);
/* Returns: the @n-th process of @kind, modulo their number, or NULL. */
struct WorldProcess *world_pick(enum WorldKind kind, unsigned int n);
struct WorldProcess *world_add(enum WorldKind kind);
void world_dies(struct WorldProcess *process, int wait_status);
void world_signals(int signo);

#endif
