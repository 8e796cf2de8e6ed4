/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Processes: who is in a cgroup, as a tree, and what they use.
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
	bool is_last;   /* of its parent's children */
	bool is_chosen; /* by processes_below() */
	int64_t cpu_us;     /* used so far */
	int64_t started_us; /* CLOCK_BOOTTIME; 0: not known */
	uint64_t rss_bytes;
} Process;

/* Processes shown of one service in its status, and by what is about processes. */
#define PROCESSES_SHOWN 64
#define PROCESSES_LISTED 4096

/**
 * processes_of_cgroup() - parents before children
 * @cgroup:   absolute directory; nested ones are looked into
 * @main_pid: used alone when @cgroup is ""; 0: none
 * @proc:     "/proc"
 * @limit:    no more of them
 * Returns: a new array of Process *.
 */
GPtrArray *processes_of_cgroup(const char *cgroup, pid_t main_pid, const char *proc, guint limit);

/**
 * processes_below() - the children of @pid, theirs, and so on, found by their parents; not itself
 * @proc: "/proc"
 * Returns: a new array of Process *, in no order.
 */
GPtrArray *processes_below(pid_t pid, const char *proc);

/* Its share of the memory it uses, in bytes; 0: the kernel does not tell us. Dear: it walks all of its pages. */
uint64_t process_pss(pid_t pid, const char *proc);

/* Where /proc is: "/proc", or $SVCD_PROC_DIRECTORY. */
const char *proc_directory(void);

/* A number in a file of the cgroup ("memory.current"), or the one after @key ("usage_usec" of cpu.stat); -1: none. */
int64_t cgroup_number(const char *cgroup, const char *file, const char *key);

/* How many of its processes the kernel has killed for lack of memory, and whose; a new string, NULL: none, as far as is known. */
char *describe_lack_of_memory(const char *cgroup);
/* Was it refused processes beyond its limit? The same. */
char *describe_task_limit(const char *cgroup);

#endif
