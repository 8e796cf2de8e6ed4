/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Capabilities: CapabilityBoundingSet=, AmbientCapabilities=, and what other keys take away; NoNewPrivileges=.
 */
#ifndef SVCD_SANDBOX_CAPABILITIES_H
#define SVCD_SANDBOX_CAPABILITIES_H

#include "sandbox/failure.h"
#include "sandbox/sandbox.h"

/* Takes from the bounding set what must never be had again; what we have ourselves stays. Returns: 0 or an errno. */
int capabilities_bound(const struct Sandbox *sandbox, struct Failure *failure);

/* Before the identity changes: lets the ambient ones outlive that. Returns: 0 or an errno. */
int capabilities_keep(const struct Sandbox *sandbox, struct Failure *failure);

/* After it: has exactly what the service is to have. Returns: 0 or an errno. */
int capabilities_assume(const struct Sandbox *sandbox, struct Failure *failure);

/* NoNewPrivileges=, also where a filter of system calls takes it: one without CAP_SYS_ADMIN. Returns: 0 or an errno. */
int capabilities_forbid_new(const struct Sandbox *sandbox, bool has_filter, struct Failure *failure);

#endif
