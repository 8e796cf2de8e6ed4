/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Batch: a header, then for each message a BatchRecord and itself, each beginning at a multiple of eight.
 */
#include "config.h"

#include "process/batch.h"

#include <string.h>

#define FIRST_MESSAGE (sizeof(struct MessageHeader) + sizeof(struct BatchRecord))

bool batch_add(Batch *batch, const void *message, size_t size, const int *fds, unsigned n_fds)
{
	const struct BatchRecord record = { .n_fds = n_fds };
	const size_t begin = batch->size ? batch->size : sizeof(struct MessageHeader);
	const size_t end = begin + sizeof record + PROTOCOL_BATCH_PADDED(size);

	if (end > sizeof batch->bytes || batch->n_fds + n_fds > PROTOCOL_MAX_FDS)
		return false;
	memcpy(batch->bytes + begin, &record, sizeof record);
	memcpy(batch->bytes + begin + sizeof record, message, size);
	memset(batch->bytes + begin + sizeof record + size, 0, PROTOCOL_BATCH_PADDED(size) - size);
	if (n_fds > 0)
		memcpy(batch->fds + batch->n_fds, fds, n_fds * sizeof *fds);
	batch->n_fds += n_fds;
	batch->n_messages++;
	batch->size = end;
	return true;
}

const void *batch_datagram(Batch *batch, size_t *ret_size)
{
	struct MessageHeader header = { .type = MESSAGE_BATCH, .size = (uint32_t)batch->size };

	if (batch->n_messages == 1) {
		memcpy(&header, batch->bytes + FIRST_MESSAGE, sizeof header);
		*ret_size = header.size;
		return batch->bytes + FIRST_MESSAGE;
	}
	memcpy(batch->bytes, &header, sizeof header);
	*ret_size = batch->size;
	return batch->bytes;
}

void batch_clear(Batch *batch)
{
	batch->size = 0;
	batch->n_messages = 0;
	batch->n_fds = 0;
}
