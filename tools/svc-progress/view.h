/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * View: what svcd says of a boot or a shutdown at one moment, as much of it as is shown. Times are CLOCK_MONOTONIC.
 */
#ifndef SVCD_SVC_PROGRESS_VIEW_H
#define SVCD_SVC_PROGRESS_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define USEC_PER_SEC INT64_C(1000000)

enum { VIEW_MOTIONS = 16, VIEW_NAME_BYTES = 64, VIEW_FAILED_BYTES = 128 };

typedef enum MotionKind {
	MOTION_STARTING,
	MOTION_STOPPING,
	MOTION_RETRYING, /* between two attempts */
	MOTION_WAITING,  /* for something that is no service of ours */
} MotionKind;

/* A service that is on its way. */
typedef struct Motion {
	MotionKind kind;
	char name[VIEW_NAME_BYTES]; /* cut when longer */
	char what[VIEW_NAME_BYTES]; /* what it waits for; in a view ASCII */
	int64_t since_us;
	int64_t until_us; /* then it is killed, or tried again */
} Motion;

typedef struct View {
	bool is_shutdown; /* the machine goes down */
	bool is_finished; /* the boot is over */
	double fraction;
	unsigned n_ready;
	unsigned n_total;
	int64_t began_us; /* when PID 1 began */
	unsigned n_failed;
	char failed[VIEW_FAILED_BYTES]; /* their names, with commas; cut when there are many */
	unsigned n_moving;              /* also those for whom there is no room below */
	unsigned n_motions;
	Motion motions[VIEW_MOTIONS];   /* kind by kind, of each the longest first */
} View;

/* Adds one in its place; of too many the last are left out, and counted. */
void view_add(View *view, const Motion *motion);

/* Who has been on the way for longest; NULL: nobody is. */
const Motion *view_oldest(const View *view);

/* Adds a name to those that failed. */
void view_add_failed(View *view, const char *name);

#endif
