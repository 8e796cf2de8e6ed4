/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Name holder: see name-holder.h.
 */
#include "config.h"

#include "svc-activate/name-holder.h"

#include <stdio.h>

DBusConnection *name_holder_connect(void)
{
	DBusError error = DBUS_ERROR_INIT;
	DBusConnection *bus = dbus_bus_get_private(DBUS_BUS_SYSTEM, &error);

	if (bus) {
		dbus_connection_set_exit_on_disconnect(bus, FALSE);
	} else {
		(void)fprintf(stderr, "svc-activate: no system bus: %s\n", error.message);
		dbus_error_free(&error);
	}
	return bus;
}

void name_holder_disconnect(DBusConnection *bus)
{
	if (!bus)
		return;
	dbus_connection_flush(bus);
	dbus_connection_close(bus);
	dbus_connection_unref(bus);
}

static void answer(DBusConnection *bus, DBusMessage *call, const ActivationError *refusal)
{
	DBusMessage *reply;

	if (dbus_message_get_type(call) != DBUS_MESSAGE_TYPE_METHOD_CALL ||
	    dbus_message_get_no_reply(call))
		return;
	reply = dbus_message_new_error(call, refusal->name, refusal->text);
	if (!reply)
		return; /* no memory: the caller gets an error when we leave the bus */
	(void)dbus_connection_send(bus, reply, NULL);
	dbus_message_unref(reply);
}

static void answer_all(DBusConnection *bus, const ActivationError *refusal)
{
	DBusMessage *message;

	while ((message = dbus_connection_pop_message(bus)) != NULL) {
		answer(bus, message, refusal);
		dbus_message_unref(message);
	}
}

/*
 * dbus-daemon delivers the queued calls before it answers RequestName, and further calls before it
 * answers ReleaseName. libdbus keeps them until they are popped.
 */
bool name_holder_answer(DBusConnection *bus, const char *name, const ActivationError *refusal)
{
	DBusError error = DBUS_ERROR_INIT;

	if (dbus_bus_request_name(bus, name, DBUS_NAME_FLAG_DO_NOT_QUEUE, &error) !=
	    DBUS_REQUEST_NAME_REPLY_PRIMARY_OWNER) {
		(void)fprintf(stderr, "svc-activate: cannot answer for %s: %s\n", name,
			      dbus_error_is_set(&error) ? error.message :
							  "another program owns this name");
		dbus_error_free(&error);
		return false;
	}
	answer_all(bus, refusal);
	/* on failure it is released when we leave the bus */
	(void)dbus_bus_release_name(bus, name, NULL);
	answer_all(bus, refusal);
	return true;
}
