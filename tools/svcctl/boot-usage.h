/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Boot usage: the CPU time and the bytes read of each service, from their cgroups.
 *
 * A task that is done keeps its cgroup. A service that ended or failed has none: its CPU time is
 * included only in the sum of all services.
 */
#ifndef SVCD_SVCCTL_BOOT_USAGE_H
#define SVCD_SVCCTL_BOOT_USAGE_H

#include <glib.h>
#include <stdint.h>

#include "svcctl/svcctl.h"

typedef struct BootUsage {
	int64_t cpu_us;
	int64_t read_bytes; /* 0: none, or the kernel's controller "io" is off */
} BootUsage;

typedef struct BootUsages {
	GHashTable *services; /* name -> BootUsage */
	int64_t services_us; /* CPU time of all services, also of those that have ended */
	int64_t own_us; /* of svcd's own processes */
} BootUsages;

/* NULL with @error. */
BootUsages *boot_usages_take(Context *context, GError **error);
void boot_usages_free(BootUsages *usages);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(BootUsages, boot_usages_free)

/* The CPU time of a service; 0: not known. */
int64_t boot_usages_cpu(const BootUsages *usages, const char *name);

#endif
