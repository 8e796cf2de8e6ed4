/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Batch: messages to the keeper that go in one datagram (MESSAGE_BATCH in protocol/protocol.h).
 *
 * Each datagram wakes PID 1, and that costs more than what most of them ask for.
 */
#ifndef SVCD_PROCESS_BATCH_H
#define SVCD_PROCESS_BATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "protocol/protocol.h"

/* What fills PID 1's buffer once is its memory for ever; so much holds a start and a few notes. A longer message goes alone. */
#define BATCH_BYTES 4096

typedef struct Batch {
	size_t size; /* of what is in @bytes; 0: nothing is there */
	unsigned n_messages;
	int fds[PROTOCOL_MAX_FDS]; /* borrowed until it is sent */
	unsigned n_fds;
	char bytes[BATCH_BYTES];
} Batch;

/* Returns: false if it does not fit; then it is as it was. */
bool batch_add(Batch *batch, const void *message, size_t size, const int *fds, unsigned n_fds);

/* What is to be sent, with @batch->fds: one message goes as it is. */
const void *batch_datagram(Batch *batch, size_t *ret_size);

void batch_clear(Batch *batch);

#endif
