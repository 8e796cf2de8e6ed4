/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Backoff: the delay before a failed service may start again.
 */
#ifndef SVCD_ENGINE_BACKOFF_H
#define SVCD_ENGINE_BACKOFF_H

#include <stdbool.h>
#include <stdint.h>

#include "model/service-def.h"

#define BACKOFF_GIVE_UP INT64_MAX

/* The number of ends that are remembered. A larger RestartLimit= has the effect of this number. */
#define BACKOFF_MAX_STARTS 64

/*
 * After this many failures in a row, the boot and the services ordered after this one no longer
 * wait for another try.
 */
#define BACKOFF_FAILING 3

typedef struct Backoff {
	int64_t *failures_us; /* ends of runs within the window, oldest first; usually NULL */
	unsigned n_failures;
	unsigned level; /* failures in a row; each doubles the delay */
} Backoff;

/**
 * backoff_next_start() - when may a service that ended by itself start again?
 * @b: its restart history; this end is added
 * @def: the delay, its maximum, the limit and its window
 * @now_us: CLOCK_MONOTONIC, microseconds
 *
 * The delay doubles up to the maximum.
 * Returns: an absolute time, or BACKOFF_GIVE_UP if the window contains as many ends as the limit.
 */
int64_t backoff_next_start(Backoff *b, const ServiceDef *def, int64_t now_us);

/*
 * A run has ended for any reason, after it was up for @ran_us. The delay is reset if @ran_us is at
 * least one window.
 */
void backoff_run_ended(Backoff *b, const ServiceDef *def, int64_t ran_us);

/**
 * backoff_next_try() - when to retry a start that the machine had no resources for (fork: EAGAIN)
 *
 * The delay doubles as in backoff_next_start(). The service has not run, so the failure is not
 * counted, and there is no limit.
 */
int64_t backoff_next_try(Backoff *b, const ServiceDef *def, int64_t now_us);

/* The delay that was used last. */
int64_t backoff_delay(const Backoff *b, const ServiceDef *def);

/* Adds the end of a run, which must not be older than the earlier ones. For values from a note. */
void backoff_remember(Backoff *b, int64_t at_us);

/* Forgets and frees the history, for example because an admin starts the service. */
void backoff_clear(Backoff *b);

#endif
