/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Udev reader: lets svc-worker read devices. Users can hold the locks of directories in /sys and in
 * udev's database, so the manager looks up no path there.
 */
#ifndef SVCD_PROVIDERS_UDEV_READER_H
#define SVCD_PROVIDERS_UDEV_READER_H

#include <glib.h>
#include <stdbool.h>

#include "providers/udev-record.h"
#include "worker/pool.h"

/* The owner name of the jobs. */
#define UDEV_OWNER "devices"

/*
 * Verbs of svc-worker. The first two answer UDEV_ANSWER_DEVICE for each device that udev has
 * processed, and "done" at the end:
 *
 * 	list-devices [SUBSYSTEM...]	all devices, or those of these subsystems
 * 	look-at-devices SYSPATH...	these devices; missing ones are left out
 * 	announce-device SYSPATH		makes the kernel announce it: udevd processes it again
 */
#define UDEV_VERB_LIST "list-devices"
#define UDEV_VERB_LOOK "look-at-devices"
#define UDEV_VERB_ANNOUNCE "announce-device"

#define UDEV_ANSWER_DEVICE "device" /* SYSPATH UDEV_EMPTY|"" NAME=VALUE... */
#define UDEV_ANSWER_MORE "more" /* NAME=VALUE... of the same device */
#define UDEV_EMPTY "empty" /* UdevRecord.is_empty */

typedef struct UdevReader UdevReader;

typedef struct UdevReaderListener {
	/*
	 * The job is done. @records: UdevRecord *, borrowed; a record that is taken is replaced by
	 * NULL.
	 */
	void (*done)(void *data, GPtrArray *records);
	/* The job is lost; @why is a clause. */
	void (*failed)(void *data, const char *why);
	/* The device cannot be announced. @is_lost: it is unknown whether it was announced. */
	void (*not_announced)(void *data, const char *syspath, bool is_lost);
} UdevReaderListener;

/* @pool: borrowed; NULL: every job fails. @listener: borrowed; called from the main loop only. */
UdevReader *udev_reader_new(WorkerPool *pool, const UdevReaderListener *listener, void *data);
void udev_reader_free(UdevReader *reader); /* NULL is allowed */

/* Begins a job and gives up a running one. @subsystems: NULL: all. */
void udev_reader_list(UdevReader *reader, const char *const *subsystems, unsigned n);
void udev_reader_look(UdevReader *reader, const char *const *syspaths, unsigned n);

bool udev_reader_is_busy(const UdevReader *reader);
void udev_reader_give_up(UdevReader *reader);

void udev_reader_announce(UdevReader *reader, const char *syspath);

#endif
