/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * org.svcd1.Services: selected properties of many services in one answer. Other properties are not
 * computed, which saves most of the time that a list of hundreds of services takes.
 */
#include "config.h"

#include "base/errors.h"
#include "bus/call.h"
#include "bus/conditions.h"
#include "bus/internal.h"
#include "bus/introspection.h"
#include "bus/names.h"
#include "bus/properties.h"
#include "bus/rows.h"
#include "loop/wire.h"

/*
 * The rows of the requested properties, without duplicates; NULL with @error. A new array of
 * borrowed rows.
 */
static GPtrArray *read_rows(const BusCall *call, GError **error)
{
	g_autoptr(GPtrArray) rows = g_ptr_array_new();
	DBusMessageIter in;
	DBusMessageIter array;
	const char *name;

	dbus_message_iter_init(call->message, &in);
	for (dbus_message_iter_recurse(&in, &array);
	     dbus_message_iter_get_arg_type(&array) == DBUS_TYPE_STRING;
	     dbus_message_iter_next(&array)) {
		const PropertyRow *row;

		dbus_message_iter_get_basic(&array, &name);
		row = property_find(&interface_service, name);
		if (!row || (row->flags & PROPERTY_COSTLY)) {
			fail(error, SVCD_ERROR_INVALID_ARGUMENT,
			     row ? "%s can be read from only one service at a time" :
				   "a service has no property %s",
			     name);
			return NULL;
		}
		if (!g_ptr_array_find(rows, row, NULL))
			g_ptr_array_add(rows, (gpointer)row);
	}
	return g_steal_pointer(&rows);
}

static void append_service(const BusCall *call, const Service *service, const GPtrArray *rows,
			   DBusMessageIter *out)
{
	const PropertyContext context = call_subject(call, service);
	DBusMessageIter array;

	wire_open(out, DBUS_TYPE_ARRAY, "{sv}", &array);
	for (guint i = 0; i < rows->len; i++) {
		const PropertyRow *row = g_ptr_array_index(rows, i);
		DBusMessageIter entry;

		wire_open(&array, DBUS_TYPE_DICT_ENTRY, NULL, &entry);
		wire_string(&entry, row->name);
		property_append(row, &context, &entry);
		wire_close(&array, &entry);
	}
	wire_close(out, &array);
}

static bool is_in_motion(const Service *service)
{
	const ServiceState state = service->state;

	return state == STATE_STARTING || state == STATE_STOPPING || state == STATE_BACKOFF ||
	       service_wait_until(service) > 0;
}

static bool list(BusCall *call, bool only_in_motion, DBusMessageIter *out, GError **error)
{
	g_autoptr(GPtrArray) rows = read_rows(call, error);
	const GPtrArray *all = engine_services(call->engine);
	DBusMessageIter array;

	if (!rows)
		return false;
	wire_open(out, DBUS_TYPE_ARRAY, "a{sv}", &array);
	for (guint i = 0; i < all->len; i++) {
		const Service *service = g_ptr_array_index(all, i);

		if (!only_in_motion || is_in_motion(service))
			append_service(call, service, rows, &array);
	}
	wire_close(out, &array);
	return true;
}

static bool on_list(BusCall *call, DBusMessageIter *out, GError **error)
{
	return list(call, false, out, error);
}

static bool on_list_in_motion(BusCall *call, DBusMessageIter *out, GError **error)
{
	return list(call, true, out, error);
}

static bool on_list_timers(BusCall *call, DBusMessageIter *out, GError **error)
{
	conditions_append_timers(bus_conditions(call->bus), out);
	return true;
}

static const MethodRow methods[] = {
	{ "List", "as", "aa{sv}", ACCESS_READ, on_list },
	{ "ListInMotion", "as", "aa{sv}", ACCESS_READ, on_list_in_motion },
	{ "ListTimers", "", "a(sstt)", ACCESS_READ, on_list_timers },
};

const Interface interface_services = {
	.name = INTERFACE_SERVICES,
	.xml = introspection_org_svcd1_Services,
	.methods = methods,
	.n_methods = G_N_ELEMENTS(methods),
};
