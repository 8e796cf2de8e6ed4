/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Channel: peek, take. The facts about the kernel are those of unix_stream_read_generic() and manage_oob(), Linux 5.15 to 6.18.
 */
#include "config.h"

#include "base/channel.h"

#include <errno.h>
#include <sys/socket.h>

/* Linux 6.16; older headers do not have it. */
#ifndef SO_PASSRIGHTS
#define SO_PASSRIGHTS 83
#endif

/*
 * The kernel counts the memory of a write: 768 bytes for a line of 80. A pipe holds 816 such lines, and this 896. (The kernel doubles
 * the value, socket(7).)
 */
#define ROOM_BYTES (336 * 1024)

int channel_pair(int ret[2])
{
	const int on = 1;
	const int off = 0;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ret) < 0)
		return -1;
	/*
	 * A byte that is sent with MSG_OOB can have descriptors. Out of line, a peek passes over it and a read drops it with them. In line it
	 * is a byte like any other, and a peek ends before it.
	 */
	(void)setsockopt(ret[0], SOL_SOCKET, SO_OOBINLINE, &on, sizeof on); /* every kernel knows it */
	(void)setsockopt(ret[0], SOL_SOCKET, SO_PASSRIGHTS, &off, sizeof off); /* older ones do not: then only the peek protects us */
	return 0;
}

void channel_widen(int writer_fd)
{
	const int room = ROOM_BYTES;

	/* Without CAP_NET_ADMIN net.core.wmem_max bounds it. */
	if (setsockopt(writer_fd, SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof room) < 0)
		(void)setsockopt(writer_fd, SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
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
	/* There is no room for control messages, and our end asks for no other kind. A peek goes no further than the first descriptors. */
	return message.msg_flags & MSG_CTRUNC ? CHANNEL_DESCRIPTORS : CHANNEL_BYTES;
}

void channel_take(int fd, void *bytes, size_t n)
{
	while (n > 0) {
		ssize_t got = recv(fd, bytes, n, MSG_DONTWAIT);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return; /* we are its only reader: not to be seen */
		n -= (size_t)got;
	}
}
