/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Service call: what a call that is about one service asks for, whichever method it came by, and making that request.
 */
#ifndef SVCD_BUS_SERVICE_CALL_H
#define SVCD_BUS_SERVICE_CALL_H

#include <dbus/dbus.h>
#include <glib.h>
#include <stdbool.h>

#include "bus/rows.h"

typedef struct ServiceCall {
	const char *name; /* as it was given; borrowed from the message */
	RequestVerb verb;
	bool with_dependents;
	bool is_forced; /* CheckCommand= is not asked */
} ServiceCall;

/**
 * service_call_read() - Start, Stop, Restart, Reload and Clear of the manager, Request and Signal of a service's object
 * @message: of a signature that has been checked against the method's row; to an object that exists
 *
 * A signal is read as a restart: the service may end by it, and comes back by itself.
 * Returns: false with INVALID_ARGUMENT for a verb or an option that is not known.
 */
bool service_call_read(const Engine *engine, DBusMessage *message, ServiceCall *ret, GError **error);

/**
 * service_call_make() - read it, and make the request; with CheckCommand= first, if that is to be asked
 * Returns: false with @error; true with call->is_promised if the answer comes later.
 */
bool service_call_make(BusCall *call, ServiceCall *ret, GError **error);

#endif
