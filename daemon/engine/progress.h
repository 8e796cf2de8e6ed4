/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Progress: how far the boot is, and how long it still takes. The model in words: docs/engine.md, "Progress".
 */
#ifndef SVCD_ENGINE_PROGRESS_H
#define SVCD_ENGINE_PROGRESS_H

#include "engine/durations.h"
#include "engine/engine.h"

typedef struct Progress {
	unsigned ready;   /* wanted services that are up */
	unsigned total;   /* wanted services */
	unsigned failed;
	bool finished;    /* the engine has been at rest once since the boot */
	int64_t boot_us;      /* CLOCK_MONOTONIC when this boot's engine first began */
	int64_t finished_us;  /* 0 while not finished */
} Progress;

void progress_get(const Engine *engine, Progress *ret);

bool progress_is_finished(const Engine *engine);
/* Description of the service that is starting for longest, or NULL; borrowed. Costs the services in motion. */
const char *progress_current(const Engine *engine);

/**
 * progress_fraction() - 0 to 1
 *
 * Grows with the time that passes and with what happens, never goes down during one boot, not over a crash of the manager
 * either, and is 1 only when the boot is finished.
 */
double progress_fraction(const Engine *engine, int64_t now_us);

/**
 * progress_rest() - how long the boot probably still takes, in microseconds
 * Returns: 0 when it is finished, or no earlier boot is known: the pace so far says nothing of a service that hangs. Costs the services in motion.
 */
int64_t progress_rest(const Engine *engine, int64_t now_us);

/**
 * progress_know() - what earlier boots took
 * @known: taken; the engine adds this boot to it when it is finished
 */
void progress_know(Engine *engine, Durations *known, int64_t now_us);

/* With this boot, once it is finished; owned by the engine. */
const Durations *progress_durations(const Engine *engine);

#endif
