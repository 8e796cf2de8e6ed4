/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Namespaces: PrivateNetwork= and ProtectHostname=, and the session keyring, which is much the same.
 */
#ifndef SVCD_SANDBOX_NAMESPACES_H
#define SVCD_SANDBOX_NAMESPACES_H

#include "sandbox/failure.h"
#include "sandbox/sandbox.h"

/**
 * namespaces_enter() - a network and a host name of its own
 * @main_pid: the process whose network is shared; 0: none
 *
 * A command beside the main process enters the network of that process, or a Stop= command could not reach what it is to stop.
 * Returns: 0 or an errno.
 */
int namespaces_enter(const struct Sandbox *sandbox, uint32_t main_pid, struct Failure *failure);

/* KeyringMode=; as the service's user, who is to own it. Returns: 0 or an errno. */
int namespaces_join_keyring(const struct Sandbox *sandbox, struct Failure *failure);

#endif
