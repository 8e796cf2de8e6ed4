/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Verb datagrams: "eat" receives a datagram with descriptors from a notify socket, and closes the
 * descriptors.
 *
 * The datagram is out of the socket before the first descriptor is closed, because closing a
 * descriptor from a hostile process may never return.
 */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fd.h"
#include "tools/svc-worker/verbs.h"
#include "tools/svc-worker/worker.h"

/* SCM_MAX_FD of the kernel: no datagram carries more. */
#define MAX_FDS 253

/* Copies the descriptors to @fds. Returns: their number; they stay open. */
static unsigned take_descriptors(struct msghdr *header, int *fds)
{
	unsigned n = 0;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(header); c; c = CMSG_NXTHDR(header, c)) {
		const size_t length = c->cmsg_len - CMSG_LEN(0);

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		memcpy(fds, CMSG_DATA(c), length);
		n = (unsigned)(length / sizeof(int));
	}
	return n;
}

static bool has_descriptors(int socket)
{
	union {
		struct cmsghdr align;
		char space[CMSG_SPACE(sizeof(struct ucred))];
	} control;
	struct msghdr header = { .msg_control = control.space,
				 .msg_controllen = sizeof control.space };

	return recvmsg(socket, &header, MSG_DONTWAIT | MSG_PEEK) >= 0 &&
	       header.msg_flags & MSG_CTRUNC;
}

void verb_eat(WorkerRequest *request)
{
	union {
		struct cmsghdr align;
		char space[CMSG_SPACE(sizeof(struct ucred)) + CMSG_SPACE(sizeof(int) * MAX_FDS)];
	} control;
	struct msghdr header = { .msg_control = control.space,
				 .msg_controllen = sizeof control.space };
	auto_fd int socket = worker_message_take_fd(request);
	int fds[MAX_FDS];
	unsigned n = 0;

	if (has_descriptors(socket) &&
	    recvmsg(socket, &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) >= 0)
		n = take_descriptors(&header, fds);
	worker_answer(request->id, -1, "eaten", NULL);
	for (unsigned i = 0; i < n; i++)
		fd_close(&fds[i]);
	worker_answer(request->id, -1, WORKER_DONE, NULL);
}
