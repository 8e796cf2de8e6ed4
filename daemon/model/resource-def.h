/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Resources of a service: limits and weights that the kernel's controllers keep, as systemd.resource-control(5) names them.
 * Each is one file of a control group (kernel.org, admin-guide/cgroup-v2).
 */
#ifndef SVCD_MODEL_RESOURCE_DEF_H
#define SVCD_MODEL_RESOURCE_DEF_H

#include <glib.h>
#include <stdbool.h>

#include "base/enum-names.h"

#define RESOURCES(X, P)                                                                            \
	X(P, MEMORY_MAX, "MemoryMax") X(P, MEMORY_HIGH, "MemoryHigh") X(P, MEMORY_MIN, "MemoryMin")     \
	X(P, MEMORY_LOW, "MemoryLow") X(P, MEMORY_SWAP_MAX, "MemorySwapMax")                           \
	X(P, MEMORY_OOM_GROUP, "MemoryOOMGroup") X(P, CPU_WEIGHT, "CPUWeight") X(P, CPU_QUOTA, "CPUQuota") \
	X(P, ALLOWED_CPUS, "AllowedCPUs") X(P, IO_WEIGHT, "IOWeight") X(P, TASKS_MAX, "TasksMax")
ENUM_WITH_NAMES(Resource, RESOURCE, resource, RESOURCES)

/* What the kernel's files take for "infinity". */
#define RESOURCE_UNLIMITED "max"

typedef struct ResourceDef {
	/* What its file takes, or "N%" of the memory, processes and threads that the machine can have; NULL: not said. */
	char *values[RESOURCE_COUNT];
} ResourceDef;

/* The controller that has to be enabled ("memory"), and its file ("memory.max"). */
const char *resource_controller(Resource resource);
const char *resource_file(Resource resource);

/* The text for its file, as in ResourceDef, a new string; NULL with *@ret_problem, a new string. */
char *resource_read(Resource resource, const char *value, char **ret_problem);

/**
 * resource_def_read() - take one value
 * @def: made if it is NULL
 * Returns: what is wrong with @value, a new string; NULL: nothing.
 */
char *resource_def_read(ResourceDef **def, Resource resource, const char *value);
void resource_def_free(ResourceDef *def);

#endif
