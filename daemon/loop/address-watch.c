/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Address watch: a notification is only a reason to look, so its content is ignored. A lost
 * notification does no harm, because the kernel reports the loss.
 */
#include "config.h"

#include "loop/address-watch.h"

#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include "base/errors.h"
#include "base/fd.h"
#include "loop/loop.h"

#define MESSAGE_BATCH 64

struct AddressWatch {
	int fd;
	FdSource *source;
	void (*changed)(void *data);
	void *data;
};

/* A truncated message also leaves the queue. An overflow (ENOBUFS) counts as a change. */
static void on_readable(GIOCondition condition, void *data)
{
	const AddressWatch *watch = data;
	char byte;

	(void)condition;
	for (int i = 0; i < MESSAGE_BATCH; i++) {
		if (recv(watch->fd, &byte, sizeof byte, MSG_DONTWAIT) < 0 && errno != ENOBUFS)
			break;
	}
	watch->changed(watch->data);
}

AddressWatch *address_watch_new(void (*changed)(void *data), void *data, GError **error)
{
	struct sockaddr_nl address = { .nl_family = AF_NETLINK,
				       .nl_groups = RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR };
	auto_fd int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
	AddressWatch *watch;

	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof address) < 0) {
		fail_errno(error, errno, "cannot watch the machine's addresses");
		return NULL;
	}
	watch = g_new0(AddressWatch, 1);
	watch->fd = fd_steal(&fd);
	watch->changed = changed;
	watch->data = data;
	watch->source = fd_source_new(watch->fd, G_IO_IN, LOOP_PRIORITY_BUS, on_readable, watch);
	return watch;
}

void address_watch_free(AddressWatch *watch)
{
	if (!watch)
		return;
	fd_source_free(watch->source);
	fd_close(&watch->fd);
	g_free(watch);
}
