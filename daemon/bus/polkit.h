/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Polkit: the messages of an authorization by polkitd(8). system-client.c sends them.
 *
 * The subject is the caller's bus name, because the caller's pid may soon belong to another process
 * (CVE-2013-4327). Any reply except a clear yes is a refusal.
 */
#ifndef SVCD_BUS_POLKIT_H
#define SVCD_BUS_POLKIT_H

#include <dbus/dbus.h>
#include <glib.h>
#include <stdbool.h>

/**
 * polkit_question() - CheckAuthorization for the sender of @call; a new message
 *
 * Polkit asks the user for a password only if the call allows it. Polkit rules get the method and
 * its first argument as details. For a call to a service's object they get the service name in
 * place of the argument.
 */
DBusMessage *polkit_question(DBusMessage *call, const char *action);

/**
 * polkit_allows() - does the reply authorize the call?
 * @reply: NULL if none came
 * Returns: false with NOT_AUTHORIZED, TIMEOUT or CALL_ERROR_NEEDS_PASSWORD. The message names
 * @action and @uid.
 */
bool polkit_allows(DBusMessage *reply, const char *action, unsigned uid, GError **error);

#endif
