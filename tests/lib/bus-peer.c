/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Bus peer: one connection, org.freedesktop.DBus.Properties.Get and two signals.
 */
#include "config.h"

#include "tests/lib/bus-peer.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "loop/wire.h"
#include "tests/lib/socket-look.h"

#define OBJECT_MANAGER "org.freedesktop.DBus.ObjectManager"

/* Appends a variant for a text such as "u20". */
static void append_value(DBusMessageIter *out, const char *value)
{
	const char signature[] = { value[0], '\0' };
	DBusMessageIter inner;
	DBusMessageIter list;

	if (value[0] == 'L') {
		wire_open(out, DBUS_TYPE_VARIANT, "as", &inner);
		wire_open(&inner, DBUS_TYPE_ARRAY, "s", &list);
		wire_close(&inner, &list);
		wire_close(out, &inner);
		return;
	}
	wire_open(out, DBUS_TYPE_VARIANT, signature, &inner);
	if (value[0] == 'u')
		wire_uint32(&inner, (uint32_t)strtoul(value + 1, NULL, 10));
	else if (value[0] == 'b')
		wire_bool(&inner, value[1] == 't');
	else
		wire_string(&inner, value + 1);
	wire_close(out, &inner);
}

static void answer(BusPeer *peer, DBusMessage *call)
{
	g_autofree char *id = NULL;
	const char *interface = "";
	const char *property = "";
	const char *value;
	DBusMessage *reply;
	DBusMessageIter out;

	ck_assert(dbus_message_get_args(call, NULL, DBUS_TYPE_STRING, &interface, DBUS_TYPE_STRING,
					&property, DBUS_TYPE_INVALID));
	id = g_strdup_printf("%s %s.%s", dbus_message_get_path(call), interface, property);
	value = g_hash_table_lookup(peer->values, id);
	if (value) {
		reply = wire_must(dbus_message_new_method_return(call));
		dbus_message_iter_init_append(reply, &out);
		append_value(&out, value);
	} else {
		reply = wire_must(dbus_message_new_error(call, DBUS_ERROR_UNKNOWN_OBJECT,
							 "no such object here"));
	}
	system_bus_send(peer->bus, reply);
	dbus_message_unref(reply);
}

static void on_message(void *data, DBusMessage *message)
{
	BusPeer *peer = data;

	if (!dbus_message_is_method_call(message, DBUS_INTERFACE_PROPERTIES, "Get"))
		return;
	ck_assert(!dbus_message_get_auto_start(message));
	peer->n_calls++;
	if (peer->is_silent)
		g_ptr_array_add(peer->held, dbus_message_ref(message));
	else
		answer(peer, message);
}

void bus_peer_answer_held(BusPeer *peer)
{
	g_autoptr(GPtrArray) held = g_steal_pointer(&peer->held);

	peer->held = g_ptr_array_new_with_free_func((GDestroyNotify)dbus_message_unref);
	for (guint i = 0; i < held->len; i++)
		answer(peer, g_ptr_array_index(held, i));
}

BusPeer *bus_peer_new(const char *socket)
{
	static const SystemBusListener listener = { .message = on_message };
	BusPeer *peer = g_new0(BusPeer, 1);

	peer->bus = system_bus_new(socket, &socket_look, NULL);
	ck_assert_ptr_nonnull(peer->bus);
	peer->listener = system_bus_add_listener(peer->bus, &listener, peer);
	peer->values = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	peer->held = g_ptr_array_new_with_free_func((GDestroyNotify)dbus_message_unref);
	return peer;
}

void bus_peer_free(BusPeer *peer)
{
	if (!peer)
		return;
	system_bus_remove_listener(peer->bus, peer->listener);
	system_bus_free(peer->bus);
	g_hash_table_unref(peer->values);
	g_ptr_array_unref(peer->held);
	g_free(peer);
}

static void query_bus(BusPeer *peer, const char *method, const char *name, bool has_flags)
{
	DBusMessage *call = wire_must(dbus_message_new_method_call(
		DBUS_SERVICE_DBUS, DBUS_PATH_DBUS, DBUS_INTERFACE_DBUS, method));
	DBusMessageIter out;

	ck_assert(system_bus_is_connected(peer->bus));
	dbus_message_iter_init_append(call, &out);
	wire_string(&out, name);
	if (has_flags)
		wire_uint32(&out, 0);
	dbus_message_set_no_reply(call, TRUE);
	system_bus_send(peer->bus, call);
	dbus_message_unref(call);
}

void bus_peer_own(BusPeer *peer, const char *name)
{
	query_bus(peer, "RequestName", name, true);
}

void bus_peer_release(BusPeer *peer, const char *name)
{
	query_bus(peer, "ReleaseName", name, false);
}

void bus_peer_set(BusPeer *peer, const char *path, const char *property, const char *value)
{
	char *id = g_strdup_printf("%s %s", path, property);

	if (value) {
		g_hash_table_replace(peer->values, id, g_strdup(value));
		return;
	}
	g_hash_table_remove(peer->values, id);
	g_free(id);
}

static void append_changes(DBusMessageIter *out, const char *member, const char *value)
{
	DBusMessageIter list;
	DBusMessageIter entry;

	wire_open(out, DBUS_TYPE_ARRAY, "{sv}", &list);
	if (value) {
		wire_open(&list, DBUS_TYPE_DICT_ENTRY, NULL, &entry);
		wire_string(&entry, member);
		append_value(&entry, value);
		wire_close(&list, &entry);
	}
	wire_close(out, &list);
	wire_open(out, DBUS_TYPE_ARRAY, "s", &list);
	if (!value)
		wire_string(&list, member);
	wire_close(out, &list);
}

void bus_peer_send(BusPeer *peer, const char *path, const char *property, bool with_value)
{
	g_autofree char *id = g_strdup_printf("%s %s", path, property);
	const char *dot = strrchr(property, '.');
	g_autofree char *interface = g_strndup(property, (gsize)(dot - property));
	DBusMessage *signal = wire_must(
		dbus_message_new_signal(path, DBUS_INTERFACE_PROPERTIES, "PropertiesChanged"));
	DBusMessageIter out;

	dbus_message_iter_init_append(signal, &out);
	wire_string(&out, interface);
	append_changes(&out, dot + 1, with_value ? g_hash_table_lookup(peer->values, id) : NULL);
	system_bus_send(peer->bus, signal);
	dbus_message_unref(signal);
}

void bus_peer_send_object(BusPeer *peer, const char *path)
{
	DBusMessage *signal =
		wire_must(dbus_message_new_signal("/", OBJECT_MANAGER, "InterfacesAdded"));
	DBusMessageIter out;
	DBusMessageIter list;

	dbus_message_iter_init_append(signal, &out);
	wire_object_path(&out, path);
	wire_open(&out, DBUS_TYPE_ARRAY, "{sa{sv}}", &list);
	wire_close(&out, &list);
	system_bus_send(peer->bus, signal);
	dbus_message_unref(signal);
}
