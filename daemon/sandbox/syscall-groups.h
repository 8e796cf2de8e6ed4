/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * System call groups: the @names of SystemCallFilter=, as in systemd.exec(5), and the system calls
 * in each.
 *
 * The calls are those of Linux up to 6.12 on all processors that Debian supports. A call that a
 * processor lacks is skipped when the filter is made. docs/service-files.md describes the purpose
 * of each group.
 */
#ifndef SVCD_SANDBOX_SYSCALL_GROUPS_H
#define SVCD_SANDBOX_SYSCALL_GROUPS_H

#include <stdbool.h>

/*
 * The group that is part of every list of allowed calls, because no program can start or exit
 * without it.
 */
#define SYSCALL_GROUP_DEFAULT "@default"
/* The group of all calls. */
#define SYSCALL_GROUP_KNOWN "@known"

bool syscall_group_exists(const char *group);
bool syscall_is_known(const char *name);

/* Longer than every name in the table. */
#define SYSCALL_NAME_BYTES 40

/*
 * @name is valid during the call. Returns: 0; any other value ends the iteration and is its result.
 */
typedef int SyscallVisitor(const char *name, void *data);

/* Every system call of @group and of its subgroups; duplicates are possible. */
int syscall_group_foreach(const char *group, SyscallVisitor *each, void *data);
int syscall_group_names(SyscallVisitor *each, void *data);

#endif
