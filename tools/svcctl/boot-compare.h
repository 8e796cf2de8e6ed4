/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Boot compare: the services whose own time differs between two boots.
 */
#ifndef SVCD_SVCCTL_BOOT_COMPARE_H
#define SVCD_SVCCTL_BOOT_COMPARE_H

#include <glib.h>
#include <stdint.h>

#include "svcctl/saved-boot.h"

/* A smaller difference is ignored as chance. */
#define BOOT_COMPARE_LEAST_US (100 * G_TIME_SPAN_MILLISECOND)

typedef struct BootDifference {
	const char *name; /* borrowed from one of the boots */
	int64_t before_us; /* own time; 0: not started in that boot */
	int64_t after_us;
	int64_t waited_us; /* by how much the wait became longer; may be negative */
	int64_t cpu_us; /* by how much the CPU time became larger; may be negative */
} BootDifference;

/**
 * boot_compare() - the services that took longer in @after than in @before, the largest first
 * @is_all: all services, also those that did not take longer
 *
 * A service that started in only one of the boots is compared with 0. Waiting is not compared,
 * because another service is its cause.
 *
 * Returns: a new array of BootDifference.
 */
GArray *boot_compare(const SavedBoot *before, const SavedBoot *after, bool is_all);

#endif
