/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Properties: conversion of rows to a{sv}, and org.freedesktop.DBus.Properties.
 */
#include "config.h"

#include "bus/properties.h"

#include <limits.h>
#include <string.h>

#include "bus/call.h"
#include "bus/introspection.h"
#include "bus/objects.h"
#include "loop/wire.h"

static void append_number(const char *type, uint64_t value, DBusMessageIter *out)
{
	switch (*type) {
	case DBUS_TYPE_BOOLEAN:
		wire_bool(out, value != 0);
		break;
	case DBUS_TYPE_UINT32:
		wire_uint32(out, (uint32_t)MIN(value, UINT32_MAX));
		break;
	default:
		wire_uint64(out, value);
		break;
	}
}

void property_append(const PropertyRow *row, const PropertyContext *context, DBusMessageIter *out)
{
	DBusMessageIter variant;

	wire_open(out, DBUS_TYPE_VARIANT, row->type, &variant);
	if (row->text)
		wire_string(&variant, row->text(context));
	else if (row->number)
		append_number(row->type, row->number(context), &variant);
	else
		row->append(context, &variant);
	wire_close(out, &variant);
}

static void append_entry(const PropertyRow *row, const PropertyContext *context,
			 DBusMessageIter *array)
{
	DBusMessageIter entry;

	wire_open(array, DBUS_TYPE_DICT_ENTRY, NULL, &entry);
	wire_string(&entry, row->name);
	property_append(row, context, &entry);
	wire_close(array, &entry);
}

void properties_append(const Interface *interface, const PropertyContext *context, unsigned without,
		       unsigned with, DBusMessageIter *out)
{
	DBusMessageIter array;

	wire_open(out, DBUS_TYPE_ARRAY, "{sv}", &array);
	for (unsigned i = 0; i < interface->n_properties; i++) {
		const PropertyRow *row = &interface->properties[i];

		if (!(row->flags & without) && (!with || (row->flags & with)))
			append_entry(row, context, &array);
	}
	wire_close(out, &array);
}

void properties_append_interfaces(const Interface *interface, const PropertyContext *context,
				  DBusMessageIter *out)
{
	DBusMessageIter array;
	DBusMessageIter entry;

	wire_open(out, DBUS_TYPE_ARRAY, "{sa{sv}}", &array);
	wire_open(&array, DBUS_TYPE_DICT_ENTRY, NULL, &entry);
	wire_string(&entry, interface->name);
	properties_append(interface, context, PROPERTY_COSTLY, 0, &entry);
	wire_close(&array, &entry);
	wire_close(out, &array);
}

DBusMessage *properties_changed(const char *path, const Interface *interface,
				const PropertyContext *context)
{
	DBusMessage *message = wire_must(
		dbus_message_new_signal(path, interface_properties.name, "PropertiesChanged"));
	DBusMessageIter out;
	DBusMessageIter none;

	dbus_message_iter_init_append(message, &out);
	wire_string(&out, interface->name);
	properties_append(interface, context, PROPERTY_CONST | PROPERTY_SILENT, 0, &out);
	wire_open(&out, DBUS_TYPE_ARRAY, "s", &none);
	wire_close(&out, &none);
	return message;
}

const PropertyRow *property_find(const Interface *interface, const char *name)
{
	for (unsigned i = 0; i < interface->n_properties; i++) {
		if (strcmp(interface->properties[i].name, name) == 0)
			return &interface->properties[i];
	}
	return NULL;
}

/* --- org.freedesktop.DBus.Properties --- */

static const Interface *find_interface(const BusCall *call, const char *name, Object *ret_object,
				       GError **error)
{
	const Interface *interface = NULL;

	if (object_find(call->engine, dbus_message_get_path(call->message), ret_object))
		interface = object_interface(ret_object, name);
	if (!interface)
		fail_call(error, CALL_ERROR_UNKNOWN_INTERFACE, "there is no interface %s at %s",
			  name, dbus_message_get_path(call->message));
	return interface;
}

static const PropertyRow *find_property(const BusCall *call, Object *ret_object, GError **error)
{
	const char *interface_name = NULL;
	const char *name = NULL;
	DBusMessageIter in;
	const Interface *interface;
	const PropertyRow *row;

	dbus_message_iter_init(call->message, &in);
	dbus_message_iter_get_basic(&in, &interface_name);
	dbus_message_iter_next(&in);
	dbus_message_iter_get_basic(&in, &name);
	interface = find_interface(call, interface_name, ret_object, error);
	if (!interface)
		return NULL;
	row = property_find(interface, name);
	if (!row)
		fail_call(error, CALL_ERROR_UNKNOWN_PROPERTY, "%s has no property %s",
			  interface_name, name);
	return row;
}

static bool on_get(BusCall *call, DBusMessageIter *out, GError **error)
{
	Object object;
	const PropertyRow *row = find_property(call, &object, error);

	if (!row)
		return false;
	const PropertyContext context = call_subject(call, object.service);

	property_append(row, &context, out);
	return true;
}

static bool on_get_all(BusCall *call, DBusMessageIter *out, GError **error)
{
	const char *name = call_string(call);
	const Interface *interface;
	Object object;

	interface = find_interface(call, name, &object, error);
	if (!interface)
		return false;
	const PropertyContext context = call_subject(call, object.service);

	properties_append(interface, &context, 0, 0, out);
	return true;
}

static bool on_set(BusCall *call, DBusMessageIter *out, GError **error)
{
	Object object;
	const PropertyRow *row = find_property(call, &object, error);

	if (!row)
		return false;
	return fail_call(error, CALL_ERROR_PROPERTY_READ_ONLY, "the property %s can only be read",
			 row->name);
}

static const MethodRow methods[] = {
	{ "Get", "ss", "v", ACCESS_READ, on_get },
	{ "GetAll", "s", "a{sv}", ACCESS_READ, on_get_all },
	{ "Set", "ssv", "", ACCESS_READ, on_set },
};

const Interface interface_properties = {
	.name = "org.freedesktop.DBus.Properties",
	.methods = methods,
	.n_methods = G_N_ELEMENTS(methods),
};
