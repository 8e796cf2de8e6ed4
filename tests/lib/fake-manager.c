/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A manager for tests of the keeper. It passes its end of the link to the test, which then speaks
 * the protocol itself. It exits with the status in the byte that the test sends. To simulate a
 * death by a signal, the test kills it.
 */
#include "config.h"

#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "protocol/protocol.h"

static int send_link(int fd, int link_fd)
{
	union {
		char space[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = { 0 };
	pid_t pid = getpid();
	struct iovec part = { .iov_base = &pid, .iov_len = sizeof(pid) };
	struct msghdr m = { .msg_iov = &part,
			    .msg_iovlen = 1,
			    .msg_control = control.space,
			    .msg_controllen = sizeof(control.space) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &link_fd, sizeof(link_fd));
	return sendmsg(fd, &m, 0) < 0 ? -1 : 0;
}

int main(int argc, char **argv)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	unsigned char status = 1;
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	if (argc != 2 || strlen(argv[1]) >= sizeof(address.sun_path) || fd < 0)
		return 1;
	strcpy(address.sun_path, argv[1]);
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0 ||
	    send_link(fd, PROTOCOL_LINK_FD) < 0)
		return 1;
	if (read(fd, &status, 1) != 1)
		return 1; /* the test is over */
	return status;
}
