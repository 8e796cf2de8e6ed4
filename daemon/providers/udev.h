/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Udev: conditions on devices that udev has processed.
 *
 * label:DATA and uuid:... require a volume with that label or UUID, device:/dev/sda2 a node or a
 * link to one, and udev:SUBSYSTEM=block ID_BUS=usb one device with all these properties.
 */
#ifndef SVCD_PROVIDERS_UDEV_H
#define SVCD_PROVIDERS_UDEV_H

#include "loop/system-bus.h"
#include "providers/provider.h"
#include "worker/pool.h"

typedef struct UdevOptions {
	const char *directory; /* contains udevd's control socket, "/run/udev"; copied */
	SocketLook sockets; /* watches that socket */
	WorkerPool *workers; /* borrowed; NULL: no devices are known */
	/* an earlier manager existed; its services would stop if a volume were absent */
	bool is_recovering;
	/* called when udev_provider_is_settled() becomes true; may be NULL */
	void (*settled)(void *data);
	void *data;
} UdevOptions;

/*
 * For four prefixes: KEY_LABEL, KEY_UUID, KEY_DEVICE, KEY_UDEV. Nothing is opened or read before
 * the first subscription.
 */
Provider *udev_provider_new(const ProviderSink *sink, const UdevOptions *options);

/* Are the subscribed devices listed, or is there no udevd? */
bool udev_provider_is_settled(Provider *provider);

#endif
