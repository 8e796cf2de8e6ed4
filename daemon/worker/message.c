/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Worker message: strings to a datagram and back.
 */
#include "config.h"

#include "worker/message.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/fd.h"

typedef union Control {
	struct cmsghdr align;
	char space[CMSG_SPACE(sizeof(int) * WORKER_MAX_FDS)];
} Control;

GByteArray *worker_message_new(uint64_t id, const char *const *fields, unsigned n_fields)
{
	GByteArray *message = g_byte_array_new();
	char number[24];

	(void)snprintf(number, sizeof number, "%" G_GUINT64_FORMAT, id);
	g_byte_array_append(message, (const guint8 *)number, (guint)strlen(number) + 1);
	for (unsigned i = 0; i < n_fields && message->len <= WORKER_MESSAGE_BYTES; i++) {
		/* a message with a shortened field fails the check below */
		const size_t length = MIN(strlen(fields[i]), WORKER_MESSAGE_BYTES);

		g_byte_array_append(message, (const guint8 *)fields[i], (guint)length);
		g_byte_array_append(message, (const guint8 *)"", 1);
	}
	if (message->len <= WORKER_MESSAGE_BYTES && n_fields < WORKER_MAX_FIELDS)
		return message;
	g_byte_array_unref(message);
	return NULL;
}

static void attach(struct msghdr *header, Control *control, const int *fds, unsigned n_fds)
{
	struct cmsghdr *c;

	if (n_fds == 0)
		return;
	memset(control, 0, sizeof *control);
	header->msg_control = control->space;
	header->msg_controllen = CMSG_SPACE(sizeof(int) * n_fds);
	c = CMSG_FIRSTHDR(header);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int) * n_fds);
	memcpy(CMSG_DATA(c), fds, sizeof(int) * n_fds);
}

int worker_message_send(int fd, const GByteArray *message, const int *fds, unsigned n_fds)
{
	struct iovec part = { .iov_base = message->data, .iov_len = message->len };
	struct msghdr header = { .msg_iov = &part, .msg_iovlen = 1 };
	Control control;

	attach(&header, &control, fds, MIN(n_fds, WORKER_MAX_FDS));
	while (sendmsg(fd, &header, MSG_DONTWAIT | MSG_NOSIGNAL) < 0) {
		if (errno != EINTR)
			return errno == ENOBUFS ? EAGAIN : errno;
	}
	return 0;
}

static void take_fds(struct msghdr *header, WorkerMessage *ret)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(header); c; c = CMSG_NXTHDR(header, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		ret->n_fds = (unsigned)((c->cmsg_len - CMSG_LEN(0)) / sizeof(int));
		memcpy(ret->fds, CMSG_DATA(c), sizeof(int) * ret->n_fds);
	}
}

static bool take_fields(WorkerMessage *message, size_t length)
{
	const char *const end = message->bytes + length;
	char *rest;

	if (length == 0 || end[-1] != '\0')
		return false;
	message->id = strtoull(message->bytes, &rest, 10);
	if (*rest != '\0' || rest == message->bytes)
		return false;
	for (const char *at = rest + 1; at < end; at += strlen(at) + 1) {
		if (message->n_fields == WORKER_MAX_FIELDS)
			return false;
		message->fields[message->n_fields++] = at;
	}
	return message->n_fields > 0;
}

int worker_message_receive(int fd, WorkerMessage *ret)
{
	Control control;
	struct iovec part = { .iov_base = ret->bytes, .iov_len = sizeof ret->bytes };
	struct msghdr header = { .msg_iov = &part,
				 .msg_iovlen = 1,
				 .msg_control = control.space,
				 .msg_controllen = sizeof control.space };
	ssize_t n;

	ret->n_fields = ret->n_fds = 0;
	do {
		n = recvmsg(fd, &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	} while (n < 0 && errno == EINTR);
	if (n <= 0)
		return n < 0 && errno == ECONNRESET ? 0 : (int)n;
	take_fds(&header, ret);
	if (!(header.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) && take_fields(ret, (size_t)n))
		return 1;
	worker_message_clear(ret);
	errno = EBADMSG;
	return -1;
}

void worker_message_clear(WorkerMessage *message)
{
	for (unsigned i = 0; i < message->n_fds; i++)
		fd_close(&message->fds[i]);
	message->n_fds = 0;
}

int worker_message_take_fd(WorkerMessage *message)
{
	return message->n_fds > 0 ? fd_steal(&message->fds[0]) : -1;
}
