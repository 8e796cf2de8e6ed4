/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Boot compare: one difference for each service that is in either boot.
 */
#include "config.h"

#include "svcctl/boot-compare.h"

#include <string.h>

static int64_t own(const BootTime *time)
{
	return time ? boot_time_own(time, time->started_us) : 0;
}

static int64_t waited(const BootTime *time)
{
	return time && time->started_us > 0 ? boot_time_waited(time, time->started_us) : 0;
}

static void add(GArray *found, const SavedBoot *before, const SavedBoot *after, const char *name)
{
	const BootTime *old = boot_times_find(before->times, name);
	const BootTime *new = boot_times_find(after->times, name);
	const BootDifference difference = {
		.name = name,
		.before_us = own(old),
		.after_us = own(new),
		.waited_us = waited(new) - waited(old),
		.cpu_us = saved_boot_of_service(after, name, "cpu_us") -
			  saved_boot_of_service(before, name, "cpu_us"),
	};

	g_array_append_val(found, difference);
}

static gint by_difference(gconstpointer a, gconstpointer b)
{
	const BootDifference *left = a;
	const BootDifference *right = b;
	const int64_t order =
		(right->after_us - right->before_us) - (left->after_us - left->before_us);

	if (order != 0)
		return order > 0 ? 1 : -1;
	return strcmp(left->name, right->name);
}

GArray *boot_compare(const SavedBoot *before, const SavedBoot *after, bool is_all)
{
	GArray *found = g_array_new(FALSE, FALSE, sizeof(BootDifference));

	for (unsigned i = 0; i < boot_times_count(after->times); i++)
		add(found, before, after, boot_times_get(after->times, i)->name);
	for (unsigned i = 0; i < boot_times_count(before->times); i++) {
		const char *name = boot_times_get(before->times, i)->name;

		if (!boot_times_find(after->times, name))
			add(found, before, after, name);
	}
	g_array_sort(found, by_difference);
	for (guint i = 0; i < found->len && !is_all; i++) {
		const BootDifference *one = &g_array_index(found, BootDifference, i);

		if (one->after_us - one->before_us < BOOT_COMPARE_LEAST_US)
			g_array_set_size(found, i);
	}
	return found;
}
