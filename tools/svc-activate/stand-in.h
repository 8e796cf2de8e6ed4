/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Stand-in: a connection to the system bus that takes a name briefly, to answer the calls that wait
 * for it.
 */
#ifndef SVCD_ACTIVATE_STAND_IN_H
#define SVCD_ACTIVATE_STAND_IN_H

#include <dbus/dbus.h>
#include <stdbool.h>

#include "svc-activate/refusal.h"

/* NULL, with the reason on stderr, if the bus accepts no connection. */
DBusConnection *stand_in_connect(void);
void stand_in_disconnect(DBusConnection *bus); /* NULL is allowed */

/**
 * stand_in_answer() - answer every call that waits for @name with @refusal
 * Returns: false if we may not own the name, or if it has an owner by now.
 */
bool stand_in_answer(DBusConnection *bus, const char *name, const Refusal *refusal);

#endif
