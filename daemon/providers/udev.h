/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Udev: conditions on devices that udev has processed.
 *
 * label:DATA and uuid:... a volume that carries it, device:/dev/sda2 a node or a link to one, udev:SUBSYSTEM=block ID_BUS=usb
 * one device with all these properties.
 */
#ifndef SVCD_PROVIDERS_UDEV_H
#define SVCD_PROVIDERS_UDEV_H

#include "loop/system-bus.h"
#include "providers/provider.h"
#include "worker/pool.h"

typedef struct UdevOptions {
	const char *directory;       /* where udevd has its control socket, "/run/udev"; copied */
	SocketLook sockets;          /* looks for that */
	WorkerPool *workers;         /* borrowed; NULL: no devices are known */
	bool is_recovering;          /* there was a manager before, and services of its that a volume's absence would stop */
	void (*settled)(void *data); /* udev_provider_is_settled(), which it was not before; may be NULL */
	void *data;
} UdevOptions;

/*
 * For four prefixes: KEY_LABEL, KEY_UUID, KEY_DEVICE, KEY_UDEV. Nothing is opened or looked at before the first subscription.
 */
Provider *udev_provider_new(const ProviderSink *sink, const UdevOptions *options);

/* Are the devices that were asked for listed, or is there no udevd? */
bool udev_provider_is_settled(Provider *provider);

#endif
