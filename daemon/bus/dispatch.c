/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Dispatch: finds the row of a call, checks the rights, calls the row's handler and sends the
 * answer.
 */
#include "config.h"

#include "bus/dispatch.h"

#include <string.h>

#include "base/errors.h"
#include "bus/access.h"
#include "bus/call.h"
#include "bus/internal.h"
#include "bus/introspection.h"
#include "bus/objects.h"
#include "bus/operate.h"
#include "bus/properties.h"
#include "loop/wire.h"
#include "model/key.h"
#include "model/name.h"

static const MethodRow *find_method(const Interface *interface, const char *name)
{
	for (unsigned i = 0; i < interface->n_methods; i++) {
		if (strcmp(interface->methods[i].name, name) == 0)
			return &interface->methods[i];
	}
	return NULL;
}

/*
 * A call without an interface goes to the first method of that name (D-Bus Specification, "Method
 * Calls").
 */
static const MethodRow *find_row(const Engine *engine, DBusMessage *message, GError **error)
{
	const char *path = dbus_message_get_path(message);
	const char *interface_name = dbus_message_get_interface(message);
	const char *name = dbus_message_get_member(message);
	const MethodRow *row = NULL;
	Object object;

	if (!path || !name || !object_find(engine, path, &object)) {
		fail_call(error, CALL_ERROR_UNKNOWN_OBJECT, "there is no object %s",
			  path ? path : "");
		return NULL;
	}
	if (interface_name && !object_interface(&object, interface_name)) {
		fail_call(error, CALL_ERROR_UNKNOWN_INTERFACE, "there is no interface %s at %s",
			  interface_name, path);
		return NULL;
	}
	for (size_t i = 0; !row && object.interfaces[i]; i++) {
		if (!interface_name || strcmp(object.interfaces[i]->name, interface_name) == 0)
			row = find_method(object.interfaces[i], name);
	}
	if (!row)
		fail_call(error, CALL_ERROR_UNKNOWN_METHOD, "there is no method %s at %s", name,
			  path);
	else if (!dbus_message_has_signature(message, row->in)) {
		fail_call(error, CALL_ERROR_INVALID_ARGS,
			  "%s takes arguments of type \"%s\", not \"%s\"", name, row->in,
			  dbus_message_get_signature(message));
		return NULL;
	}
	return row;
}

char *dispatch_flag_owner(DBusMessage *message)
{
	const char *flag;
	dbus_bool_t value;

	if (!dbus_message_get_args(message, NULL, DBUS_TYPE_STRING, &flag, DBUS_TYPE_BOOLEAN,
				   &value, DBUS_TYPE_INVALID) ||
	    !name_check_flag(flag, NULL))
		return NULL;
	return name_flag_owner(flag);
}

/*
 * A "settled:" key of a missing service is not public, because such a key can have any name, and
 * watched keys are never freed.
 */
static bool is_internal_public(const Engine *engine, KeyPrefix prefix, const char *key)
{
	g_autofree char *why = NULL;
	Level level;

	return key_prefix_is_internal(prefix) &&
	       (engine_internal_level(engine, prefix, key, &level, &why) || prefix != KEY_SETTLED);
}

/*
 * Is the condition internal, or does a service use it? Other conditions are not public, because
 * they would let any user test files that only root may see.
 */
static bool is_condition_public(const Engine *engine, const char *text)
{
	g_autofree char *problem = NULL;
	KeyPrefix prefix;
	g_autofree char *key = key_canonical(text, &prefix, &problem);
	ConditionView view;

	return key &&
	       (is_internal_public(engine, prefix, key) || engine_condition(engine, key, &view));
}

static bool is_watch_public(const Engine *engine, DBusMessage *message)
{
	const char *text = NULL;
	dbus_bool_t is_on;

	return dbus_message_get_args(message, NULL, DBUS_TYPE_STRING, &text, DBUS_TYPE_BOOLEAN,
				     &is_on, DBUS_TYPE_INVALID) &&
	       is_condition_public(engine, text);
}

static Access access_needed(const Engine *engine, const MethodRow *row, DBusMessage *message)
{
	g_autofree char *owner = row->access == ACCESS_FLAG ? dispatch_flag_owner(message) : NULL;

	if (row->access == ACCESS_FLAG && !owner)
		return ACCESS_CONTROL;
	return row->access == ACCESS_WATCH && is_watch_public(engine, message) ? ACCESS_LISTEN :
										 row->access;
}

Access dispatch_access(const Engine *engine, DBusMessage *message)
{
	const MethodRow *row = find_row(engine, message, NULL);

	return row ? access_needed(engine, row, message) : ACCESS_READ;
}

/*
 * The rights of an operator depend on the services that run. So they are checked again when the
 * call is carried out.
 */
static bool may_operate(const BusCall *call, GError **error)
{
	g_autoptr(GError) lack = NULL;

	if (operate_is_allowed(call->bus, call->engine, call->client, call->message, &lack))
		return true;
	if (lack) {
		g_propagate_error(error, g_steal_pointer(&lack));
		return false;
	}
	return fail(error, SVCD_ERROR_NOT_AUTHORIZED,
		    "uid %u is no longer an operator of this service",
		    (unsigned)call->client->requester.uid);
}

static bool may_call(const BusCall *call, const MethodRow *row, GError **error)
{
	if (call->client->grant == GRANT_OPERATOR &&
	    (row->access == ACCESS_OPERATE || row->access == ACCESS_LOG))
		return may_operate(call, error);
	return access_check(call->client, access_needed(call->engine, row, call->message), error);
}

static void carry_out(BusCall *call)
{
	g_autoptr(GError) error = NULL;
	const MethodRow *row = find_row(call->engine, call->message, &error);
	DBusMessage *reply = wire_must(dbus_message_new_method_return(call->message));
	DBusMessageIter out;

	dbus_message_iter_init_append(reply, &out);
	if (!row || !may_call(call, row, &error) || !row->handle(call, &out, &error)) {
		dbus_message_unref(reply);
		call_refuse(call->client, call->message, error);
	} else if (call->is_promised)
		dbus_message_unref(reply);
	else
		call_answer(call->client, call->message, reply);
}

void dispatch(Bus *bus, const Engine *engine, BusClient *client, DBusMessage *message)
{
	BusCall call = { .bus = bus, .engine = engine, .client = client, .message = message };

	if (dbus_message_get_type(message) == DBUS_MESSAGE_TYPE_METHOD_CALL)
		carry_out(&call);
}

void dispatch_checked(Bus *bus, const Engine *engine, BusClient *client, Grant grant,
		      DBusMessage *message)
{
	BusCall call = { .bus = bus,
			 .engine = engine,
			 .client = client,
			 .message = message,
			 .is_checked = true };

	client->grant = grant;
	carry_out(&call);
	client->grant = GRANT_NONE;
}

/* --- org.freedesktop.DBus.Introspectable --- */

static bool on_introspect(BusCall *call, DBusMessageIter *out, GError **error)
{
	const char *path = dbus_message_get_path(call->message);
	g_autofree char *xml = NULL;
	Object object;

	if (!object_find(call->engine, path, &object))
		return fail_call(error, CALL_ERROR_UNKNOWN_OBJECT, "there is no object %s", path);
	xml = object_introspect(call->engine, path, &object);
	wire_string(out, xml);
	return true;
}

static const MethodRow introspectable_methods[] = {
	{ "Introspect", "", "s", ACCESS_READ, on_introspect },
};

const Interface interface_introspectable = {
	.name = "org.freedesktop.DBus.Introspectable",
	.xml = introspection_org_freedesktop_DBus, /* covers all three standard interfaces */
	.methods = introspectable_methods,
	.n_methods = G_N_ELEMENTS(introspectable_methods),
};

/* --- org.freedesktop.DBus.Peer --- */

static bool on_ping(BusCall *call, DBusMessageIter *out, GError **error)
{
	return true;
}

static bool on_get_machine_id(BusCall *call, DBusMessageIter *out, GError **error)
{
	const char *id = bus_machine_id(call->bus);

	if (!*id)
		return fail(error, SVCD_ERROR_FAILED,
			    "/etc/machine-id could not be read when svcd-manager started");
	wire_string(out, id);
	return true;
}

static const MethodRow peer_methods[] = {
	{ "Ping", "", "", ACCESS_READ, on_ping },
	{ "GetMachineId", "", "s", ACCESS_READ, on_get_machine_id },
};

const Interface interface_peer = {
	.name = "org.freedesktop.DBus.Peer",
	.methods = peer_methods,
	.n_methods = G_N_ELEMENTS(peer_methods),
};
