/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Operate: collect who is concerned, and ask about each.
 */
#include "config.h"

#include "bus/operate.h"

#include <string.h>

#include "bus/internal.h"
#include "bus/terms.h"
#include "model/name.h"

/* What a call does beyond the service that it names. */
typedef struct Reach {
	bool stops;  /* those that cannot be without it */
	bool starts; /* so what conflicts with it is stopped */
} Reach;

static Reach reach_of(DBusMessage *call)
{
	const char *method = dbus_message_get_member(call);
	DBusMessageIter in;
	dbus_bool_t with_dependents = FALSE;

	if (strcmp(method, "Restart") == 0)
		return (Reach){ .stops = true, .starts = true };
	if (strcmp(method, "Start") == 0)
		return (Reach){ .starts = true };
	dbus_message_iter_init(call, &in);
	if (strcmp(method, "Stop") == 0 && dbus_message_iter_next(&in))
		dbus_message_iter_get_basic(&in, &with_dependents);
	return (Reach){ .stops = with_dependents }; /* without that it is refused while there are dependents */
}

static bool names_it(const Engine *engine, const GPtrArray *refs, const Service *service)
{
	for (guint i = 0; i < refs->len; i++) {
		if (terms_find_service(engine, ((const NameRef *)g_ptr_array_index(refs, i))->name) == service)
			return true;
	}
	return false;
}

static void add_new(GPtrArray *names, const char *name)
{
	if (!g_ptr_array_find_with_equal_func(names, name, g_str_equal, NULL))
		g_ptr_array_add(names, (char *)name);
}

static void add_conflicts(GPtrArray *names, const Engine *engine, const Service *service)
{
	const GPtrArray *all = engine_services(engine);

	for (guint i = 0; i < all->len; i++) {
		const Service *other = g_ptr_array_index(all, i);

		if ((service_is_up(other) || other->state == STATE_STARTING) &&
		    (names_it(engine, service->def->conflicts, other) ||
		     names_it(engine, other->def->conflicts, service)))
			add_new(names, other->def->name);
	}
}

/* To the end of the chain; the array grows as it is walked. */
static void add_dependents(GPtrArray *names, const Engine *engine)
{
	for (guint i = 0; i < names->len; i++) {
		const Service *service = engine_find(engine, g_ptr_array_index(names, i));
		g_autoptr(GPtrArray) dependents = service ? terms_dependents(engine, service) : g_ptr_array_new();

		for (guint j = 0; j < dependents->len; j++)
			add_new(names, g_ptr_array_index(dependents, j));
	}
}

static bool operates(const Bus *bus, const BusClient *client, const char *name)
{
	return bus_ops(bus)->is_operator(bus_ops_data(bus), name, (const gid_t *)(const void *)client->groups->data,
					 client->groups->len);
}

/* What an instance of a template conflicts with is known when its file has been read. */
static const Service *make_known(const Bus *bus, const Engine *engine, const BusClient *client, const char *name)
{
	const Service *service = terms_find_service(engine, name);

	if (service || !operates(bus, client, name))
		return service;
	bus_ops(bus)->add_instance(bus_ops_data(bus), name);
	return terms_find_service(engine, name);
}

bool operate_is_allowed(const Bus *bus, const Engine *engine, const BusClient *client, DBusMessage *call)
{
	const Reach reach = reach_of(call);
	g_autoptr(GPtrArray) names = g_ptr_array_new();
	const Service *service;
	DBusMessageIter in;
	const char *name;

	dbus_message_iter_init(call, &in);
	dbus_message_iter_get_basic(&in, &name);
	if (!client->groups || !name_check_service(name, NULL))
		return false;
	service = reach.starts ? make_known(bus, engine, client, name) : terms_find_service(engine, name);
	g_ptr_array_add(names, service ? service->def->name : (char *)name);
	if (service && reach.starts)
		add_conflicts(names, engine, service);
	if (reach.stops || names->len > 1)
		add_dependents(names, engine);
	for (guint i = 0; i < names->len; i++) {
		if (!operates(bus, client, g_ptr_array_index(names, i)))
			return false;
	}
	return true;
}
