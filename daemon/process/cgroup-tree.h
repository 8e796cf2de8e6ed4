/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Cgroup tree: a control group with the groups that its service has made below it.
 *
 * The service owns those groups and chooses their modes. A user who can list such a directory can
 * hold its lock, so only svc-worker walks them. The manager reads only the files of a service's own
 * group (process/cgroup.h).
 */
#ifndef SVCD_PROCESS_CGROUP_TREE_H
#define SVCD_PROCESS_CGROUP_TREE_H

#include <glib.h>
#include <stdbool.h>
#include <sys/types.h>

/* At most this many processes are handled one by one. The rest are left to cgroup.kill. */
#define LIMIT_CGROUP_PIDS 4096
/* Depth to which groups are followed: twice the depth that container managers use. */
#define LIMIT_CGROUP_DEPTH 16

/*
 * Reads the present content of a control file as a string. The kernel generates such a file anew at
 * each read from offset 0, and returns it page by page. Returns: the length.
 */
size_t cgroup_file_read(int fd, char *text, size_t size);
/* Adds the pids in the group with the directory @fd, but not those in its subgroups. */
void cgroup_pids_read(int fd, GArray *pids);
bool pids_contain(const GArray *pids, pid_t pid);
/* Sends @signo to all processes that @list returns, except @except (0: none). */
void pids_signal(GArray *(*list)(const void *group), const void *group, int signo, pid_t except);

/* --- the functions that walk the tree --- */

/* An array of pid_t, in no particular order; at most LIMIT_CGROUP_PIDS of them. */
GArray *cgroup_tree_pids(const char *path);
/* Removes the groups below @path. Populated groups stay. */
void cgroup_tree_clear(const char *path);

#endif
