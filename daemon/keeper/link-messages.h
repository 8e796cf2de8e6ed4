/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Link messages: what the manager does not know yet, sent as fast as it reads, and what it says, read and carried out.
 *
 * No message is stored. Each thing to be told is a bit or a cursor into a table; a send that would wait ends the turn, and
 * the loop comes back when the socket is writable. A replay sets all the bits: there is no second path.
 */
#ifndef SVCD_KEEPER_LINK_MESSAGES_H
#define SVCD_KEEPER_LINK_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "protocol/protocol.h"

/* A new manager at the other end of @fd: it is welcomed, and knows nothing. */
void messages_begin(int fd, const struct MessageWelcome *welcome);

/* It said hello: all rows, notes and descriptors go out, and REPLAYED after them. */
void messages_replay(void);

/* The link is gone; what was not told waits for the next manager. */
void messages_end(void);

/* A signal that means something; told once to a manager that has its replay. */
void messages_request(enum RequestKind kind);
bool messages_is_requested(enum RequestKind kind);

/* Told last: who answers has read everything before it, the replay too. */
void messages_ping(uint64_t serial);

/* How many messages have been told so far, pings not counted. */
uint64_t messages_count(void);

/**
 * messages_answer() - a reply that has no row to wait in (a refused spawn, an adoption)
 *
 * There is room for one. While it waits, messages_is_blocked() is true and nothing more is read from the manager: it
 * reads its own end before it can expect more of us, so nothing is lost and nothing piles up.
 */
void messages_answer(const void *message, size_t size);
bool messages_is_blocked(void);

/* Sends until all is told or the socket is full. */
void messages_flush(void);

/* Is there something untold that waits for the socket to be writable? */
bool messages_wants_to_write(void);

/* When messages_flush() is to be tried again though nothing happened; NEVER_US: not. */
uint64_t messages_next_us(void);

enum MessagesResult {
	MESSAGES_EMPTY, /* nothing more to read now */
	MESSAGES_MORE,  /* the turn's share is done, there is more */
	MESSAGES_END,   /* the manager has closed its end */
};

/* Carries out up to @max messages from @fd. */
enum MessagesResult messages_read(int fd, unsigned int max);

#endif
