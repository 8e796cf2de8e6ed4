/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Udev recheck: a volume that suddenly disappears may only have been misread.
 *
 * udevd's blkid may read a superblock while the kernel rewrites it (at mount(2) the checksum is
 * briefly wrong). The event then shows a device without a file system. Accepting it would unmount
 * the volume in the middle of its mount. So the device keeps its known state, and udevd is asked
 * twice to process it again. Only then is the event accepted. Another label, other content and the
 * removal of the device are accepted at once.
 *
 * This is plain data, like the table. Its user (providers/udev.c) has the clock and asks udevd.
 */
#ifndef SVCD_PROVIDERS_UDEV_RECHECK_H
#define SVCD_PROVIDERS_UDEV_RECHECK_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "providers/udev-record.h"
#include "providers/udev-table.h"

/* After the first event without a volume, udevd is asked after this delay, and once more later. */
#define UDEV_RECHECK_FIRST_US (200 * G_TIME_SPAN_MILLISECOND)
#define UDEV_RECHECK_SECOND_US G_TIME_SPAN_SECOND

/* The time for an answer. The events of a whole boot may be queued before it. */
#define UDEV_RECHECK_ANSWER_US (30 * G_TIME_SPAN_SECOND)

/* After a request that may be lost, the next one is sent after this delay. */
#define UDEV_RECHECK_LOST_US (5 * G_TIME_SPAN_SECOND)

typedef struct UdevRechecks UdevRechecks;

typedef struct UdevRecheckOps {
	/*
	 * Makes udevd process the device again. If that is impossible, udev_rechecks_refuse()
	 * follows.
	 */
	void (*request)(void *data, const char *syspath);
	/*
	 * Must find out whether the device has readable content, which an event does not show, and
	 * put the device again soon. Until then the device keeps its known state.
	 */
	void (*look)(void *data, const char *syspath);
} UdevRecheckOps;

typedef enum UdevRecordSource {
	UDEV_FROM_EVENT,
	UDEV_FROM_LISTING, /* udevd's knowledge of unknown age: not an answer */
	UDEV_FROM_FIRST_LISTING, /* the same, and an earlier manager may have known more */
} UdevRecordSource;

/* @table and @ops: borrowed. */
UdevRechecks *udev_rechecks_new(UdevTable *table, const UdevRecheckOps *ops, void *data);
void udev_rechecks_free(UdevRechecks *rechecks); /* NULL is allowed */

/* The reported state of a device: it goes into the table, unless it is in doubt. Takes @record. */
void udev_rechecks_put(UdevRechecks *rechecks, UdevRecord *record, UdevRecordSource by,
		       int64_t now_us);
/* The device is gone: removes it from the table, too. */
void udev_rechecks_drop(UdevRechecks *rechecks, const char *syspath);

/*
 * udevd cannot be asked about this device, so no answer is waited for. @is_lost: it is unknown
 * whether udevd was asked, so the request is repeated.
 */
void udev_rechecks_refuse(UdevRechecks *rechecks, const char *syspath, bool is_lost,
			  int64_t now_us);

void udev_rechecks_forget(UdevRechecks *rechecks); /* ends all rechecks; the table stays as it is */

/* There is a new udevd, which may not know the requests to the old one. */
void udev_rechecks_repeat(UdevRechecks *rechecks, int64_t now_us);

/* Sends requests and accepts states that are due by now. */
void udev_rechecks_turn(UdevRechecks *rechecks, int64_t now_us);
int64_t udev_rechecks_next_us(const UdevRechecks *rechecks); /* time of the next action; 0: none */

/* Is the volume of some device unknown? A label missing in the table may then belong to it. */
bool udev_rechecks_hide_volumes(const UdevRechecks *rechecks);

#endif
