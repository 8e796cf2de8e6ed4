/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Link: one manager at a time, which is started, watched, and replaced when it dies.
 *
 * It is pinged until it has settled, after each message, when it has been awake for long, and when
 * it was stopped. An idle manager is not pinged, so that neither process wakes up.
 *
 * docs/keeper.md explains which deaths count as failures, and what follows from many of them.
 */
#ifndef SVCD_KEEPER_LINK_H
#define SVCD_KEEPER_LINK_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "protocol/protocol.h"

/*
 * Called once, before the loop. @generation: the number of managers before this re-exec;
 * @last_status: wait status of the last one.
 */
void link_init(uint32_t generation, int32_t last_status);

/*
 * After a re-exec that did not wait for the manager's end (a fault of PID 1). The old manager has
 * lost its link. It is killed before the next one starts.
 */
void link_end_old(pid_t pid);
/* 0: none. */
pid_t link_pid(void);

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

/* A child may have been stopped. If it was the manager, it is pinged. */
void link_look(void);

/* The rescue shell has ended: a waiting start is due now. */
void link_start_now(uint64_t now_us);

/* A child was reaped. Returns: whether it was the manager. */
bool link_on_exit(pid_t pid, int wait_status, uint64_t now_us);

/* Is this the manager, or the rescue shell? */
bool link_is_own(pid_t pid);

/* Has the manager sent HELLO and answered the last ping? */
bool link_is_answering(void);

/* Has the manager settled, and answered since? An idle manager counts as well. */
bool link_is_well(void);

/* Messages about the link itself. */
void link_on_hello(uint32_t version);
void link_on_pong(uint64_t serial);

/* The manager asks for a re-exec: it is let go, then svcd executes itself. */
void link_reexec(void);

void link_kill(void);

#endif
