/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Polkit: the question to polkitd(8) and its answer, as messages; asking is system-client's work.
 *
 * The subject is the caller's name on the bus, never its pid, which may be another process by then (CVE-2013-4327). What
 * is no clear yes is a no.
 */
#ifndef SVCD_BUS_POLKIT_H
#define SVCD_BUS_POLKIT_H

#include <dbus/dbus.h>
#include <glib.h>
#include <stdbool.h>

/**
 * polkit_question() - CheckAuthorization for the sender of @call; a new message
 *
 * The user is asked for a password only if the call allows it. Rules see the call's method and first word as details;
 * of a call to the object of a service its name in place of the word.
 */
DBusMessage *polkit_question(DBusMessage *call, const char *action);

/**
 * polkit_allows() - was it a yes?
 * @reply: NULL when none came
 * Returns: false with NOT_AUTHORIZED or TIMEOUT, in a sentence that names @action and @uid.
 */
bool polkit_allows(DBusMessage *reply, const char *action, unsigned uid, GError **error);

#endif
