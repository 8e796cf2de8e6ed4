/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Said: the messages that were printed on a console without status lines, to keep their number
 * small. A slow service gets one message, and then another each time its duration has doubled.
 */
#ifndef SVCD_SVC_PROGRESS_SAID_H
#define SVCD_SVC_PROGRESS_SAID_H

#include "svc-progress/view.h"

typedef struct SaidRow {
	char name[VIEW_NAME_BYTES];
	MotionKind kind;
	int64_t since_us;
	int64_t after_us; /* the next message is due after this duration */
} SaidRow;

typedef struct Said {
	int64_t first_us; /* the first message is due after this duration */
	unsigned n_rows;
	SaidRow rows[VIEW_MOTIONS];
} Said;

/*
 * Is a line about @motion due? If so, it counts as printed. Services that are no longer on their
 * way are dropped.
 */
bool said_is_due(Said *said, const Motion *motion, int64_t now_us);
void said_forget(Said *said, const View *view);

#endif
