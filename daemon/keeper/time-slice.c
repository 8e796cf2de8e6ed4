/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Time slice: asked for, and read again, for a kernel that cannot do it says nothing.
 */
#include "config.h"

#include "keeper/time-slice.h"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "keeper/keeper.h"

bool time_slice_is_short SEEN_BY_CHILDREN;

static bool get_attributes(struct SchedulingAttributes *attributes)
{
	*attributes = (struct SchedulingAttributes){ 0 };
	return syscall(SYS_sched_getattr, 0, attributes, sizeof(*attributes), 0) == 0;
}

static void set_slice(struct SchedulingAttributes *attributes, uint64_t slice_ns)
{
	attributes->runtime_ns = slice_ns;
	(void)syscall(SYS_sched_setattr, 0, attributes, 0); /* what became of it is looked at */
}

/* Who has made us a batch or realtime process has other plans; since we began, perhaps, and then the slice is short still. */
void time_slice_shorten(void)
{
	struct SchedulingAttributes attributes;

	if (get_attributes(&attributes) && attributes.policy == SCHED_OTHER)
		set_slice(&attributes, TIME_SLICE_SHORT_NS);
	time_slice_is_short = get_attributes(&attributes) && attributes.runtime_ns == TIME_SLICE_SHORT_NS;
}

void time_slice_give_back(void)
{
	struct SchedulingAttributes attributes;

	if (time_slice_is_short && get_attributes(&attributes))
		set_slice(&attributes, 0);
}
