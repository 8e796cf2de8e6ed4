/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Restrictions: the rules of RestrictNamespaces=, RestrictSUIDSGID=, MemoryDenyWriteExecute= ...
 * for a filter that allows all other calls.
 */
#ifndef SVCD_SANDBOX_RESTRICTIONS_H
#define SVCD_SANDBOX_RESTRICTIONS_H

#include "sandbox/seccomp-library.h"
#include "sandbox/sandbox.h"

/*
 * Names of system calls are looked up for the machine's own processor. @arch is the processor that
 * the rules are for.
 */
struct RuleTarget {
	const struct SeccompLibrary *library;
	scmp_filter_ctx filter;
	uint32_t arch;
};

/* The key of the first active restriction, or NULL. */
const char *restrictions_first_key(const struct Sandbox *sandbox);

/**
 * restrictions_add() - add all rules of all active restrictions
 * @ret_key: on failure, the key of the failed rule
 * Returns: 0 or an errno.
 */
int restrictions_add(const struct Sandbox *sandbox, const struct RuleTarget *target,
		     const char **ret_key);

/* Is fchmodat2(2) forbidden? The library may not know that call (syscalls-late.h). */
bool restrictions_forbid_fchmodat2(const struct Sandbox *sandbox);

#endif
