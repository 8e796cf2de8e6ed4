/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Dispatch: from a method call to its row, and from the handler's result to the answer.
 */
#ifndef SVCD_BUS_DISPATCH_H
#define SVCD_BUS_DISPATCH_H

#include "base/enum-names.h"
#include "bus/rows.h"

/*
 * Errors of the call itself, with the standard D-Bus names. All other errors are in base/errors.h.
 */
#define CALL_ERRORS(X, P)                                                                          \
	X(P, UNKNOWN_OBJECT, DBUS_ERROR_UNKNOWN_OBJECT)                                            \
	X(P, UNKNOWN_INTERFACE, DBUS_ERROR_UNKNOWN_INTERFACE)                                      \
	X(P, UNKNOWN_METHOD, DBUS_ERROR_UNKNOWN_METHOD)                                            \
	X(P, UNKNOWN_PROPERTY, DBUS_ERROR_UNKNOWN_PROPERTY)                                        \
	X(P, PROPERTY_READ_ONLY, DBUS_ERROR_PROPERTY_READ_ONLY)                                    \
	X(P, INVALID_ARGS, DBUS_ERROR_INVALID_ARGS)                                                \
	X(P, NEEDS_PASSWORD, DBUS_ERROR_INTERACTIVE_AUTHORIZATION_REQUIRED)
ENUM_WITH_NAMES(CallError, CALL_ERROR, call_error, CALL_ERRORS)

/* Like fail(), with a CallError. Returns: false. */
bool fail_call(GError **error, CallError code, const char *format, ...) G_GNUC_PRINTF(3, 4);

/**
 * dispatch() - answer one message
 *
 * Messages that are not method calls get no answer. Unless a handler promises one for later, the
 * answer is sent at once.
 */
void dispatch(Bus *bus, const Engine *engine, BusClient *client, DBusMessage *message);

/* Repeats dispatch() after a promise: the rights were checked, and CheckCommand= has succeeded. */
void dispatch_checked(Bus *bus, const Engine *engine, BusClient *client, Grant grant, DBusMessage *message);

/*
 * The access that the call's row requires. ACCESS_READ without a row, because dispatch() then only
 * reports an error.
 */
Access dispatch_access(const Engine *engine, DBusMessage *message);
/*
 * SetFlag: the bus name that the flag belongs to, a new string. NULL: the flag is the admin's, or
 * the arguments are wrong.
 */
char *dispatch_flag_owner(DBusMessage *message);

void dispatch_refuse(BusClient *client, DBusMessage *message, const GError *error);

/* The first argument of a call with a signature that begins with "s". */
const char *call_string(const BusCall *call);

/* The source of the properties of @service. NULL: of a fixed object. */
Subject call_subject(const BusCall *call, const Service *service);

#endif
