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

/* At start. Children begin with what we have. */
void time_slice_shorten(void);

/* Before another program takes our place; in a child before its exec, so it calls nothing of libc. All but the slice stays as it is. */
void time_slice_give_back(void);

#endif
