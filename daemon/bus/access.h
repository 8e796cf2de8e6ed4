/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Access: the rights that a call needs. A call that no rule here allows is refused.
 */
#ifndef SVCD_BUS_ACCESS_H
#define SVCD_BUS_ACCESS_H

#include <glib.h>
#include <stdbool.h>

#include "bus/rows.h"

/*
 * Is the requester, which a bus reported, the machine's root or the owner of this svcd? Such a
 * requester has all rights.
 */
bool access_is_owner(const Requester *requester);

/* The polkit action, such as "org.svcd1.control". Not for ACCESS_READ and ACCESS_LISTEN. */
const char *access_action(Access access);

/**
 * access_check() - does @client have the access that the row requires?
 * Returns: false with NOT_AUTHORIZED.
 */
bool access_check(const BusClient *client, Access access, GError **error);

#endif
