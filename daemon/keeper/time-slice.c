/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Time slice: asked for, and read again, for a kernel that cannot do it says nothing.
 */
#include "config.h"

#include "keeper/time-slice.h"

#include <sched.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "keeper/keeper.h"

/* The shortest that there is. */
#define SHORT_NS 100000

struct SchedulingAttributes time_slice_of_children SEEN_BY_CHILDREN;

static bool get_attributes(struct SchedulingAttributes *attributes)
{
	*attributes = (struct SchedulingAttributes){ 0 };
	return syscall(SYS_sched_getattr, 0, attributes, sizeof(*attributes), 0) == 0;
}

/* Who made us a batch or realtime process has other plans. */
void time_slice_shorten(void)
{
	struct SchedulingAttributes attributes;

	if (!get_attributes(&attributes) || attributes.policy != SCHED_OTHER)
		return;
	attributes.runtime_ns = SHORT_NS;
	if (syscall(SYS_sched_setattr, 0, &attributes, 0) < 0 || !get_attributes(&attributes) || attributes.runtime_ns != SHORT_NS)
		return;
	time_slice_of_children = attributes;
	time_slice_of_children.runtime_ns = 0;
}
