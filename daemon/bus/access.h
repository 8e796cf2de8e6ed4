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

/**
 * access_check() - may @who do what the row says?
 * Returns: false with NOT_AUTHORIZED.
 */
bool access_check(const Requester *who, Access access, GError **error);

#endif
