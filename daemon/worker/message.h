/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Worker message: one datagram between the manager and svc-worker.
 *
 * A datagram is text: strings that each end with a NUL. The first is the number of a job in
 * decimal, the second a verb or the kind of an answer, the others are its arguments. Descriptors
 * may come with it.
 */
#ifndef SVCD_WORKER_MESSAGE_H
#define SVCD_WORKER_MESSAGE_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#define WORKER_MESSAGE_BYTES (64 * 1024)

/* The maximum number of fields: the number of the job, the verb and its arguments. */
#define WORKER_MAX_FIELDS 256

#define WORKER_MAX_FDS 4

/*
 * The state that each worker reports in addition to its answers: the job that it works on, or that
 * it has no job.
 */
#define WORKER_BUSY "busy"
#define WORKER_REST "rest"

/* Both of these end the job. */
#define WORKER_DONE "done"
#define WORKER_FAILED "failed"

/* From the manager: the job is not needed any more. There is no answer. */
#define WORKER_CANCEL "cancel"

typedef struct WorkerMessage {
	uint64_t id;
	const char *fields[WORKER_MAX_FIELDS]; /* point into @bytes; without the number */
	unsigned n_fields;
	int fds[WORKER_MAX_FDS]; /* the receiver closes them; taken ones are -1 */
	unsigned n_fds;
	char bytes[WORKER_MESSAGE_BYTES];
} WorkerMessage;

/**
 * worker_message_new() - write a message
 * Returns: a new GByteArray; NULL if it would be too long.
 */
GByteArray *worker_message_new(uint64_t id, const char *const *fields, unsigned n_fields);

/* Returns: 0, or an errno: EAGAIN if the socket is full. */
int worker_message_send(int fd, const GByteArray *message, const int *fds, unsigned n_fds);

/**
 * worker_message_receive() - read and check one message, without waiting
 * Returns: 1; 0 at the end of the stream; -1 with errno: EAGAIN if there is none, EBADMSG for an
 * invalid one.
 */
int worker_message_receive(int fd, WorkerMessage *ret);

/* Closes the descriptors that were not taken. */
void worker_message_clear(WorkerMessage *message);

/* Takes the first descriptor; -1 if there is none. */
int worker_message_take_fd(WorkerMessage *message);

#endif
