/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Link messages: news for the manager is sent as fast as it reads, and its messages are carried
 * out.
 *
 * No message is stored. Everything that is to be sent is a bit or a cursor into a table. A send
 * that would wait ends the turn, and the loop comes back when the socket is writable. A replay sets
 * all bits, so there is no second path.
 */
#ifndef SVCD_KEEPER_LINK_MESSAGES_H
#define SVCD_KEEPER_LINK_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "protocol/protocol.h"

/* A new manager is at the other end of @fd. It gets WELCOME and knows nothing else. */
void messages_begin(int fd, const struct MessageWelcome *welcome);

/* HELLO came: all rows, notes and descriptors are sent, then REPLAYED. */
void messages_replay(void);

/* The link is gone. Unsent messages wait for the next manager. */
void messages_end(void);

/* A signal that is a request. It is sent once, to a manager that has read its replay. */
void messages_request(enum RequestKind kind);
bool messages_is_requested(enum RequestKind kind);

/*
 * Pings are queued last, so a pong proves that everything before it, the replay included, was read.
 */
void messages_ping(uint64_t serial);

/* The number of messages sent so far, without pings. */
uint64_t messages_count(void);

/**
 * messages_answer() - a reply that belongs to no row (a refused spawn, an adoption)
 *
 * There is room for one. While it waits, messages_is_blocked() is true and no more is read from the
 * manager. The manager reads its socket before it can expect more answers, so nothing is lost and
 * nothing piles up.
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
	MESSAGES_MORE,  /* the share of this turn is done, and there is more */
	MESSAGES_END,   /* the manager has closed its end */
};

/* Carries out up to @max messages from @fd. */
enum MessagesResult messages_read(int fd, unsigned int max);

#endif
