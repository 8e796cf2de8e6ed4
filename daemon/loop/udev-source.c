/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Udev source: a netlink socket behind libudev. After an overflow the kernel reports ENOBUFS once
 * and drops everything until the queue has been read to its end (netlink(7)). A scan of the devices
 * before that would miss the events that are dropped meanwhile.
 */
#include "config.h"

#include "loop/udev-source.h"

#include <errno.h>
#include <poll.h>

#include "base/errors.h"
#include "base/limits.h"
#include "base/log.h"
#include "loop/loop.h"

struct UdevSource {
	struct udev_monitor *monitor;
	FdSource *fd_source;
	const UdevSourceListener *listener;
	void *data;
	bool is_lossy;
};

/* Returns: false if there was nothing to receive. */
static bool receive_one(UdevSource *source)
{
	struct udev_device *device;

	errno = 0;
	device = udev_monitor_receive_device(source->monitor);
	if (device) {
		source->listener->event(source->data, device);
		(void)udev_device_unref(device); /* always NULL */
		return true;
	}
	if (errno == EAGAIN || errno == EINTR)
		return false;
	source->is_lossy = true; /* ENOBUFS, or a message that libudev cannot read */
	return true;
}

static void on_netlink_readable(GIOCondition condition, void *data)
{
	UdevSource *source = data;
	unsigned n = 0;

	(void)condition;
	while (n < LIMIT_UDEV_BATCH && receive_one(source))
		n++;
	/*
	 * libudev also returns EAGAIN for a message that is not from udevd, so only the socket
	 * knows whether it is empty.
	 */
	if (n < LIMIT_UDEV_BATCH && udev_source_is_empty(source)) {
		if (source->is_lossy) {
			source->is_lossy = false;
			source->listener->lost(source->data);
		}
		source->listener->drained(source->data);
	}
	source->listener->batch_end(source->data);
}

UdevSource *udev_source_new(struct udev *udev, const UdevSourceListener *listener, void *data,
			    GError **error)
{
	UdevSource *source = g_new0(UdevSource, 1);

	source->listener = listener;
	source->data = data;
	source->monitor = udev_monitor_new_from_netlink(udev, "udev");
	if (!source->monitor) {
		fail_errno(error, errno, "cannot listen to udev");
		udev_source_free(source);
		return NULL;
	}
	/*
	 * Without CAP_NET_ADMIN the default size is used. An overflow only costs a scan of all
	 * devices.
	 */
	(void)udev_monitor_set_receive_buffer_size(source->monitor, LIMIT_UDEV_BUFFER_BYTES);
	if (udev_monitor_enable_receiving(source->monitor) < 0) {
		fail_errno(error, errno, "cannot listen to udev");
		udev_source_free(source);
		return NULL;
	}
	source->fd_source = fd_source_new(udev_monitor_get_fd(source->monitor), G_IO_IN,
					  LOOP_PRIORITY_PROVIDER, on_netlink_readable, source);
	return source;
}

void udev_source_free(UdevSource *source)
{
	if (!source)
		return;
	fd_source_free(source->fd_source);
	if (source->monitor)
		(void)udev_monitor_unref(source->monitor); /* always NULL */
	g_free(source);
}

void udev_source_filter(UdevSource *source, const char *const *subsystems)
{
	bool is_set = true;

	/*
	 * Returns ENOENT without a filter, but always forgets the subsystems (sd-device-monitor.c
	 * of udev 252).
	 */
	(void)udev_monitor_filter_remove(source->monitor);
	for (; subsystems && *subsystems; subsystems++)
		is_set = is_set && udev_monitor_filter_add_match_subsystem_devtype(
					   source->monitor, *subsystems, NULL) >= 0;
	/*
	 * More subsystems than a kernel filter can hold: all are received, and libudev filters
	 * them.
	 */
	if (!is_set || udev_monitor_filter_update(source->monitor) < 0)
		log_debug(NULL, "cannot filter device events: each one wakes the manager");
}

bool udev_source_is_empty(const UdevSource *source)
{
	struct pollfd pfd = { .fd = udev_monitor_get_fd(source->monitor), .events = POLLIN };

	return poll(&pfd, 1, 0) == 0;
}
