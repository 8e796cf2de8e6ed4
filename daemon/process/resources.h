/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Resources: the limits of a service, written to its control group before anything runs in it.
 *
 * A controller has to be enabled in all groups above; that is done when the first service asks for it, and stays. Groups that
 * have processes may not enable any for those below, and have none: keeper and manager sit in leaves.
 */
#ifndef SVCD_PROCESS_RESOURCES_H
#define SVCD_PROCESS_RESOURCES_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "model/resource-def.h"

/*
 * Files of the whole machine. They are opened before the first service starts, and PID 1 keeps them: users can hold the locks of the
 * directories that they are in. @machine in the functions below: a descriptor for each, -1: there is no such file; or NULL: none is known.
 */
#define MACHINE_FILES(X, P)                                                                        \
	X(P, THREADS, "threads-max")    /* how many the machine can have */                        \
	X(P, PIDS, "pid-max")                                                                      \
	X(P, GIVEN, "pids-given")       /* pids.max of the group that svcd was given */            \
	X(P, MOUNTS, "mounts")          /* /proc/self/mountinfo */                                 \
	X(P, KERNEL_LOG, "kernel-log")  /* none where its numbers of processes are not ours */
ENUM_WITH_NAMES(MachineFile, MACHINE, machine_file, MACHINE_FILES)

/* @root: the group of all services; NULL: no cgroup v2. Returns: a descriptor, or -1. */
int resources_open_machine_file(MachineFile file, const char *root);

/**
 * resources_apply() - write all that is said; may be done again
 * @root:  the directory that services' groups are in; NULL: no cgroup v2
 * @group: that of the service
 * Returns: what is not in force, and why: sentences, a new string; NULL: all is.
 */
char *resources_apply(const ResourceDef *resources, const int *machine, const char *root, const char *group);

/*
 * The kernel applies SCHED_IDLE only among the processes of one group. Where groups have weights, the group of a service with
 * CPUSchedulingPolicy=idle is therefore made idle as well (cpu.idle, Linux 5.15). Without weights this does nothing.
 */
void resources_make_idle(const char *group);

/**
 * resources_limit_tasks() - what a service has that says no TasksMax= of its own
 * @value: of RESOURCE_TASKS_MAX
 *
 * For every start, and a precaution: it enables nothing (PID 1 has done so where it could), and where nobody counts it is nothing.
 */
void resources_limit_tasks(const char *value, const int *machine, const char *group);
/* How often the kernel has refused the group a process or thread because it had as many as it may; 0 where nobody counts. */
uint64_t resources_task_refusals(const char *group);

/* Is the controller enabled for services? */
bool resources_is_enabled(const char *root, const char *controller);

typedef struct OutOfMemory {
	uint64_t n_kills;        /* processes of the group that the kernel has killed for lack of memory */
	bool is_counted;         /* by a controller of the group */
	uint64_t n_limit_reached; /* how often that was the group's own limit, not the machine's */
} OutOfMemory;

/* Zeros where nobody counts. @group: may be NULL. */
OutOfMemory resources_out_of_memory(const char *group);

/* Does the kernel's log say that it has killed a process for lack of memory? */
typedef enum KernelWord {
	KERNEL_WORD_UNKNOWN, /* it cannot be read, or counts processes otherwise than we do */
	KERNEL_WORD_YES,
	KERNEL_WORD_NO,
} KernelWord;

/**
 * resources_kernel_killed() - @pid, a moment ago?
 * @log_fd: a record a read (dev-kmsg), not waiting; -1: not to be had
 */
KernelWord resources_kernel_killed(int log_fd, pid_t pid);

#endif
