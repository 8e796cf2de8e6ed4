/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Datagram: see datagram.h.
 */
#include "config.h"

#include "tests/fuzz/datagram.h"

#include <glib.h>
#include <string.h>
#include <sys/socket.h>

bool datagram_send(int fd, const void *bytes, size_t size, const int *fds, size_t n_fds)
{
	union {
		struct cmsghdr align;
		char space[CMSG_SPACE(DATAGRAM_MOST_FDS * sizeof(int))];
	} control = { 0 };
	struct iovec part = { .iov_base = (void *)bytes, .iov_len = size };
	struct msghdr m = { .msg_iov = &part, .msg_iovlen = 1 };

	g_assert(n_fds <= DATAGRAM_MOST_FDS);
	if (n_fds > 0) {
		control.align = (struct cmsghdr){ .cmsg_level = SOL_SOCKET,
						  .cmsg_type = SCM_RIGHTS,
						  .cmsg_len = CMSG_LEN(n_fds * sizeof(int)) };
		m.msg_control = control.space;
		m.msg_controllen = CMSG_SPACE(n_fds * sizeof(int));
		memcpy(CMSG_DATA(&control.align), fds, n_fds * sizeof(int));
	}
	return sendmsg(fd, &m, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0;
}
