/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * User namespace: the mount namespace of a user manager, in which /run/systemd/system exists.
 */
#ifndef SVCD_SESSION_USER_NAMESPACE_H
#define SVCD_SESSION_USER_NAMESPACE_H

#include <stdbool.h>

/**
 * user_namespace_enter() - give this process its own mount namespace
 *
 * systemd --user ends at once unless /run/systemd/system exists (sd_booted(3)). On the machine it
 * must not exist, because package scripts and systemctl would then act as if systemd were PID 1.
 * All other mounts are the machine's and travel both ways, so a volume that is mounted later
 * appears inside.
 *
 * Returns: false, with the reason printed.
 */
bool user_namespace_enter(void);

#endif
