/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Keeper talk: a manager that says to PID 1 whatever an input wants, sound or damaged, and what it hears from there.
 */
#ifndef SVCD_TESTS_FUZZ_KEEPER_TALK_H
#define SVCD_TESTS_FUZZ_KEEPER_TALK_H

#include <stdbool.h>

#include "protocol/protocol.h"
#include "tests/fuzz/input.h"

#define TALK_FDS 4

/* Descriptors that it may send, beside its own end of the link. (For more sockets the kernel's collector takes its time.) */
extern int talk_fds[TALK_FDS];

void talk_say_one(Input *in);
void talk_say_many(Input *in);

/* --- what it hears; all of it is checked --- */

void talk_hear_some(Input *in);
void talk_hear_all(void);
void talk_read_and_say_hello(Input *in);

/* Since the last welcome. */
typedef struct TalkHeard {
	unsigned int n_spawned;
	unsigned int n_exited;
	unsigned int n_notes;
	unsigned int n_kept;
	bool has_replayed;
	struct MessageReplayed replayed;
	struct MessageWelcome welcome;
} TalkHeard;

const TalkHeard *talk_heard(void);

#endif
