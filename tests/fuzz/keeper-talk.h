/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Keeper talk: a fake manager sends PID 1 the messages of a fuzz input, valid or damaged, and
 * checks its answers.
 */
#ifndef SVCD_TESTS_FUZZ_KEEPER_TALK_H
#define SVCD_TESTS_FUZZ_KEEPER_TALK_H

#include <stdbool.h>

#include "protocol/protocol.h"
#include "tests/fuzz/input.h"

#define TALK_FDS 4

/*
 * Descriptors that the fake manager may send, beside its own end of the link. (More sockets would
 * slow down the kernel's garbage collector.)
 */
extern int talk_fds[TALK_FDS];

void talk_send_one(Input *in);
void talk_send_many(Input *in);

/* --- received messages; all are checked --- */

void talk_receive_some(Input *in);
void talk_receive_all(void);
void talk_read_and_send_hello(Input *in);

/* Since the last welcome. */
typedef struct TalkReceived {
	unsigned int n_spawned;
	unsigned int n_exited;
	unsigned int n_notes;
	unsigned int n_kept;
	bool has_replayed;
	struct MessageReplayed replayed;
	struct MessageWelcome welcome;
} TalkReceived;

const TalkReceived *talk_received(void);

#endif
