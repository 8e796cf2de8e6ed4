/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * System call filter: the lines of SystemCallFilter=, and the resulting system calls.
 */
#ifndef SVCD_SANDBOX_SYSCALL_FILTER_H
#define SVCD_SANDBOX_SYSCALL_FILTER_H

#include <stdbool.h>
#include <stddef.h>

#include "sandbox/problem.h"
#include "sandbox/syscall-groups.h"

/* The process is killed, and gets no errno. */
#define SYSCALL_ERROR_KILL (-1)

/* One token of a line, or one call of a resolved filter. */
struct SyscallToken {
	char name[SYSCALL_NAME_BYTES]; /* a system call or an @group */
	bool is_inverted; /* on a line that begins with ~ */
	int error; /* ":EPERM": the errno of the call; 0: that of the list, SYSCALL_ERROR_KILL */
};

struct SyscallTokens {
	struct SyscallToken *items;
	size_t n;
};

void syscall_filter_clear(struct SyscallTokens *tokens);

/* Appends the tokens of one line. Returns: 0, EINVAL or ENOMEM with @problem. */
int syscall_filter_add_line(struct SyscallTokens *tokens, const char *line,
			    struct Problem *problem);

/* "EPERM", "1" or "kill". Returns: 0, or EINVAL with @problem. */
int syscall_filter_read_error(const char *text, int *ret_error, struct Problem *problem);

/*
 * Does the first line list allowed calls (true) or forbidden ones? Without a line: nothing is
 * forbidden.
 */
bool syscall_filter_is_allow_list(const struct SyscallTokens *tokens);

/**
 * syscall_filter_resolve() - the calls of the lines, with groups expanded and without duplicates
 * @ret_calls: empty; for syscall_filter_clear()
 *
 * A list of allowed calls results in the allowed calls, and in those that fail with an error of
 * their own; the calls of the default group always come first. A list of forbidden calls results in
 * the forbidden calls. A later line adds calls or removes them.
 * Returns: 0 or ENOMEM.
 */
int syscall_filter_resolve(const struct SyscallTokens *tokens, struct SyscallTokens *ret_calls);

#endif
