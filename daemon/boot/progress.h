/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Progress: how far the boot is, and how much longer it will take. The model is in docs/engine.md,
 * "Progress".
 */
#ifndef SVCD_BOOT_PROGRESS_H
#define SVCD_BOOT_PROGRESS_H

#include "boot/durations.h"
#include "engine/engine.h"

typedef struct Progress {
	unsigned ready; /* wanted services that are up */
	unsigned total; /* wanted services */
	unsigned failed;
	bool finished; /* the boot is over */
	int64_t boot_us; /* CLOCK_MONOTONIC when the first manager of this boot began */
	int64_t finished_us; /* 0 while not finished */
} Progress;

void progress_get(const Engine *engine, Progress *ret);

bool progress_is_finished(const Engine *engine);
/*
 * The description of the service that has been starting longest, or NULL; borrowed. The cost
 * depends on the number of services in motion.
 */
const char *progress_current(const Engine *engine);

/**
 * progress_fraction() - the progress from 0 to 1
 *
 * Grows with time and with events. It never decreases during a boot, even if the manager crashes.
 * It is 1 only when the boot is finished.
 */
double progress_fraction(const Engine *engine, int64_t now_us);

/**
 * progress_rest() - the probable remaining time of the boot, in microseconds
 * Returns: 0 if the boot is finished. Also 0 if no earlier boot is known, because the pace so far
 * cannot predict a hanging service. The cost depends on the number of services in motion.
 */
int64_t progress_rest(const Engine *engine, int64_t now_us);

/**
 * progress_know() - take the durations of earlier boots
 * @known: ownership is taken; this boot is added when it is finished
 */
void progress_know(Engine *engine, Durations *known, int64_t now_us);

/* Includes this boot once it is finished; borrowed. */
const Durations *progress_durations(const Engine *engine);

#endif
