/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Link: one manager at a time, which is started, watched, and replaced when it dies.
 *
 * link.c contains the life of a manager, and link-messages.c the messages in both directions.
 * restart-limit.c decides which deaths are failures, and what follows from many of them
 * (docs/keeper.md).
 */
#ifndef SVCD_KEEPER_LINK_H
#define SVCD_KEEPER_LINK_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "protocol/protocol.h"

/*
 * Called once, before the loop. @generation: the number of managers before this re-exec;
 * @last_status: the wait status of the last manager.
 */
void link_init(uint32_t generation, int32_t last_status);

/*
 * Called after a re-exec that did not wait for the end of the manager, because PID 1 had a fault.
 * The old manager has lost its link. It is killed before the next one starts.
 */
void link_end_old(pid_t pid);
pid_t link_pid(void); /* 0: none */
uint32_t link_generation(void);
int32_t link_last_status(void);

/* Starts, pings or kills the manager if it is time. */
void link_tick(uint64_t now_us);
uint64_t link_next_us(void);

/* The descriptor that the loop polls, and the reaction to its events. */
struct pollfd link_pollfd(void);
void link_turn(const struct pollfd *seen);

/* The timer that runs while the manager is awake (-1: none), and the reaction to its expiry. */
int link_clock(void);
void link_on_clock(void);

/* The rescue shell has ended: a waiting start is due now. */
void link_start_now(uint64_t now_us);

/* A child was reaped, or was stopped. */
void link_on_exit(pid_t pid, int wait_status, uint64_t now_us);
void link_on_stop(pid_t pid);

/* Is this the manager, or the rescue shell? */
bool link_is_own(pid_t pid);

/* Has the manager sent HELLO and answered the last ping? */
bool link_is_answering(void);

/* Has the manager settled, and answered since? Also true for an idle manager. */
bool link_is_well(void);

void link_on_hello(void);
void link_on_pong(uint64_t serial);

/*
 * The manager asks for a re-exec: the link is closed, the manager exits, and svcd executes itself.
 */
void link_reexec(void);

void link_kill(void);

/* --- messages --- */

/* A new manager is at the other end of @fd. It gets WELCOME and knows nothing else. */
void messages_begin(int fd, const struct MessageWelcome *welcome);

/* HELLO came: all rows, notes and descriptors are sent, then REPLAYED. */
void messages_replay(void);

/* The link is gone. Unsent messages wait for the next manager. */
void messages_end(void);

/*
 * Queues the request that a signal stands for. It is sent once, to a manager that has read its
 * replay.
 */
void messages_request(enum RequestKind kind);
bool messages_is_requested(enum RequestKind kind);

/* Pings are queued last, so a pong proves that everything before it was read. */
void messages_ping(uint64_t serial);

/* The number of messages sent so far, without pings. */
uint64_t messages_count(void);

/**
 * messages_answer() - a reply that belongs to no row (a refused spawn, an adoption)
 *
 * There is room for one answer. While it waits, messages_is_blocked() is true and nothing more is
 * read from the manager. The manager reads its socket before it can expect more answers, so nothing
 * is lost and nothing piles up.
 */
void messages_answer(const void *message, size_t size);
bool messages_is_blocked(void);

/* Sends until everything is sent or the socket is full. */
void messages_flush(void);

/* Does a message wait for the socket to be writable? */
bool messages_wants_to_write(void);

/* When messages_flush() is to be tried again without an event; NEVER_US: never. */
uint64_t messages_next_us(void);

enum MessagesResult {
	MESSAGES_EMPTY, /* nothing more to read now */
	MESSAGES_MORE, /* the share of this turn is done, and there is more */
	MESSAGES_END, /* the manager has closed its end */
};

/* Carries out up to @max messages from @fd. */
enum MessagesResult messages_read(int fd, unsigned int max);

/* --- restart limit --- */

struct ManagerDeath {
	int wait_status;
	bool killed_by_us;
	bool was_settled;
	uint64_t settled_for_us;
	bool was_requested; /* out: the manager exited to be replaced */
};

/* Returns: how long to wait before the next start, in microseconds. */
uint64_t restart_limit_on_death(struct ManagerDeath *death, uint64_t now_us);

/* A manager has settled: its data does not kill it. */
void restart_limit_on_settled(void);

/*
 * A user has left the rescue shell and may have repaired the cause: the next manager gets all data.
 */
void restart_limit_forget(void);

/* Returns: WELCOME_WITHOUT_NOTES and WELCOME_WITHOUT_LOCAL_FILES, depending on the level. */
uint32_t restart_limit_welcome_flags(void);

bool restart_limit_is_rescue(void);

/* Opens a root shell on the console, if there is none yet. Services keep running. */
void rescue_begin(void);
bool rescue_is_shell(pid_t pid);

/* A child was reaped. Returns: whether it was the shell and its user has left it. */
bool rescue_on_exit(pid_t pid, int wait_status);

#endif
