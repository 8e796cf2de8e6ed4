/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Processes: the processes of a cgroup, as a tree, and their resource usage.
 */
#ifndef SVCD_SVCCTL_PROCESSES_H
#define SVCD_SVCCTL_PROCESSES_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct Process {
	pid_t pid;
	pid_t parent;
	uid_t uid;
	char *command; /* its command line, or [comm] */
	unsigned depth; /* in the tree */
	bool is_last; /* of its parent's children */
	bool is_chosen; /* by processes_below() */
	int64_t cpu_us; /* used so far */
	int64_t started_us; /* CLOCK_BOOTTIME; 0: not known */
	uint64_t rss_bytes;
} Process;

/*
 * The number of processes that status shows per service, and the number for verbs about processes.
 */
#define PROCESSES_SHOWN 64
#define PROCESSES_LISTED 4096

/**
 * processes_of_cgroup() - list processes, parents before children
 * @cgroup: absolute directory; nested cgroups are included
 * @main_pid: the only process if @cgroup is ""; 0: none
 * @proc: "/proc"
 * @limit: the largest number of processes
 * Returns: a new array of Process *.
 */
GPtrArray *processes_of_cgroup(const char *cgroup, pid_t main_pid, const char *proc, guint limit);

/**
 * processes_below() - the descendants of @pid, found by their parents; without @pid itself
 * @proc: "/proc"
 * Returns: a new array of Process *, in no order.
 */
GPtrArray *processes_below(pid_t pid, const char *proc);

/*
 * The proportional share of memory of @pid, in bytes; 0: not available. This is expensive, because
 * the kernel walks all pages of the process.
 */
uint64_t process_pss(pid_t pid, const char *proc);

/* The proc directory: "/proc", or $SVCD_PROC_DIRECTORY. */
const char *proc_directory(void);

/*
 * A number in a file of the cgroup ("memory.current"), or the one after @key ("usage_usec" of
 * cpu.stat); -1: none.
 */
int64_t cgroup_number(const char *cgroup, const char *file, const char *key);

/*
 * The number of processes in @cgroup that the kernel has killed for lack of memory, and whether the
 * limit of @cgroup was the reason; a new string, NULL: none known.
 */
char *describe_lack_of_memory(const char *cgroup);
/* Has the kernel refused a new process because of the task limit? A new string, NULL: no. */
char *describe_task_limit(const char *cgroup);

#endif
