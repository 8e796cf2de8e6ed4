/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Service call: reads the request from any call about one service, and carries it out.
 */
#ifndef SVCD_BUS_SERVICE_CALL_H
#define SVCD_BUS_SERVICE_CALL_H

#include <dbus/dbus.h>
#include <glib.h>
#include <stdbool.h>

#include "bus/rows.h"

typedef struct ServiceCall {
	const char *name; /* as in the message; borrowed from it */
	RequestVerb verb;
	bool with_dependents;
	bool is_forced; /* skip CheckCommand= */
} ServiceCall;

/**
 * service_call_read() - read a call about one service
 * @message: its signature matches the method's row, and its object exists
 *
 * The methods are Start, Stop, Restart, Reload and Clear of the manager, and Request, Signal and
 * ReadLog of a service.
 *
 * A signal counts as a restart, because it may end the service, which then starts again by itself.
 * ReadLog counts as a reload, which ends no service.
 * Returns: false with INVALID_ARGUMENT for an unknown verb or option.
 */
bool service_call_read(const Engine *engine, DBusMessage *message, ServiceCall *ret,
		       GError **error);

/**
 * service_call_make() - read the call and make the request, after CheckCommand= if that is required
 * Returns: false with @error; true with call->is_promised if the answer comes later.
 */
bool service_call_make(BusCall *call, ServiceCall *ret, GError **error);

#endif
