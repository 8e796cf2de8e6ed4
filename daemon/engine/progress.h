/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Progress: how far the boot is. A function of the states; only the highest value shown is remembered.
 */
#ifndef SVCD_ENGINE_PROGRESS_H
#define SVCD_ENGINE_PROGRESS_H

#include "engine/engine.h"

typedef struct Progress {
	double fraction;  /* 0 to 1, never goes down during one boot */
	unsigned ready;   /* wanted services that are up */
	unsigned total;   /* wanted services */
	unsigned failed;
	bool finished;    /* the engine has been at rest once since the boot */
	int64_t boot_us;      /* CLOCK_MONOTONIC when this boot's engine first began */
	int64_t finished_us;  /* 0 while not finished */
	const char *current;  /* description of one service that is starting, or NULL; borrowed */
} Progress;

void progress_get(const Engine *engine, Progress *ret);

#endif
