/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Bus: see bus.h.
 */
#include "config.h"

#include "svc-systemd1/bus.h"

#include <glib.h>

#include "base/log.h"
#include "svc-systemd1/unit-name.h"

#define BUS_LIMIT_MS 5000

/* A global variable, because a program has one connection. */
static DBusConnection *bus;

DBusConnection *bus_connect(void)
{
	DBusError error = DBUS_ERROR_INIT;

	bus = dbus_bus_get_private(DBUS_BUS_SYSTEM, &error);
	if (!bus) {
		log_error(NULL, "cannot connect to the system bus: %s", error.message);
		dbus_error_free(&error);
		return NULL;
	}
	dbus_connection_set_exit_on_disconnect(bus, FALSE);
	return bus;
}

bool bus_take_name(void)
{
	DBusError error = DBUS_ERROR_INIT;

	/* svc-activate may own it for a moment, to refuse calls; then the bus passes it on */
	if (dbus_bus_request_name(bus, SYSTEMD1_NAME, 0, &error) > 0)
		return true;
	log_error(NULL, "cannot take the name %s: %s", SYSTEMD1_NAME, error.message);
	dbus_error_free(&error);
	return false;
}

static uint32_t ask_about(const char *sender, const char *question, uint32_t otherwise)
{
	DBusMessage *call = dbus_message_new_method_call(DBUS_SERVICE_DBUS, DBUS_PATH_DBUS,
							 DBUS_INTERFACE_DBUS, question);
	DBusMessage *reply = NULL;
	dbus_uint32_t answer;

	if (call && dbus_message_append_args(call, DBUS_TYPE_STRING, &sender, DBUS_TYPE_INVALID))
		reply = dbus_connection_send_with_reply_and_block(bus, call, BUS_LIMIT_MS, NULL);
	if (!reply ||
	    !dbus_message_get_args(reply, NULL, DBUS_TYPE_UINT32, &answer, DBUS_TYPE_INVALID))
		answer = otherwise;
	if (reply)
		dbus_message_unref(reply);
	if (call)
		dbus_message_unref(call);
	return answer;
}

uint32_t bus_user_of(const char *sender)
{
	return ask_about(sender, "GetConnectionUnixUser", UINT32_MAX);
}

uint32_t bus_process_of(const char *sender)
{
	return ask_about(sender, "GetConnectionUnixProcessID", 0);
}

void bus_send(DBusMessage *message)
{
	if (!message || !dbus_connection_send(bus, message, NULL))
		g_error("out of memory");
	dbus_message_unref(message);
}

char *bus_job_path(uint32_t id)
{
	return g_strdup_printf(SYSTEMD1_JOB_PREFIX "%u", id);
}

static DBusMessage *signal_new(const char *path, const char *interface, const char *member)
{
	DBusMessage *message = dbus_message_new_signal(path, interface, member);

	if (!message)
		g_error("out of memory");
	return message;
}

void bus_emit_reloaded(void)
{
	DBusMessage *message = signal_new(SYSTEMD1_PATH, SYSTEMD1_MANAGER, "Reloading");
	const dbus_bool_t is_reloading = FALSE;

	(void)dbus_message_append_args(message, DBUS_TYPE_BOOLEAN, &is_reloading,
				       DBUS_TYPE_INVALID);
	bus_send(message);
}

void bus_emit_job_removed(uint32_t id, const char *unit, const char *result)
{
	DBusMessage *message = signal_new(SYSTEMD1_PATH, SYSTEMD1_MANAGER, "JobRemoved");
	g_autofree char *path = bus_job_path(id);

	(void)dbus_message_append_args(message, DBUS_TYPE_UINT32, &id, DBUS_TYPE_OBJECT_PATH, &path,
				       DBUS_TYPE_STRING, &unit, DBUS_TYPE_STRING, &result,
				       DBUS_TYPE_INVALID);
	bus_send(message);
}

void bus_emit_unit_removed(const char *unit)
{
	DBusMessage *message = signal_new(SYSTEMD1_PATH, SYSTEMD1_MANAGER, "UnitRemoved");
	g_autofree char *path = unit_name_to_object(unit);

	(void)dbus_message_append_args(message, DBUS_TYPE_STRING, &unit, DBUS_TYPE_OBJECT_PATH,
				       &path, DBUS_TYPE_INVALID);
	bus_send(message);
}

static void append_state(DBusMessageIter *out, const char *state)
{
	static const char *const name = "ActiveState";
	DBusMessageIter dict;
	DBusMessageIter entry;
	DBusMessageIter value;

	(void)dbus_message_iter_open_container(out, DBUS_TYPE_ARRAY, "{sv}", &dict);
	(void)dbus_message_iter_open_container(&dict, DBUS_TYPE_DICT_ENTRY, NULL, &entry);
	(void)dbus_message_iter_append_basic(&entry, DBUS_TYPE_STRING, &name);
	(void)dbus_message_iter_open_container(&entry, DBUS_TYPE_VARIANT, "s", &value);
	(void)dbus_message_iter_append_basic(&value, DBUS_TYPE_STRING, &state);
	(void)dbus_message_iter_close_container(&entry, &value);
	(void)dbus_message_iter_close_container(&dict, &entry);
	(void)dbus_message_iter_close_container(out, &dict);
}

void bus_emit_active_state(const char *unit, const char *state)
{
	static const char *const interface = SYSTEMD1_NAME ".Unit";
	g_autofree char *path = unit_name_to_object(unit);
	DBusMessage *message = signal_new(path, DBUS_INTERFACE_PROPERTIES, "PropertiesChanged");
	DBusMessageIter out;
	DBusMessageIter none;

	dbus_message_iter_init_append(message, &out);
	(void)dbus_message_iter_append_basic(&out, DBUS_TYPE_STRING, &interface);
	append_state(&out, state);
	(void)dbus_message_iter_open_container(&out, DBUS_TYPE_ARRAY, "s", &none);
	(void)dbus_message_iter_close_container(&out, &none);
	bus_send(message);
}
