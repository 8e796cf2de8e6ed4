/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Cgroup tree: a control group with the groups that its service has made below it.
 *
 * Those belong to the service, and their modes are its choice: a user who can list one can hold its lock. So what walks them is for
 * svc-worker. In the manager only the files of a service's own group are read (process/cgroup.h).
 */
#ifndef SVCD_PROCESS_CGROUP_TREE_H
#define SVCD_PROCESS_CGROUP_TREE_H

#include <glib.h>
#include <stdbool.h>
#include <sys/types.h>

/* Processes that are looked at one by one; what is above that number is left to cgroup.kill. */
#define LIMIT_CGROUP_PIDS 4096
/* Groups below groups that are followed: twice what container managers make. */
#define LIMIT_CGROUP_DEPTH 16

/* What is there now, as a string: these files are made anew at each read from their beginning, and come page by page. Returns: its length. */
size_t cgroup_file_read(int fd, char *text, size_t size);
/* Adds the pids of the one group whose directory is @fd. */
void cgroup_pids_read(int fd, GArray *pids);
bool pids_contain(const GArray *pids, pid_t pid);
/* @signo to all that @list returns, except @except (0: none). */
void pids_signal(GArray *(*list)(const void *group), const void *group, int signo, pid_t except);

/* --- these walk --- */

/* pid_t, in no order; at most LIMIT_CGROUP_PIDS of them. */
GArray *cgroup_tree_pids(const char *path);
/* Removes the groups below @path; those that are populated stay. */
void cgroup_tree_clear(const char *path);

#endif
