/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * org.svcd1.Services: some properties of all services in one answer. What is not asked for is neither made nor read, which is most
 * of the time that a list of hundreds of services takes.
 */
#include "config.h"

#include "base/errors.h"
#include "bus/dispatch.h"
#include "bus/introspection.h"
#include "bus/names.h"
#include "bus/properties.h"
#include "bus/rows.h"
#include "loop/wire.h"

/* The rows of the properties that are asked for, each once; NULL with @error. A new array, borrowed. */
static GPtrArray *read_rows(const BusCall *call, GError **error)
{
	g_autoptr(GPtrArray) rows = g_ptr_array_new();
	DBusMessageIter in;
	DBusMessageIter array;
	const char *name;

	dbus_message_iter_init(call->message, &in);
	for (dbus_message_iter_recurse(&in, &array); dbus_message_iter_get_arg_type(&array) == DBUS_TYPE_STRING;
	     dbus_message_iter_next(&array)) {
		const PropertyRow *row;

		dbus_message_iter_get_basic(&array, &name);
		row = property_find(&interface_service, name);
		if (!row || (row->flags & PROPERTY_COSTLY)) {
			fail(error, SVCD_ERROR_INVALID_ARGUMENT, row ? "%s is to be asked of one service at a time"
								     : "a service has no property %s", name);
			return NULL;
		}
		if (!g_ptr_array_find(rows, row, NULL))
			g_ptr_array_add(rows, (gpointer)row);
	}
	return g_steal_pointer(&rows);
}

static void append_service(const BusCall *call, const Service *service, const GPtrArray *rows, DBusMessageIter *out)
{
	const Subject subject = call_subject(call, service);
	DBusMessageIter array;

	wire_open(out, DBUS_TYPE_ARRAY, "{sv}", &array);
	for (guint i = 0; i < rows->len; i++) {
		const PropertyRow *row = g_ptr_array_index(rows, i);
		DBusMessageIter entry;

		wire_open(&array, DBUS_TYPE_DICT_ENTRY, NULL, &entry);
		wire_string(&entry, row->name);
		property_append(row, &subject, &entry);
		wire_close(&array, &entry);
	}
	wire_close(out, &array);
}

static bool on_list(BusCall *call, DBusMessageIter *out, GError **error)
{
	g_autoptr(GPtrArray) rows = read_rows(call, error);
	const GPtrArray *all = engine_services(call->engine);
	DBusMessageIter array;

	if (!rows)
		return false;
	wire_open(out, DBUS_TYPE_ARRAY, "a{sv}", &array);
	for (guint i = 0; i < all->len; i++)
		append_service(call, g_ptr_array_index(all, i), rows, &array);
	wire_close(out, &array);
	return true;
}

static const MethodRow methods[] = {
	{ "List", "as", "aa{sv}", ACCESS_READ, on_list },
};

const Interface interface_services = {
	.name = INTERFACE_SERVICES,
	.xml = introspection_org_svcd1_Services,
	.methods = methods,
	.n_methods = G_N_ELEMENTS(methods),
};
