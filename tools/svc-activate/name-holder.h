/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Name holder: a connection to the system bus that takes a name briefly, to answer the calls that
 * wait for it.
 */
#ifndef SVCD_ACTIVATE_NAME_HOLDER_H
#define SVCD_ACTIVATE_NAME_HOLDER_H

#include <dbus/dbus.h>
#include <stdbool.h>

#include "svc-activate/activation-error.h"

/* NULL, with the reason on stderr, if the bus accepts no connection. */
DBusConnection *name_holder_connect(void);
void name_holder_disconnect(DBusConnection *bus); /* NULL is allowed */

/**
 * name_holder_answer() - answer every call that waits for @name with @refusal
 * Returns: false if we may not own the name, or if it has an owner by now.
 */
bool name_holder_answer(DBusConnection *bus, const char *name, const ActivationError *refusal);

#endif
