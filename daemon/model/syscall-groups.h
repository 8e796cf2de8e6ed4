/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * System call groups: the @names that SystemCallFilter= knows, as in systemd.exec(5), and the system calls in each.
 *
 * The calls are those of Linux up to 6.12 on all processors that Debian runs on; one that a processor does not have is passed
 * over when the filter is made. docs/service-files.md tells what each group is for.
 */
#ifndef SVCD_MODEL_SYSCALL_GROUPS_H
#define SVCD_MODEL_SYSCALL_GROUPS_H

#include <glib.h>
#include <stdbool.h>

/* The group whose calls every list of allowed calls has: without them no program begins or ends. */
#define SYSCALL_GROUP_DEFAULT "@default"
/* The group of all calls. */
#define SYSCALL_GROUP_KNOWN "@known"

bool syscall_group_exists(const char *group);
bool syscall_is_known(const char *name);

/**
 * syscall_group_foreach() - call @each for every system call of @group, of the groups in it too; some may come twice
 * @name: valid during the call
 */
void syscall_group_foreach(const char *group, void (*each)(const char *name, void *data), void *data);

/* All groups, or groups and calls, sorted, for people and for words_nearest(); NULL at the end. Owned by the caller. */
char **syscall_group_names(void);
char **syscall_names(void);

#endif
