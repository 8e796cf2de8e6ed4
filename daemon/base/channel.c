/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Channel: makes and reads the socket pair. The statements about the kernel are based on
 * unix_stream_read_generic() and manage_oob() in Linux 5.15 to 6.18.
 */
#include "config.h"

#include "base/channel.h"

#include <errno.h>
#include <sys/socket.h>

/* New in Linux 6.16, and missing in older headers. */
#ifndef SO_PASSRIGHTS
#define SO_PASSRIGHTS 83
#endif

/*
 * The kernel counts the memory of each write: 768 bytes for a line of 80 bytes. With this size the
 * channel holds 896 such lines. A pipe holds 816. (The kernel doubles the value, socket(7).)
 */
#define BUFFER_BYTES (336 * 1024)

int channel_pair(int ret[2])
{
	const int on = 1;
	const int off = 0;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ret) < 0)
		return -1;
	/*
	 * A byte sent with MSG_OOB can carry descriptors. By default a peek skips this byte, and a
	 * read drops it with its descriptors. With SO_OOBINLINE it is a normal byte, and a peek
	 * stops before it.
	 */
	/* cannot fail: every kernel has this option */
	(void)setsockopt(ret[0], SOL_SOCKET, SO_OOBINLINE, &on, sizeof on);
	/* On kernels without this option only the peek protects us. */
	(void)setsockopt(ret[0], SOL_SOCKET, SO_PASSRIGHTS, &off, sizeof off);
	return 0;
}

void channel_widen(int writer_fd)
{
	const int capacity = BUFFER_BYTES;

	/* Without CAP_NET_ADMIN the limit is net.core.wmem_max. */
	if (setsockopt(writer_fd, SOL_SOCKET, SO_SNDBUFFORCE, &capacity, sizeof capacity) < 0)
		(void)setsockopt(writer_fd, SOL_SOCKET, SO_SNDBUF, &capacity, sizeof capacity);
}

ChannelState channel_peek(int fd, void *bytes, size_t size, size_t *ret_n)
{
	struct iovec iov = { .iov_base = bytes, .iov_len = size };
	struct msghdr message = { .msg_iov = &iov, .msg_iovlen = 1 };
	ssize_t n;

	*ret_n = 0;
	do
		n = recvmsg(fd, &message, MSG_PEEK | MSG_DONTWAIT);
	while (n < 0 && errno == EINTR);
	if (n < 0 && (errno == EAGAIN || errno == ENOMEM))
		return CHANNEL_NOTHING;
	if (n <= 0)
		return CHANNEL_END;
	*ret_n = (size_t)n;
	/*
	 * There is no buffer for control messages, so MSG_CTRUNC means that one came. It carries
	 * descriptors, because this end has enabled no other kind. A peek stops at the first
	 * descriptors.
	 */
	return message.msg_flags & MSG_CTRUNC ? CHANNEL_DESCRIPTORS : CHANNEL_BYTES;
}

void channel_take(int fd, void *bytes, size_t n)
{
	while (n > 0) {
		ssize_t got = recv(fd, bytes, n, MSG_DONTWAIT);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return; /* cannot happen, because we are the only reader */
		n -= (size_t)got;
	}
}
