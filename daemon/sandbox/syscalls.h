/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * System calls: the filters of SystemCallFilter=, SystemCallArchitectures=, Restrict...= and
 * similar keys.
 *
 * They are built before the namespaces change, because libseccomp may be hidden afterwards. They
 * are loaded last, because they may forbid calls that svc-exec needs.
 */
#ifndef SVCD_SANDBOX_SYSCALLS_H
#define SVCD_SANDBOX_SYSCALLS_H

#include <linux/filter.h>

#include "sandbox/failure.h"
#include "sandbox/seccomp-library.h"
#include "sandbox/sandbox.h"

/*
 * The maximum: for each of four processor types, one filter for the restrictions and one for
 * SystemCallFilter=; and one filter for the allowed processor types.
 */
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
	struct Filter filters[SYSCALLS_FILTERS]; /* in the order of loading */
	unsigned n;
	struct SyscallTokens calls; /* those in SystemCallFilter=, resolved */
	struct LateFilter late;
};

/* Builds the filters of the service; nothing is forbidden yet. Returns: 0 or an errno. */
int syscalls_build(const struct Sandbox *sandbox, struct Syscalls *ret, struct Failure *failure);

/* Is there a filter to be loaded? */
bool syscalls_are_filtered(const struct Syscalls *syscalls);

/* From here on only execve(2) is certain to work. Returns: 0 or an errno. */
int syscalls_load(const struct Syscalls *syscalls, struct Failure *failure);

#endif
