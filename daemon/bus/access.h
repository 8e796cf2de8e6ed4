/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Access: who may do what. Everything not allowed here is refused.
 */
#ifndef SVCD_BUS_ACCESS_H
#define SVCD_BUS_ACCESS_H

#include <glib.h>
#include <stdbool.h>

#include "bus/rows.h"

/* May this user talk to us at all on the private socket? */
bool access_is_welcome(uid_t uid);

/* The action that polkit is asked about, "org.svcd1.control"; not for ACCESS_READ. */
const char *access_action(Access access);

/**
 * access_check() - may @client do what the row says?
 * Returns: false with NOT_AUTHORIZED.
 */
bool access_check(const BusClient *client, Access access, GError **error);

#endif
