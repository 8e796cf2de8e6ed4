/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Access: who may do what. Everything not allowed here is refused.
 */
#ifndef SVCD_BUS_ACCESS_H
#define SVCD_BUS_ACCESS_H

#include <glib.h>
#include <stdbool.h>

#include "bus/rows.h"

/* Has the process all rights here: is it the machine's root, or of the user whose svcd this is? Its pid is that of a bus. */
bool access_is_owner(const Requester *who);

/* The action that polkit is asked about, "org.svcd1.control"; not for ACCESS_READ and ACCESS_LISTEN. */
const char *access_action(Access access);

/**
 * access_check() - may @client do what the row says?
 * Returns: false with NOT_AUTHORIZED.
 */
bool access_check(const BusClient *client, Access access, GError **error);

#endif
