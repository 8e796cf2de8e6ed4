/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Worker: what the verbs of svc-worker share.
 *
 * Each verb has a file of its own. It may wait for ever: then the manager abandons this process, and only the job is lost
 * (worker/pool.h).
 */
#ifndef SVCD_TOOLS_WORKER_H
#define SVCD_TOOLS_WORKER_H

#include <glib.h>
#include <stdint.h>

#include "worker/message.h"

/* @request->words[0] is the verb. Borrowed; a verb takes descriptors with worker_message_take_fd(). */
typedef WorkerMessage WorkerRequest;

typedef struct WorkerVerb {
	const char *name;
	/* Carries out @request. It answers with worker_answer(); only after "done" or "failed" the job is over. */
	void (*carry_out)(WorkerRequest *request);
	/* The job is no longer wanted; NULL for a verb that has answered when it returns. */
	void (*cancel)(uint64_t id);
} WorkerVerb;

extern const WorkerVerb worker_verbs[];

/**
 * worker_answer() - send an answer; waits for room
 * @fd:   goes with it, borrowed; -1: none
 * @kind: "done", "failed", or what the verb defines; strings follow, the last one is NULL
 */
void worker_answer(uint64_t id, int fd, const char *kind, ...) G_GNUC_NULL_TERMINATED;

/* The same for words of which there may be many, without a descriptor; the job goes on. */
void worker_answer_words(uint64_t id, const char *const *words, unsigned n_words);

/* A verb that goes on is at its job again, and no longer: from what the manager concludes which job made this process hang. */
void worker_begin(uint64_t id);
void worker_rest(void);

#endif
