/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Stand-in: a connection to the system bus that can take a name for a moment, to answer the calls that wait for it.
 */
#ifndef SVCD_ACTIVATE_STAND_IN_H
#define SVCD_ACTIVATE_STAND_IN_H

#include <dbus/dbus.h>
#include <stdbool.h>

#include "svc-activate/refusal.h"

/* NULL, with the reason on stderr, when the bus does not let us in. */
DBusConnection *stand_in_connect(void);
void stand_in_disconnect(DBusConnection *bus); /* NULL is nothing */

/**
 * stand_in_answer() - answer every call that waits for @name with @refusal
 * Returns: false when we may not own the name, or somebody owns it by now.
 */
bool stand_in_answer(DBusConnection *bus, const char *name, const Refusal *refusal);

#endif
