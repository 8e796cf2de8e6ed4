/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Capabilities: CapabilityBoundingSet=, AmbientCapabilities=, the capabilities that other keys
 * remove, and NoNewPrivileges=.
 */
#ifndef SVCD_SANDBOX_CAPABILITIES_H
#define SVCD_SANDBOX_CAPABILITIES_H

#include "sandbox/failure.h"
#include "sandbox/sandbox.h"

/*
 * Removes capabilities from the bounding set for ever; our own set stays. Returns: 0 or an errno.
 */
int capabilities_bound(const struct Sandbox *sandbox, struct Failure *failure);

/*
 * Called before the identity changes: makes the ambient capabilities survive the change. Returns: 0
 * or an errno.
 */
int capabilities_keep(const struct Sandbox *sandbox, struct Failure *failure);

/* Called after the change: sets exactly the capabilities of the service. Returns: 0 or an errno. */
int capabilities_assume(const struct Sandbox *sandbox, struct Failure *failure);

/*
 * NoNewPrivileges=, also if a system call filter requires it (without CAP_SYS_ADMIN). Returns: 0 or
 * an errno.
 */
int capabilities_forbid_new(const struct Sandbox *sandbox, bool has_filter,
			    struct Failure *failure);

#endif
