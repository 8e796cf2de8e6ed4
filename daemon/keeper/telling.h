/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Telling: what the manager does not know yet, sent as fast as it reads.
 *
 * No message is stored. Each thing to be told is a bit or a cursor into a table; a send that would wait ends the turn, and
 * the loop comes back when the socket is writable. A replay sets all the bits: there is no second path.
 */
#ifndef SVCD_KEEPER_TELLING_H
#define SVCD_KEEPER_TELLING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "protocol/protocol.h"

/* A new manager at the other end of @fd: it is welcomed, and knows nothing. */
void telling_begin(int fd, const struct MessageWelcome *welcome);

/* It said hello: all rows, notes and descriptors go out, and REPLAYED after them. */
void telling_replay(void);

/* The link is gone; what was not told waits for the next manager. */
void telling_end(void);

/* A signal that means something; told once to a manager that has its replay. */
void telling_request(enum RequestKind kind);
bool telling_is_requested(enum RequestKind kind);

/* Told last: who answers has read everything before it, the replay too. */
void telling_ping(uint64_t serial);

/* How many messages have been told so far, pings not counted. */
uint64_t telling_count(void);

/**
 * telling_answer() - a reply that has no row to wait in (a refused spawn, an adoption)
 *
 * There is room for one. While it waits, telling_is_blocked() is true and nothing more is read from the manager: it
 * reads its own end before it can expect more of us, so nothing is lost and nothing piles up.
 */
void telling_answer(const void *message, size_t size);
bool telling_is_blocked(void);

/* Sends until all is told or the socket is full. */
void telling_flush(void);

/* Is there something untold that waits for the socket to be writable? */
bool telling_wants_to_write(void);

/* When telling_flush() is to be tried again though nothing happened; NEVER_US: not. */
uint64_t telling_next_us(void);

#endif
