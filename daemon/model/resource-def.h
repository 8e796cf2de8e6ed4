/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Resources of a service: limits and weights of the kernel's controllers, named as in
 * systemd.resource-control(5). Each is one file of a control group (kernel.org,
 * admin-guide/cgroup-v2).
 */
#ifndef SVCD_MODEL_RESOURCE_DEF_H
#define SVCD_MODEL_RESOURCE_DEF_H

#include <glib.h>
#include <stdbool.h>

#include "base/enum-names.h"

/* clang-format off */
#define RESOURCES(X, P)                                                                            \
	X(P, MEMORY_MAX, "MemoryMax") X(P, MEMORY_HIGH, "MemoryHigh") X(P, MEMORY_MIN, "MemoryMin")     \
	X(P, MEMORY_LOW, "MemoryLow") X(P, MEMORY_SWAP_MAX, "MemorySwapMax")                           \
	X(P, MEMORY_OOM_GROUP, "MemoryOOMGroup") X(P, CPU_WEIGHT, "CPUWeight") X(P, CPU_QUOTA, "CPUQuota") \
	X(P, ALLOWED_CPUS, "AllowedCPUs") X(P, IO_WEIGHT, "IOWeight") X(P, TASKS_MAX, "TasksMax")
/* clang-format on */
ENUM_WITH_NAMES(Resource, RESOURCE, resource, RESOURCES)

/* The value of the kernel's files for "infinity". */
#define RESOURCE_UNLIMITED "max"

typedef struct ResourceDef {
	/*
	 * The text for the file, or "N%" of the machine's memory or maximum number of threads;
	 * NULL: not set.
	 */
	char *values[RESOURCE_COUNT];
} ResourceDef;

/* The controller to enable ("memory"), and the file ("memory.max"). */
const char *resource_controller(Resource resource);
const char *resource_file(Resource resource);

/*
 * The text for the file of @resource, as in ResourceDef, a new string; NULL with *@ret_problem, a
 * new string.
 */
char *resource_read(Resource resource, const char *value, char **ret_problem);

/**
 * resource_def_read() - set one value
 * @def: made if it is NULL
 * Returns: NULL, or the error in @value, a new string.
 */
char *resource_def_read(ResourceDef **def, Resource resource, const char *value);
void resource_def_free(ResourceDef *def);

#endif
