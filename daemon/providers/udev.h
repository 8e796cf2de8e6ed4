/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Udev: conditions on devices that udev has processed.
 *
 * label:DATA and uuid:... a volume that carries it, device:/dev/sda2 a node or a link to one, udev:SUBSYSTEM=block ID_BUS=usb
 * one device with all these properties.
 */
#ifndef SVCD_PROVIDERS_UDEV_H
#define SVCD_PROVIDERS_UDEV_H

#include "providers/provider.h"

/**
 * udev_provider_new() - for four prefixes: KEY_LABEL, KEY_UUID, KEY_DEVICE, KEY_UDEV
 * @directory:     copied; where udevd has its control socket, "/run/udev"
 * @is_recovering: there was a manager before, and services of its that a volume's absence would stop
 *
 * Nothing is opened or looked at before the first subscription.
 */
Provider *udev_provider_new(const ProviderSink *sink, const char *directory, bool is_recovering);

#endif
