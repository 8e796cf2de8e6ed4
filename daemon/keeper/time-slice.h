/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Time slice: how long we and the manager may run at a stretch while others wait for a processor, and so how soon it is our turn
 * again.
 *
 * Whoever waits for us waits for some microseconds of work, and may have to wait for a whole slice of somebody else's before it
 * begins. Since Linux 6.12 a process may ask for a shorter slice than others have (sched_setattr(2); the kernel's scheduler/sched-eevdf.rst): it
 * gets no more of the processor by that, but gets it sooner. Other kernels have one slice for all, and know nothing of ours.
 */
#ifndef SVCD_KEEPER_TIME_SLICE_H
#define SVCD_KEEPER_TIME_SLICE_H

#include <stdbool.h>
#include <stdint.h>

/* The shortest that there is. */
#define TIME_SLICE_SHORT_NS 100000

/* struct sched_attr of sched_setattr(2), which libc has since 2.41 only. */
struct SchedulingAttributes {
	uint32_t size;
	uint32_t policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime_ns; /* the slice; 0: that of everybody */
	uint64_t deadline_ns;
	uint64_t period_ns;
};

/* Then a child begins with ours, and all that are executed but the manager give it back first. */
extern bool time_slice_is_short;

/* At start. */
void time_slice_shorten(void);

/* Before another program takes our place. */
void time_slice_give_back(void);

#endif
