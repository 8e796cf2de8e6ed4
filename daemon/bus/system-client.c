/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * System client: the name, and the calls that wait for somebody to say who may.
 */
#include "config.h"

#include "bus/system-client.h"

#include <string.h>

#include "base/errors.h"
#include "base/limits.h"
#include "base/log.h"
#include "bus/access.h"
#include "bus/dispatch.h"
#include "bus/names.h"
#include "bus/polkit.h"
#include "bus/requester.h"
#include "loop/wire.h"

/* The bus daemon answers at once, or not at all. */
#define BUS_LIMIT_US (10 * G_USEC_PER_SEC)

struct SystemClient {
	SystemBus *bus;
	unsigned listener_id;
	unsigned naming;   /* the call for our name, 0: none */
	bool has_name;
	GPtrArray *parked; /* Caller *, owned */
	const SystemClientListener *listener;
	void *data;
};

/* Somebody who calls, for as long as the call is not answered. */
typedef struct Caller {
	BusClient base; /* first: a BusClient is cast to it */
	SystemClient *client;
	DBusMessage *message;
	Access access;
	unsigned asking; /* the question on which it waits, 0: none */
} Caller;

static void caller_send(BusClient *base, DBusMessage *message)
{
	system_bus_send(((Caller *)base)->client->bus, message);
}

static Caller caller_make(SystemClient *client, DBusMessage *message, Access access)
{
	return (Caller){
		.base = { .send = caller_send, .who = { .uid = (uid_t)-1 } },
		.client = client,
		.message = message,
		.access = access,
	};
}

/* --- parked calls --- */

static void caller_free(gpointer data)
{
	Caller *caller = data;

	if (caller->asking)
		system_bus_cancel(caller->client->bus, caller->asking);
	dbus_message_unref(caller->message);
	g_free(caller);
}

/* The last thing that happens to a caller: it is freed. */
static void carry_out(Caller *caller)
{
	SystemClient *client = caller->client;

	client->listener->message(client->data, &caller->base, caller->message);
	g_ptr_array_remove_fast(client->parked, caller);
}

static void refuse(Caller *caller, const GError *error)
{
	dispatch_refuse(&caller->base, caller->message, error);
	g_ptr_array_remove_fast(caller->client->parked, caller);
}

static void on_polkit(void *data, DBusMessage *reply)
{
	Caller *caller = data;
	g_autoptr(GError) error = NULL;

	caller->asking = 0;
	caller->base.is_authorized =
		polkit_allows(reply, access_action(caller->access), (unsigned)caller->base.who.uid, &error);
	if (caller->base.is_authorized)
		carry_out(caller);
	else
		refuse(caller, error);
}

static void ask_polkit(Caller *caller)
{
	DBusMessage *question = polkit_question(caller->message, access_action(caller->access));
	const bool is_interactive = dbus_message_get_allow_interactive_authorization(caller->message);

	caller->asking = system_bus_call(caller->client->bus, question,
					 is_interactive ? LIMIT_AUTHENTICATE_US : LIMIT_AUTHORIZE_US, on_polkit, caller);
	dbus_message_unref(question);
	if (!caller->asking)
		on_polkit(caller, NULL); /* the bus is about to go, and the caller with it */
}

/* Reads UnixUserID and ProcessID from a{sv}. Returns: whether there was a user. */
static bool read_credentials(DBusMessage *reply, Requester *who)
{
	DBusMessageIter in;
	DBusMessageIter array;
	bool has_uid = false;

	if (!reply || !dbus_message_has_signature(reply, "a{sv}"))
		return false;
	dbus_message_iter_init(reply, &in);
	for (dbus_message_iter_recurse(&in, &array); dbus_message_iter_get_arg_type(&array) != DBUS_TYPE_INVALID;
	     dbus_message_iter_next(&array)) {
		DBusMessageIter entry;
		DBusMessageIter variant;
		const char *name;
		dbus_uint32_t number;

		dbus_message_iter_recurse(&array, &entry);
		dbus_message_iter_get_basic(&entry, &name);
		dbus_message_iter_next(&entry);
		dbus_message_iter_recurse(&entry, &variant);
		if (dbus_message_iter_get_arg_type(&variant) != DBUS_TYPE_UINT32)
			continue;
		dbus_message_iter_get_basic(&variant, &number);
		if (strcmp(name, "UnixUserID") == 0) {
			who->uid = (uid_t)number;
			has_uid = true;
		} else if (strcmp(name, "ProcessID") == 0) {
			who->pid = (pid_t)number;
		}
	}
	return has_uid;
}

static void on_credentials(void *data, DBusMessage *reply)
{
	Caller *caller = data;
	g_autoptr(GError) error = NULL;

	caller->asking = 0;
	if (!read_credentials(reply, &caller->base.who)) {
		fail(&error, SVCD_ERROR_NOT_AUTHORIZED, "the bus does not tell who asks for this");
		refuse(caller, error);
		return;
	}
	requester_read_command(&caller->base.who);
	if (caller->base.who.uid == 0)
		carry_out(caller);
	else
		ask_polkit(caller);
}

static void ask_who(Caller *caller)
{
	DBusMessage *question = wire_must(dbus_message_new_method_call(DBUS_SERVICE_DBUS, DBUS_PATH_DBUS,
								       DBUS_INTERFACE_DBUS, "GetConnectionCredentials"));
	DBusMessageIter out;

	dbus_message_iter_init_append(question, &out);
	wire_string(&out, dbus_message_get_sender(caller->message));
	caller->asking = system_bus_call(caller->client->bus, question, BUS_LIMIT_US, on_credentials, caller);
	dbus_message_unref(question);
	if (!caller->asking)
		on_credentials(caller, NULL);
}

static bool has_room(const SystemClient *client, const char *sender, GError **error)
{
	unsigned n = 0;

	for (guint i = 0; i < client->parked->len; i++) {
		const Caller *caller = g_ptr_array_index(client->parked, i);

		n += strcmp(dbus_message_get_sender(caller->message), sender) == 0;
	}
	if (n >= LIMIT_PARKED_PER_CLIENT)
		return fail(error, SVCD_ERROR_LIMIT_REACHED, "%u of your calls wait for authorization already", n);
	if (client->parked->len >= LIMIT_PARKED)
		return fail(error, SVCD_ERROR_LIMIT_REACHED, "too many calls wait for authorization");
	return true;
}

static void park(SystemClient *client, DBusMessage *message, Access access)
{
	Caller *caller = g_new(Caller, 1);

	*caller = caller_make(client, dbus_message_ref(message), access);
	g_ptr_array_add(client->parked, caller);
	ask_who(caller);
}

/* --- the bus --- */

static void on_message(void *data, DBusMessage *message)
{
	SystemClient *client = data;
	g_autoptr(GError) error = NULL;
	Caller caller;

	if (dbus_message_get_type(message) != DBUS_MESSAGE_TYPE_METHOD_CALL || !dbus_message_get_sender(message))
		return; /* without a sender: not from a bus */
	caller = caller_make(client, message, client->listener->access(client->data, message));
	if (caller.access == ACCESS_READ)
		client->listener->message(client->data, &caller.base, message);
	else if (has_room(client, dbus_message_get_sender(message), &error))
		park(client, message, caller.access);
	else
		dispatch_refuse(&caller.base, message, error);
}

static void on_name(void *data, DBusMessage *reply)
{
	SystemClient *client = data;
	dbus_uint32_t result = 0;

	client->naming = 0;
	if (reply && dbus_message_get_type(reply) == DBUS_MESSAGE_TYPE_METHOD_RETURN)
		(void)dbus_message_get_args(reply, NULL, DBUS_TYPE_UINT32, &result, DBUS_TYPE_INVALID); /* or stays 0 */
	client->has_name = result == DBUS_REQUEST_NAME_REPLY_PRIMARY_OWNER;
	if (client->has_name)
		log_debug(NULL, "on the system bus as " BUS_NAME);
	else if (reply) /* without one the bus went away */
		log_error(NULL, BUS_NAME " cannot be had on the system bus: %s",
			  result == DBUS_REQUEST_NAME_REPLY_EXISTS ? "another program has it"
								   : "is " BUS_NAME ".conf in /usr/share/dbus-1/system.d?");
}

static void on_connected(void *data)
{
	SystemClient *client = data;
	DBusMessage *message = wire_must(
		dbus_message_new_method_call(DBUS_SERVICE_DBUS, DBUS_PATH_DBUS, DBUS_INTERFACE_DBUS, "RequestName"));
	DBusMessageIter out;

	dbus_message_iter_init_append(message, &out);
	wire_string(&out, BUS_NAME);
	wire_uint32(&out, DBUS_NAME_FLAG_DO_NOT_QUEUE);
	client->naming = system_bus_call(client->bus, message, BUS_LIMIT_US, on_name, client);
	dbus_message_unref(message);
}

static void on_disconnected(void *data)
{
	((SystemClient *)data)->has_name = false;
}

static const SystemBusListener bus_listener = {
	.connected = on_connected,
	.disconnected = on_disconnected,
	.message = on_message,
};

/* --- the object's life --- */

SystemClient *system_client_new(SystemBus *bus, const SystemClientListener *listener, void *data)
{
	SystemClient *client = g_new0(SystemClient, 1);

	client->bus = bus;
	client->listener = listener;
	client->data = data;
	client->parked = g_ptr_array_new_with_free_func(caller_free);
	client->listener_id = system_bus_add_listener(bus, &bus_listener, client);
	return client;
}

bool system_client_has_name(const SystemClient *client)
{
	return client->has_name;
}

void system_client_broadcast(SystemClient *client, DBusMessage *message)
{
	system_bus_send(client->bus, message);
}

void system_client_flush(SystemClient *client)
{
	system_bus_flush(client->bus);
}

void system_client_free(SystemClient *client)
{
	if (!client)
		return;
	if (client->naming)
		system_bus_cancel(client->bus, client->naming);
	system_bus_remove_listener(client->bus, client->listener_id);
	g_ptr_array_unref(client->parked);
	g_free(client);
}
