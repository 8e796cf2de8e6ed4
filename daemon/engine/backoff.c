/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Backoff: the delay before a failed service may start again.
 *
 * Pure arithmetic on the times it is given. The engine arms the timer. The curve is in
 * docs/how-svcd-decides.md, "Restarting".
 */
#include "config.h"

#include "engine/backoff.h"

#include <string.h>

static void drop_oldest(Backoff *b, unsigned n)
{
	if (n == 0)
		return;
	b->n_failures -= n;
	memmove(b->failures_us, b->failures_us + n, b->n_failures * sizeof(b->failures_us[0]));
}

static void drop_older_than(Backoff *b, int64_t limit_us)
{
	unsigned n = 0;

	while (n < b->n_failures && b->failures_us[n] < limit_us)
		n++;
	drop_oldest(b, n);
}

void backoff_remember(Backoff *b, int64_t at_us)
{
	if (!b->failures_us)
		b->failures_us = g_new(int64_t, BACKOFF_MAX_STARTS);
	if (b->n_failures == BACKOFF_MAX_STARTS)
		drop_oldest(b, 1);
	b->failures_us[b->n_failures++] = at_us;
}

int64_t backoff_delay(const Backoff *b, const ServiceDef *def)
{
	int64_t delay_us = def->restart_delay_us;

	for (unsigned i = 1; i < b->level && delay_us < def->restart_delay_max_us; i++)
		delay_us *= 2;
	return MIN(delay_us, MAX(def->restart_delay_max_us, def->restart_delay_us));
}

static void raise_level(Backoff *b)
{
	if (b->level < 62)
		b->level++;
}

int64_t backoff_next_try(Backoff *b, const ServiceDef *def, int64_t now_us)
{
	raise_level(b);
	return now_us + backoff_delay(b, def);
}

void backoff_run_ended(Backoff *b, const ServiceDef *def, int64_t ran_us)
{
	if (ran_us >= def->restart_window_us)
		b->level = 0;
}

int64_t backoff_next_start(Backoff *b, const ServiceDef *def, int64_t now_us)
{
	const unsigned limit = MIN(def->restart_limit, BACKOFF_MAX_STARTS);

	drop_older_than(b, now_us - def->restart_window_us);
	backoff_remember(b, now_us);
	raise_level(b);
	/* Limit 0: the service is always retried. */
	if (limit > 0 && b->n_failures >= limit)
		return BACKOFF_GIVE_UP;
	return now_us + backoff_delay(b, def);
}

void backoff_clear(Backoff *b)
{
	g_clear_pointer(&b->failures_us, g_free);
	b->n_failures = 0;
	b->level = 0;
}
