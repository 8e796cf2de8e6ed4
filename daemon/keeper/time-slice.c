/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Time slice: asked for, and read again, for a kernel that cannot do it says nothing. Whatever is refused, nobody has more of the
 * processor by that.
 */
#include "config.h"

#include "keeper/time-slice.h"

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

#include "keeper/calls.h"
#include "keeper/keeper.h"

/* The shortest that there is. */
#define SHORT_NS 100000

/* struct sched_attr of sched_setattr(2), which libc has since 2.41 only. */
struct Attributes {
	uint32_t size;
	uint32_t policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t slice_ns; /* 0: that of everybody */
	uint64_t deadline_ns;
	uint64_t period_ns;
};

static bool is_short SEEN_BY_CHILDREN;

static bool get_attributes(struct Attributes *attributes)
{
	*attributes = (struct Attributes){ 0 };
	return call(SYS_sched_getattr, 0, (long)attributes, sizeof(*attributes), 0) == 0;
}

static void set_slice(struct Attributes *attributes, uint64_t slice_ns)
{
	attributes->slice_ns = slice_ns;
	(void)call(SYS_sched_setattr, 0, (long)attributes, 0, 0); /* what became of it is looked at */
}

/* Who has made us a batch or realtime process has other plans. The slice may be short all the same, after a fault (hand_on() in reexec.c). */
void time_slice_shorten(void)
{
	struct Attributes attributes;

	if (get_attributes(&attributes) && attributes.policy == SCHED_OTHER)
		set_slice(&attributes, SHORT_NS);
	is_short = get_attributes(&attributes) && attributes.slice_ns == SHORT_NS;
}

void time_slice_give_back(void)
{
	struct Attributes attributes;

	if (is_short && get_attributes(&attributes) && attributes.slice_ns == SHORT_NS)
		set_slice(&attributes, 0);
}
