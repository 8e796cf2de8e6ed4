/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Dispatch: from a method call to its row, and from the handler's word to the answer.
 */
#ifndef SVCD_BUS_DISPATCH_H
#define SVCD_BUS_DISPATCH_H

#include "base/enum-names.h"
#include "bus/rows.h"

/* Errors of the call itself, with the names that D-Bus gives them; all others are base/errors.h. */
#define CALL_ERRORS(X, P)                                                                          \
	X(P, UNKNOWN_OBJECT, DBUS_ERROR_UNKNOWN_OBJECT)                                            \
	X(P, UNKNOWN_INTERFACE, DBUS_ERROR_UNKNOWN_INTERFACE)                                      \
	X(P, UNKNOWN_METHOD, DBUS_ERROR_UNKNOWN_METHOD)                                            \
	X(P, UNKNOWN_PROPERTY, DBUS_ERROR_UNKNOWN_PROPERTY)                                        \
	X(P, PROPERTY_READ_ONLY, DBUS_ERROR_PROPERTY_READ_ONLY)                                    \
	X(P, INVALID_ARGS, DBUS_ERROR_INVALID_ARGS)
ENUM_WITH_NAMES(CallError, CALL_ERROR, call_error, CALL_ERRORS)

/* As fail(), with a CallError. Returns: false. */
bool fail_call(GError **error, CallError code, const char *format, ...) G_GNUC_PRINTF(3, 4);

/**
 * dispatch() - answer one message
 *
 * What is no method call is left without an answer. The answer goes to @client at once.
 */
void dispatch(Bus *bus, const Engine *engine, BusClient *client, DBusMessage *message);

/* The same once more, after a promise: who may do it has been found out, and CheckCommand= has had nothing against it. */
void dispatch_checked(Bus *bus, const Engine *engine, BusClient *client, Grant grant, DBusMessage *message);

/* What the row of this call needs; ACCESS_READ if there is none, for then dispatch() has an error to tell. */
Access dispatch_access(const Engine *engine, DBusMessage *message);
/* SetFlag: the bus name to which the flag belongs, a new string; NULL: the flag is the admin's, or no call's argument. */
char *dispatch_flag_owner(DBusMessage *message);

/* Answers with @error. */
void dispatch_refuse(BusClient *client, DBusMessage *message, const GError *error);

/* The first argument, a string, of a call whose signature begins with "s". */
const char *call_string(const BusCall *call);

/* What the properties of @service (or of the fixed objects: NULL) are read from. */
Subject call_subject(const BusCall *call, const Service *service);

#endif
