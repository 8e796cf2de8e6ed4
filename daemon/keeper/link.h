/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Link: one manager at a time: started, watched, replaced when it dies.
 *
 * It is pinged when there is reason to: until it has settled, after it was told something, when it has been awake for
 * long or was stopped. One that sleeps with nothing to do is left alone, and then nobody wakes at all.
 *
 * What counts as a failure, and what is done about many of them, is in docs/keeper.md.
 */
#ifndef SVCD_KEEPER_LINK_H
#define SVCD_KEEPER_LINK_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "protocol/protocol.h"

/* Once, before the loop. @generation: how many managers there were (after a re-exec), @last_status of the last. */
void link_init(uint32_t generation, int32_t last_status);

/* After a re-exec that did not wait for its end (a fault of ours): that one has lost its link, and is killed before the next starts. */
void link_end_old(pid_t pid);
/* 0: none. */
pid_t link_pid(void);

uint32_t link_generation(void);
int32_t link_last_status(void);

/* Starts, pings, kills: whatever is due. */
void link_tick(uint64_t now_us);
uint64_t link_next_us(void);

/* What the loop has to wait for; and what to do about what it saw. */
struct pollfd link_pollfd(void);
void link_turn(const struct pollfd *seen);

/* The clock that runs while the manager is awake, -1 if there is none; and what to do when it has run out. */
int link_clock(void);
void link_on_clock(void);

/* A child may have been stopped: if it was the manager, it is pinged. */
void link_look(void);

/* The rescue shell was left: a waiting start is due now. */
void link_hurry(uint64_t now_us);

/* A child was reaped. Returns: whether it was the manager. */
bool link_on_exit(pid_t pid, int wait_status, uint64_t now_us);

/* Is this the manager, or the rescue shell? */
bool link_is_own(pid_t pid);

/* Has it said hello, and answered the last ping? */
bool link_is_answering(void);

/* Has it settled, and not been silent since? One that sleeps with nothing to do is well. */
bool link_is_well(void);

/* Messages that are about the link itself. */
void link_on_hello(uint32_t version);
void link_on_pong(uint64_t serial);

/* The manager asks for a new keeper: it is let go, then we execute ourselves. */
void link_reexec(void);

void link_kill(void);

#endif
