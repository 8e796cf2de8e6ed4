/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Udev source: what udevd tells of devices, as a source of the main loop. Only events that udev has processed; libudev checks
 * that they come from root.
 */
#ifndef SVCD_LOOP_UDEV_SOURCE_H
#define SVCD_LOOP_UDEV_SOURCE_H

#include <glib.h>
#include <libudev.h>
#include <stdbool.h>

typedef struct UdevSource UdevSource;

/* A listener may not free the source from inside these. */
typedef struct UdevSourceListener {
	void (*event)(void *data, struct udev_device *device); /* borrowed */
	/* Events are lost, and none are waiting: every device must be looked at again. */
	void (*lost)(void *data);
	void (*drained)(void *data);   /* no more are waiting */
	void (*batch_end)(void *data); /* after the events of one turn */
} UdevSourceListener;

/* Hears every subsystem at first. @udev and @listener: borrowed. */
UdevSource *udev_source_new(struct udev *udev, const UdevSourceListener *listener, void *data, GError **error);
void udev_source_free(UdevSource *source); /* NULL is nothing */

/**
 * udev_source_filter() - hear only these subsystems from now on
 * @subsystems: a strv; NULL: all
 *
 * The kernel drops the rest, so that nobody wakes for it. What is in the queue already may still come.
 */
void udev_source_filter(UdevSource *source, const char *const *subsystems);

/* No event is waiting to be received at this moment. */
bool udev_source_is_empty(const UdevSource *source);

#endif
