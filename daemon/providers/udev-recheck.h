/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Udev recheck: a volume that is suddenly none may only have been misread.
 *
 * udevd's blkid reads a superblock while the kernel writes it anew (mount(2), the checksum is not right for a moment), and the event
 * shows a device with no file system at all. Taken as it is, that unmounts the volume in the middle of being mounted. So the device
 * stays as it was known, udevd is asked to look again (twice, and no more), and only then is it what it says. Another label, another
 * kind of content and the end of the device count at once.
 *
 * Plain data, as the table: who feeds it (providers/udev.c) has the clock, and knows how to ask.
 */
#ifndef SVCD_PROVIDERS_UDEV_RECHECK_H
#define SVCD_PROVIDERS_UDEV_RECHECK_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "providers/udev-record.h"
#include "providers/udev-table.h"

/* After the first event without a volume udevd is asked so much later, and once more. */
#define UDEV_RECHECK_FIRST_US (200 * G_TIME_SPAN_MILLISECOND)
#define UDEV_RECHECK_SECOND_US G_TIME_SPAN_SECOND

/* Then it has so much time for an answer: there may be the events of a whole boot in front of it. */
#define UDEV_RECHECK_ANSWER_US (30 * G_TIME_SPAN_SECOND)

/* After a question that may not have been asked, the next one comes so much later. */
#define UDEV_RECHECK_LOST_US (5 * G_TIME_SPAN_SECOND)

typedef struct UdevRechecks UdevRechecks;

typedef struct UdevRecheckOps {
	/* Have udevd look at it again. If that cannot be had, udev_rechecks_refuse() follows. */
	void (*ask)(void *data, const char *syspath);
	/*
	 * An event does not show whether there is anything in the device that can be read. Find out, and put it again; soon, because
	 * until then it stays as it was known.
	 */
	void (*look)(void *data, const char *syspath);
} UdevRecheckOps;

typedef enum UdevRecordSource {
	UDEV_FROM_EVENT,
	UDEV_FROM_LISTING,       /* what udevd knows, from whenever: no answer */
	UDEV_FROM_FIRST_LISTING, /* the same, and the manager before may have known more */
} UdevRecordSource;

/* @table and @ops: borrowed. */
UdevRechecks *udev_rechecks_new(UdevTable *table, const UdevRecheckOps *ops, void *data);
void udev_rechecks_free(UdevRechecks *rechecks); /* NULL is nothing */

/* The device is said to be so now: into the table with it, unless that is in doubt. Takes @record. */
void udev_rechecks_put(UdevRechecks *rechecks, UdevRecord *record, UdevRecordSource by, int64_t now_us);
/* It is gone: from the table, too. */
void udev_rechecks_drop(UdevRechecks *rechecks, const char *syspath);

/*
 * udevd cannot be asked to look at this device, so there is no answer to wait for. @is_lost: it is only not known whether it was asked,
 * which is tried again.
 */
void udev_rechecks_refuse(UdevRechecks *rechecks, const char *syspath, bool is_lost, int64_t now_us);

void udev_rechecks_forget(UdevRechecks *rechecks); /* all of them, as they are in the table */

/* There is another udevd: what the one before was asked it need not know. */
void udev_rechecks_ask_anew(UdevRechecks *rechecks, int64_t now_us);

/* Ask, and believe, whatever is due by now. */
void udev_rechecks_turn(UdevRechecks *rechecks, int64_t now_us);
int64_t udev_rechecks_next_us(const UdevRechecks *rechecks); /* when something is; 0: nothing ever */

/* Of some device it is not known what volume it was: a label that is not in the table may be its. */
bool udev_rechecks_hide_volumes(const UdevRechecks *rechecks);

#endif
