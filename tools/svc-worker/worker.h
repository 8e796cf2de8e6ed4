/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Worker: the common functions of svc-worker's verbs.
 *
 * Each verb has its own file. A verb may block for ever. Then the manager abandons this process,
 * and only that job is lost (worker/pool.h).
 */
#ifndef SVCD_TOOLS_WORKER_H
#define SVCD_TOOLS_WORKER_H

#include <glib.h>
#include <stdint.h>

#include "worker/message.h"

/*
 * @request->fields[0] is the verb. Borrowed; a verb takes descriptors with
 * worker_message_take_fd().
 */
typedef WorkerMessage WorkerRequest;

typedef struct WorkerVerb {
	const char *name;
	/*
	 * Carries out @request. It answers with worker_answer(); the job is over only after "done"
	 * or "failed".
	 */
	void (*carry_out)(WorkerRequest *request);
	/* Cancels a job; NULL for a verb whose carry_out() returns only after its last answer. */
	void (*cancel)(uint64_t id);
} WorkerVerb;

extern const WorkerVerb worker_verbs[];

/**
 * worker_answer() - send an answer; waits until the socket is writable
 * @fd: sent with it, borrowed; -1: none
 * @kind: "done", "failed", or a kind of the verb; strings follow, the last one is NULL
 */
void worker_answer(uint64_t id, int fd, const char *kind, ...) G_GNUC_NULL_TERMINATED;

/* Sends a long list of strings without a descriptor; the job goes on. */
void worker_answer_fields(uint64_t id, const char *const *fields, unsigned n_fields);

/*
 * Reports that a continuing verb works on its job again. If the process then hangs, the manager
 * knows which job is the cause.
 */
void worker_begin(uint64_t id);
void worker_rest(void);

#endif
