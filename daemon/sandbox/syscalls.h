/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * System calls: the filters of SystemCallFilter=, SystemCallArchitectures=, Restrict...= and their like.
 *
 * They are built while the machine is still seen as it is, for they need libseccomp, and loaded last: what they forbid the service
 * may be what we need.
 */
#ifndef SVCD_SANDBOX_SYSCALLS_H
#define SVCD_SANDBOX_SYSCALLS_H

#include <linux/filter.h>

#include "sandbox/failure.h"
#include "sandbox/seccomp-library.h"
#include "sandbox/sandbox.h"

/* For each processor one for the restrictions and one for SystemCallFilter=, and one that says which processors. */
#define SYSCALLS_FILTERS 9

struct Filter {
	const char *key;
	scmp_filter_ctx context;
};

/* Calls that are newer than the library; see syscalls-late.h. */
struct LateFilter {
	struct sock_filter *code;
	unsigned short n;
};

struct Syscalls {
	struct SeccompLibrary library;
	struct Filter filters[SYSCALLS_FILTERS]; /* in the order in which they are loaded */
	unsigned n;
	struct SyscallWords calls; /* of SystemCallFilter=, resolved */
	struct LateFilter late;
};

/* Builds what the service asks for; nothing is forbidden yet. Returns: 0 or an errno. */
int syscalls_build(const struct Sandbox *sandbox, struct Syscalls *ret, struct Failure *failure);

/* Is there a filter to be loaded? */
bool syscalls_are_filtered(const struct Syscalls *syscalls);

/* From here on only execve(2) is certain to work. Returns: 0 or an errno. */
int syscalls_load(const struct Syscalls *syscalls, struct Failure *failure);

#endif
