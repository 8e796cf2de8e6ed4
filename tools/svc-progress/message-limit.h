/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Message limit: keeps the number of messages small on a console without status lines. A slow
 * service gets one message, and then another each time its duration has doubled.
 */
#ifndef SVCD_SVC_PROGRESS_MESSAGE_LIMIT_H
#define SVCD_SVC_PROGRESS_MESSAGE_LIMIT_H

#include "svc-progress/view.h"

typedef struct MessageLimitRow {
	char name[VIEW_NAME_BYTES];
	MotionKind kind;
	int64_t since_us;
	int64_t after_us; /* the next message is due after this duration */
} MessageLimitRow;

typedef struct MessageLimit {
	int64_t first_us; /* the first message is due after this duration */
	unsigned n_rows;
	MessageLimitRow rows[VIEW_MOTIONS];
} MessageLimit;

/*
 * Is a line about @motion due? If so, it counts as printed. Services that are no longer on their
 * way are dropped.
 */
bool message_limit_is_due(MessageLimit *limit, const Motion *motion, int64_t now_us);
void message_limit_forget(MessageLimit *limit, const View *view);

#endif
