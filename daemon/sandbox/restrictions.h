/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Restrictions: what RestrictNamespaces=, RestrictSUIDSGID=, MemoryDenyWriteExecute= ... forbid, as rules for a filter that allows
 * everything else.
 */
#ifndef SVCD_SANDBOX_RESTRICTIONS_H
#define SVCD_SANDBOX_RESTRICTIONS_H

#include "sandbox/seccomp-library.h"
#include "sandbox/sandbox.h"

/* Calls are named as on the machine's own processor; @arch is the one that the rules are for. */
struct RuleTarget {
	const struct SeccompLibrary *library;
	scmp_filter_ctx filter;
	uint32_t arch;
};

/* The key of the first restriction that is asked for, or NULL. */
const char *restrictions_first_key(const struct Sandbox *sandbox);

/**
 * restrictions_add() - all rules of all restrictions that are asked for
 * @ret_key: on failure, whose rule could not be made
 * Returns: 0 or an errno.
 */
int restrictions_add(const struct Sandbox *sandbox, const struct RuleTarget *target, const char **ret_key);

/* Is a call forbidden that the library may not know (syscalls-late.h): fchmodat2(2)? */
bool restrictions_forbid_fchmodat2(const struct Sandbox *sandbox);

#endif
