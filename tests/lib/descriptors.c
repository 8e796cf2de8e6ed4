/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Descriptors: SCM_RIGHTS with the descriptor of standard error.
 */
#include "config.h"

#include "tests/lib/descriptors.h"

#include <check.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef SO_PASSRIGHTS
#define SO_PASSRIGHTS 83
#endif

void send_descriptor(int writer_fd, int ours, const char *text, int flags)
{
	const int on = 1;
	const int fd = STDERR_FILENO;
	char bytes[64];
	union {
		struct cmsghdr align;
		char space[CMSG_SPACE(sizeof(int))];
	} control = { .space = { 0 } };
	struct iovec iov = { .iov_base = bytes, .iov_len = strlen(text) };
	struct msghdr message = { .msg_iov = &iov,
				  .msg_iovlen = 1,
				  .msg_control = control.space,
				  .msg_controllen = sizeof control.space };
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);

	ck_assert_uint_lt(strlen(text), sizeof bytes);
	memcpy(bytes, text, strlen(text));
	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(sizeof fd);
	memcpy(CMSG_DATA(header), &fd, sizeof fd);
	(void)setsockopt(ours, SOL_SOCKET, SO_PASSRIGHTS, &on, sizeof on);
	ck_assert_int_eq(sendmsg(writer_fd, &message, flags), (ssize_t)strlen(text));
}
