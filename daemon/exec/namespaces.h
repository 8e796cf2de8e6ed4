/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Namespaces: PrivateNetwork= and ProtectHostname=, and the session keyring, which is much the same.
 */
#ifndef SVCD_EXEC_NAMESPACES_H
#define SVCD_EXEC_NAMESPACES_H

#include "exec/failure.h"
#include "exec/spec.h"

/**
 * namespaces_enter() - a network and a host name of its own
 *
 * A command beside the main process enters the network of that process, or a Stop= command could not reach what it is to stop.
 * Returns: 0 or an errno.
 */
int namespaces_enter(const struct Spec *spec, struct Failure *failure);

/* KeyringMode=; as the service's user, who is to own it. Returns: 0 or an errno. */
int namespaces_join_keyring(const struct Spec *spec, struct Failure *failure);

#endif
