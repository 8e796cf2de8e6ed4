/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Channel: a stream socket pair on which an untrusted process writes to us, in the place of a pipe.
 *
 * A pipe has one lock for both ends, which its writer can hold as long as it likes. The ends of a socket pair have a lock each, and the
 * service has only its own. What a pipe cannot carry are file descriptors. The last close of a hostile one never returns, and recv(2)
 * closes those that it does not pass on. So bytes are peeked at first, and nothing that carries descriptors is ever received. The bytes can be
 * used; then the channel has to be given up, and its last close left to an expendable process (docs/processes.md).
 */
#ifndef SVCD_BASE_CHANNEL_H
#define SVCD_BASE_CHANNEL_H

#include <stddef.h>

typedef enum ChannelState {
	CHANNEL_BYTES,
	CHANNEL_NOTHING,     /* now */
	CHANNEL_DESCRIPTORS, /* bytes, the last of them with file descriptors: never to be taken */
	CHANNEL_END,         /* every writer has closed it; or it is no channel */
} ChannelState;

/**
 * channel_pair() - a new channel
 * @ret: our end, which only channel_peek() and channel_take() read, and the writer's end
 * Returns: 0, or -1 with errno.
 */
int channel_pair(int ret[2]);

/* Lets the writer's end hold as many lines as a pipe, where we may. */
void channel_widen(int writer_fd);

/**
 * channel_peek() - copy what is there, which stays
 * @ret_n: number of bytes; 0 unless CHANNEL_BYTES or CHANNEL_DESCRIPTORS is returned
 *
 * Never waits.
 */
ChannelState channel_peek(int fd, void *bytes, size_t size, size_t *ret_n);

/**
 * channel_take() - remove the first @n bytes
 * @bytes: receives them again
 * @n:     at most what the last channel_peek() returned with CHANNEL_BYTES
 */
void channel_take(int fd, void *bytes, size_t n);

#endif
