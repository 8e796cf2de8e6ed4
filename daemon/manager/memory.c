/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Memory: what a burst of work took goes back to the machine when the burst is over.
 *
 * Loading, a change of runlevel or an answer about a thousand services takes some MiB for a moment. malloc(3) keeps what is
 * freed unless it lies at the end of the heap, where it rarely does; a manager lives as long as the machine.
 */
#include "config.h"

#include <malloc.h>

#include "manager/manager.h"

/* From this size on a buffer is mapped by itself, and gone when it is freed. Said once, or malloc raises it by itself. */
#define MAP_BYTES (64 * 1024)

/* A burst: as many services that were told to do something, since memory was last given back. */
#define BURST_ACTS 32

/* The burst is over when nothing of the kind happened for as long. */
#define PAUSE_US (1 * G_USEC_PER_SEC)

static void on_pause_over(void *data)
{
	Manager *m = data;

	m->n_burst_acts = 0;
	(void)malloc_trim(0); /* whether there was anything to give back */
}

void memory_init(Manager *m)
{
	(void)mallopt(M_MMAP_THRESHOLD, MAP_BYTES); /* fails for a size above half a heap only */
	m->pause = timer_new(on_pause_over, m);
}

void memory_burst(Manager *m)
{
	timer_arm(m->pause, loop_now() + PAUSE_US);
}

void memory_count_act(Manager *m)
{
	if (++m->n_burst_acts >= BURST_ACTS)
		memory_burst(m);
}
