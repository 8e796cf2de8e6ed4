/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Backoff: how long a failed service waits before it may start again.
 */
#ifndef SVCD_ENGINE_BACKOFF_H
#define SVCD_ENGINE_BACKOFF_H

#include <stdbool.h>
#include <stdint.h>

#include "model/service-def.h"

#define BACKOFF_GIVE_UP INT64_MAX

/* Starts that can be remembered; RestartLimit= above it is counted as this. */
#define BACKOFF_MAX_STARTS 64

/* So many failures in a row are a result: neither the boot nor a service that is ordered after it waits for the next try. */
#define BACKOFF_FAILING 3

typedef struct Backoff {
	int64_t *failures_us; /* ends of runs within the window, oldest first; most services never have one */
	unsigned n_failures;
	unsigned level; /* failures in a row, which double the delay */
} Backoff;

/**
 * backoff_next_start() - when may a service that ended by itself start again?
 * @b:         its restart history; this end is added to it
 * @def:       delay, its ceiling, the limit and its window
 * @now_us:    CLOCK_MONOTONIC, microseconds
 *
 * Doubles up to the ceiling.
 * Returns: an absolute time, or BACKOFF_GIVE_UP when as many runs as the limit allows ended within the window.
 */
int64_t backoff_next_start(Backoff *b, const ServiceDef *def, int64_t now_us);

/* A run has ended, whatever ended it. When it was up for @ran_us, as long as the window, the delay begins at the bottom again. */
void backoff_run_ended(Backoff *b, const ServiceDef *def, int64_t ran_us);

/**
 * backoff_next_try() - when to try again what the machine had no room for (fork: EAGAIN)
 *
 * The delay doubles as that of backoff_next_start(), but the service has not run, so nothing is counted and it is never given up.
 */
int64_t backoff_next_try(Backoff *b, const ServiceDef *def, int64_t now_us);

/* The delay that was used last. */
int64_t backoff_delay(const Backoff *b, const ServiceDef *def);

/* One more end of a run, not older than those before; for what a note remembers. */
void backoff_remember(Backoff *b, int64_t at_us);

/* An admin's start forgets everything. Frees what it holds. */
void backoff_clear(Backoff *b);

#endif
