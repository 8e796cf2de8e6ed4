/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Said: what a console that takes only lines has been told, so that there are few of them: of each service that is slow one at
 * the beginning, and then each time when it has taken twice as long.
 */
#ifndef SVCD_SVC_PROGRESS_SAID_H
#define SVCD_SVC_PROGRESS_SAID_H

#include "svc-progress/view.h"

typedef struct SaidRow {
	char name[VIEW_NAME_BYTES];
	MotionKind kind;
	int64_t since_us;
	int64_t after_us; /* the next word is due when it has taken so long */
} SaidRow;

typedef struct Said {
	int64_t first_us; /* the first word is due when it has taken so long */
	unsigned n_rows;
	SaidRow rows[VIEW_MOTIONS];
} Said;

/* Is a line about @motion due? If so, it counts as said. What is on its way no longer is forgotten. */
bool said_is_due(Said *said, const Motion *motion, int64_t now_us);
void said_forget(Said *said, const View *view);

#endif
