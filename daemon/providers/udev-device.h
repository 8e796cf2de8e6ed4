/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Udev device: a device of libudev as a record.
 */
#ifndef SVCD_PROVIDERS_UDEV_DEVICE_H
#define SVCD_PROVIDERS_UDEV_DEVICE_H

#include <libudev.h>

#include "providers/udev-record.h"

/*
 * Without memory or descriptors libudev answers as if there were nothing, and only errno differs, until its next call. A device that
 * cannot be read must not be taken for one that is gone, because then services that need it would be stopped.
 *
 * Sets @trouble to errno if that is such an error; else leaves it alone.
 */
void udev_device_note_trouble(int *trouble);

/**
 * udev_device_record() - all properties of a device
 * @device:    of an event: nothing is read from a file, because all properties came with the event
 * @subsystem: for a device of /sys, which has it only as a link; NULL for that of an event, which has it among its properties
 *
 * Returns: a new record, or NULL if the device cannot be read at present, and then @trouble is set.
 */
UdevRecord *udev_device_record(struct udev_device *device, const char *subsystem, int *trouble);

#endif
