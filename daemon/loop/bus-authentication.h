/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Bus authentication: the client's half of D-Bus authentication, EXTERNAL only ("Authentication
 * Protocol" in the D-Bus Specification). The server's half is bus/auth.h.
 *
 * NEGOTIATE_UNIX_FD is never sent, so the bus daemon passes no descriptors. Otherwise users could
 * make the manager close a descriptor, which can block.
 */
#ifndef SVCD_LOOP_BUS_AUTHENTICATION_H
#define SVCD_LOOP_BUS_AUTHENTICATION_H

#include <glib.h>
#include <stddef.h>
#include <sys/types.h>

#include "loop/dbus-stream.h"

/* Returns: the first bytes that a client sends, which may contain a NUL. */
GString *bus_authentication_begin(uid_t uid);

/**
 * bus_authentication_feed() - take bytes of the server's answer
 *
 * The answer is one line, "OK guid". Anything else is a refusal.
 */
AuthenticationResult bus_authentication_feed(const guint8 *bytes, size_t length, size_t *ret_used,
					     GString *reply);

#endif
