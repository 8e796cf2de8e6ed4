/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Channel: a stream socket pair on which an untrusted process writes to us, in place of a pipe.
 *
 * A pipe has one lock for both ends, which its writer can hold as long as it likes. Each end of a
 * socket pair has its own lock, and the untrusted process has only one end.
 *
 * Unlike a pipe, a socket pair can carry file descriptors. The last close of a hostile descriptor
 * may never return, and recv(2) closes the descriptors that it does not pass on. So bytes are first
 * read with MSG_PEEK, and bytes that carry descriptors are never received. After descriptors, the
 * peeked bytes can be used, but the channel must be given up, and an expendable process closes it
 * last (docs/processes.md).
 */
#ifndef SVCD_BASE_CHANNEL_H
#define SVCD_BASE_CHANNEL_H

#include <stddef.h>

typedef enum ChannelState {
	CHANNEL_BYTES,
	CHANNEL_NOTHING, /* no bytes at present */
	CHANNEL_DESCRIPTORS, /* bytes, the last of which carries descriptors: do not take them */
	CHANNEL_END, /* all writers have closed it, or @fd is not a channel */
} ChannelState;

/**
 * channel_pair() - make a channel
 * @ret: [0] is our end, which only channel_peek() and channel_take() read; [1] is the writer's end
 * Returns: 0, or -1 with errno.
 */
int channel_pair(int ret[2]);

/* Enlarges the buffer of the writer's end to the size of a pipe, as far as permitted. */
void channel_widen(int writer_fd);

/**
 * channel_peek() - copy bytes without removing them
 * @ret_n: number of bytes; 0 unless CHANNEL_BYTES or CHANNEL_DESCRIPTORS is returned
 *
 * Never blocks.
 */
ChannelState channel_peek(int fd, void *bytes, size_t size, size_t *ret_n);

/**
 * channel_take() - remove the first @n bytes
 * @bytes: receives the removed bytes
 * @n: at most the number from the last channel_peek() that returned CHANNEL_BYTES
 */
void channel_take(int fd, void *bytes, size_t n);

#endif
