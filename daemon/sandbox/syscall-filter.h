/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * System call filter: what SystemCallFilter= says, line by line, and the calls that follow from it.
 */
#ifndef SVCD_SANDBOX_SYSCALL_FILTER_H
#define SVCD_SANDBOX_SYSCALL_FILTER_H

#include <stdbool.h>
#include <stddef.h>

#include "sandbox/problem.h"
#include "sandbox/syscall-groups.h"

/* Instead of an errno: the process is killed. */
#define SYSCALL_ERROR_KILL (-1)

/* One word of one line, or one call of a resolved filter. */
struct SyscallWord {
	char name[SYSCALL_NAME_BYTES]; /* a system call or an @group */
	bool is_inverted;              /* on a line that begins with ~ */
	int error; /* ":EPERM": what the call gives; 0: as the list says, SYSCALL_ERROR_KILL */
};

struct SyscallWords {
	struct SyscallWord *items;
	size_t n;
};

void syscall_filter_clear(struct SyscallWords *words);

/* Appends the words of one line. Returns: 0, EINVAL or ENOMEM with @problem. */
int syscall_filter_add_line(struct SyscallWords *words, const char *line, struct Problem *problem);

/* "EPERM", "1" or "kill". Returns: 0, or EINVAL with @problem. */
int syscall_filter_read_error(const char *text, int *ret_error, struct Problem *problem);

/* Does the first line list what is allowed (true) or what is forbidden? Without a line: nothing is forbidden. */
bool syscall_filter_is_allow_list(const struct SyscallWords *words);

/**
 * syscall_filter_resolve() - the calls that the lines name, groups taken apart, each once
 * @ret_calls: empty; for syscall_filter_clear()
 *
 * Of a list of allowed calls: those allowed, and with an error those that give it; @default is always in it at first. Of a
 * list of forbidden calls: those. A later line adds to the list or takes away from it.
 * Returns: 0 or ENOMEM.
 */
int syscall_filter_resolve(const struct SyscallWords *words, struct SyscallWords *ret_calls);

#endif
