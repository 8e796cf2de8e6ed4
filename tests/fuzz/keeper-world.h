/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Keeper world: what PID 1 has around it, without a process: children, time and its own death are played, sockets and
 * descriptors are real ones. The calls that reach it are named in tests/unit/keeper.mk.
 *
 * A number of a process is given again as soon as it is reaped: a signal to one that is not there (any more) is found at once.
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
	WORLD_ORPHAN, /* somebody's child that has become ours */
	WORLD_MANAGER,
	WORLD_SHELL,
	WORLD_TRIAL, /* svcd --try-tables */
	WORLD_CLOSER, /* disposal.h */
};

struct WorldProcess {
	pid_t pid; /* 0: a free place */
	enum WorldKind kind;
	bool is_dead; /* and not reaped */
	bool is_killed; /* by us, with SIGKILL */
	bool is_stopped; /* and nobody has looked yet */
	bool is_immortal; /* as one that waits for a disk: KILL has to wait */
	int wait_status;
};

struct World {
	bool is_active; /* or the calls are what they are */
	uint64_t now_us;
	struct WorldProcess processes[WORLD_PROCESSES];
	int signal_fd; /* to be read by the loop */
	int link_fd; /* the manager's end of the link, or -1 */
	int spawn_error; /* of the next spawn; 0: none */
	int exec_error; /* of each execve */
	int trial_status; /* how the trial of a new program ends; -1: it does not */
	unsigned int n_turns; /* of the loop since it came to rest */
	unsigned int n_said;
	unsigned int n_forks; /* asked for; some are refused */

	/* PID 1 would sleep; what it does if nothing happens is only known to the clock. */
	void (*rest)(int timeout_ms);
	/* It executes itself, with its tables in @fd. Does not return. */
	void (*exec)(int fd) __attribute__((noreturn));
	/* The end of the machine. Does not return. */
	void (*finale)(enum ShutdownKind kind) __attribute__((noreturn));
};

extern struct World world;

/* Nobody is there, and it is a while after the boot. */
void world_begin(void);
void world_end(void);

/* Returns: the process, reaped or not yet, with this number, or NULL. */
struct WorldProcess *world_find(pid_t pid);
/* Returns: the @n-th (of those there are, counted round) of @kind, or NULL. */
struct WorldProcess *world_pick(enum WorldKind kind, unsigned int n);
struct WorldProcess *world_add(enum WorldKind kind);
void world_dies(struct WorldProcess *process, int wait_status);
void world_signals(int signo);

#endif
