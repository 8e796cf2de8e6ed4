/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * View: the state of a boot or a shutdown at one moment, as far as it is shown. Times are
 * CLOCK_MONOTONIC.
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
	MOTION_WAITING, /* for a condition that is not a service */
} MotionKind;

/* A service that is on its way: it starts, stops, waits, or is between two attempts. */
typedef struct Motion {
	MotionKind kind;
	char name[VIEW_NAME_BYTES]; /* cut off if it is longer */
	/* the condition or service that it waits for; ASCII in a view */
	char what[VIEW_NAME_BYTES];
	int64_t since_us;
	int64_t until_us; /* then it is killed, or tried again */
} Motion;

typedef struct View {
	bool is_shutdown; /* the machine is shutting down */
	bool is_finished; /* the boot is over */
	double fraction;
	unsigned n_ready;
	unsigned n_total;
	int64_t began_us; /* when PID 1 began */
	unsigned n_failed;
	/* their names, separated by commas; cut off if there are many */
	char failed[VIEW_FAILED_BYTES];
	unsigned n_moving; /* including those for which motions[] has no room */
	unsigned n_motions;
	Motion motions[VIEW_MOTIONS]; /* sorted by kind, then the longest first */
} View;

/* Inserts a motion in order. If there are too many, the last ones are dropped, but counted. */
void view_add(View *view, const Motion *motion);

/* The service that has been on its way for the longest time; NULL: none. */
const Motion *view_oldest(const View *view);

/* Adds a name to those that failed. */
void view_add_failed(View *view, const char *name);

/* A text buffer of limited size; a longer text ends with "...". */
typedef struct Text {
	char *bytes;
	size_t size;
	size_t length;
} Text;

void text_add(Text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
