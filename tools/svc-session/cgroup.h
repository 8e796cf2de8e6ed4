/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Cgroup: the cgroups of sessions and user managers, below user.slice at the top of the tree.
 *
 * sd_pid_get_session(3) finds a session only there. All paths are relative to the top. A user can
 * hold the lock of a directory that the user may list, and this program then waits. So each
 * directory except those of a user manager has mode 0711.
 */
#ifndef SVCD_SESSION_CGROUP_H
#define SVCD_SESSION_CGROUP_H

#include <stdbool.h>
#include <sys/types.h>

/* All functions print the reason of a failure. */

/* Is cgroup v2 mounted at /sys/fs/cgroup? */
bool cgroup_is_available(void);

/* Makes the directory and those above it. */
bool cgroup_make(const char *path);
/* Lets the user make groups below it, with the controllers that user@.service delegates. */
bool cgroup_delegate(const char *path, uid_t uid);
bool cgroup_add_process(const char *path, pid_t pid);

/* Writes to one of its files. Returns: false, with errno and without a message. */
bool cgroup_write(const char *path, const char *file, const char *text);

/**
 * cgroup_wait_empty() - wait until no process is left in it and below
 * @timeout_ms: -1: for ever
 * Returns: false if the time has passed. A cgroup that does not exist is empty.
 */
bool cgroup_wait_empty(const char *path, int timeout_ms);

/* Removes it, the groups below, and the slice of its user if that is empty. */
void cgroup_remove(const char *path);

/* Calls @function for the processes in it; with @is_deep also for those below. */
void cgroup_foreach_process(const char *path, bool is_deep, void (*function)(pid_t pid, int number),
			    int number);

/* Prints "UID NAME" for each unit that exists. */
void cgroup_list_units(void);

#endif
