/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Udev source: makes udevd's events a source of the main loop. It receives only events that udevd
 * has processed. libudev checks that they come from root.
 */
#ifndef SVCD_LOOP_UDEV_SOURCE_H
#define SVCD_LOOP_UDEV_SOURCE_H

#include <glib.h>
#include <libudev.h>
#include <stdbool.h>

typedef struct UdevSource UdevSource;

/* A listener must not free the source from inside these functions. */
typedef struct UdevSourceListener {
	void (*event)(void *data, struct udev_device *device); /* borrowed */
	/* Events are lost and none is waiting, so every device must be scanned again. */
	void (*lost)(void *data);
	void (*drained)(void *data); /* no event is waiting */
	void (*batch_end)(void *data); /* after the events of one turn */
} UdevSourceListener;

/* Receives all subsystems at first. @udev and @listener: borrowed. */
UdevSource *udev_source_new(struct udev *udev, const UdevSourceListener *listener, void *data,
			    GError **error);
void udev_source_free(UdevSource *source); /* NULL is allowed */

/**
 * udev_source_filter() - receive only these subsystems from now on
 * @subsystems: a strv; NULL: all
 *
 * The kernel drops the other events, which then wake no process. Events that are in the queue
 * already may still come.
 */
void udev_source_filter(UdevSource *source, const char *const *subsystems);

/* Is no event waiting now? */
bool udev_source_is_empty(const UdevSource *source);

#endif
