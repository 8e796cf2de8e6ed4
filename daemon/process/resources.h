/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Resources: the limits of a service, written to its control group before any process runs in it.
 *
 * A controller must be enabled in all groups above. That is done when the first service needs it,
 * and it stays enabled. A group that has processes cannot enable a controller for its subgroups. So
 * the keeper and the manager run in leaf groups.
 */
#ifndef SVCD_PROCESS_RESOURCES_H
#define SVCD_PROCESS_RESOURCES_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "model/resource-def.h"

/*
 * Files of the whole machine. They are opened before the first service starts, and PID 1 keeps
 * them, because users can hold the locks of their directories. @machine in the functions below: a
 * descriptor for each, -1: the file does not exist; or NULL: none is known.
 */
/* clang-format off */
#define MACHINE_FILES(X, P)                                                                        \
	X(P, THREADS, "threads-max")    /* the machine's maximum */                        \
	X(P, PIDS, "pid-max")                                                                      \
	X(P, GIVEN, "pids-given")       /* pids.max of the group that svcd was given */            \
	X(P, MOUNTS, "mounts")          /* /proc/self/mountinfo */                                 \
	X(P, KERNEL_LOG, "kernel-log")  /* none if its PIDs are of another namespace */
/* clang-format on */
ENUM_WITH_NAMES(MachineFile, MACHINE, machine_file, MACHINE_FILES)

/* @root: the group of all services; NULL: no cgroup v2. Returns: a descriptor, or -1. */
int resources_open_machine_file(MachineFile file, const char *root);

/**
 * resources_apply() - write all limits that are set; may be repeated
 * @root: the directory that contains the groups of services; NULL: no cgroup v2
 * @group: the group of the service
 * Returns: sentences that name the limits not in force and the reasons, as a new string; NULL: all
 * limits are in force.
 */
char *resources_apply(const ResourceDef *resources, const int *machine, const char *root,
		      const char *group);

/*
 * The kernel applies SCHED_IDLE only among the processes of one group. Where groups have weights,
 * the group of a service with CPUSchedulingPolicy=idle is therefore made idle as well (cpu.idle,
 * Linux 5.15). Without weights this does nothing.
 */
void resources_make_idle(const char *group);

/**
 * resources_limit_tasks() - the default limit of a service without TasksMax=
 * @value: a value of RESOURCE_TASKS_MAX
 *
 * Called at each start, as a precaution. It enables no controller, because PID 1 has done so where
 * possible. Without the controller it does nothing.
 */
void resources_limit_tasks(const char *value, const int *machine, const char *group);
/*
 * The number of forks that the kernel has refused to the group because of pids.max; 0 without the
 * controller.
 */
uint64_t resources_task_refusals(const char *group);

/* Is the controller enabled for services? */
bool resources_is_enabled(const char *root, const char *controller);

typedef struct OutOfMemory {
	/* processes of the group killed by the kernel for lack of memory */
	uint64_t n_kills;
	bool is_counted; /* a controller of the group counts them */
	/* the kills caused by the group's own limit, not by the machine's */
	uint64_t n_limit_reached;
} OutOfMemory;

/* All zero if no controller counts the kills. @group: may be NULL. */
OutOfMemory resources_out_of_memory(const char *group);

/* Does the kernel log report that the kernel has killed a process for lack of memory? */
typedef enum KernelAnswer {
	KERNEL_ANSWER_UNKNOWN, /* it cannot be read, or its PIDs are of another namespace */
	KERNEL_ANSWER_YES,
	KERNEL_ANSWER_NO,
} KernelAnswer;

/**
 * resources_kernel_killed() - has the kernel killed @pid a moment ago?
 * @log_fd: one record per read (dev-kmsg), non-blocking; -1: not available
 */
KernelAnswer resources_kernel_killed(int log_fd, pid_t pid);

#endif
