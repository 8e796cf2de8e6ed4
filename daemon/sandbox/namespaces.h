/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Namespaces: PrivateNetwork= and ProtectHostname=, and the session keyring, which is similar.
 */
#ifndef SVCD_SANDBOX_NAMESPACES_H
#define SVCD_SANDBOX_NAMESPACES_H

#include "sandbox/failure.h"
#include "sandbox/sandbox.h"

/**
 * namespaces_enter() - enter a separate network and host name
 * @main_pid: the main process, if this command runs beside it; 0: there is none
 *
 * Such a command enters the network of the main process. Otherwise a Stop= command could not reach
 * the daemon.
 * Returns: 0 or an errno.
 */
int namespaces_enter(const struct Sandbox *sandbox, uint32_t main_pid, struct Failure *failure);

/* KeyringMode=; called as the service's user, which will own it. Returns: 0 or an errno. */
int namespaces_join_keyring(const struct Sandbox *sandbox, struct Failure *failure);

#endif
