/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Call: the errors and the arguments of one method call, and its answer.
 */
#ifndef SVCD_BUS_CALL_H
#define SVCD_BUS_CALL_H

#include "base/enum-names.h"
#include "bus/rows.h"

/*
 * Errors of the call itself, with the standard D-Bus names. All other errors are in base/errors.h.
 */
/* clang-format off */
#define CALL_ERRORS(X, P)                                                                          \
	X(P, UNKNOWN_OBJECT, DBUS_ERROR_UNKNOWN_OBJECT)                                            \
	X(P, UNKNOWN_INTERFACE, DBUS_ERROR_UNKNOWN_INTERFACE)                                      \
	X(P, UNKNOWN_METHOD, DBUS_ERROR_UNKNOWN_METHOD)                                            \
	X(P, UNKNOWN_PROPERTY, DBUS_ERROR_UNKNOWN_PROPERTY)                                        \
	X(P, PROPERTY_READ_ONLY, DBUS_ERROR_PROPERTY_READ_ONLY)                                    \
	X(P, INVALID_ARGS, DBUS_ERROR_INVALID_ARGS)                                                \
	X(P, NEEDS_PASSWORD, DBUS_ERROR_INTERACTIVE_AUTHORIZATION_REQUIRED)
/* clang-format on */
ENUM_WITH_NAMES(CallError, CALL_ERROR, call_error, CALL_ERRORS)

/* Like fail(), with a CallError. Returns: false. */
bool fail_call(GError **error, CallError code, const char *format, ...) G_GNUC_PRINTF(3, 4);

/* Takes @reply, and sends it unless the caller wants no answer. */
void call_answer(BusClient *client, DBusMessage *message, DBusMessage *reply);
void call_refuse(BusClient *client, DBusMessage *message, const GError *error);

/* The first argument of a call with a signature that begins with "s". */
const char *call_string(const BusCall *call);

/* The context for reading properties of @service, or of a fixed object if @service is NULL. */
PropertyContext call_subject(const BusCall *call, const Service *service);

#endif
