/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * D-Bus names: levels and reasons from bus-owner.c, and the ignored connections.
 */
#include "config.h"

#include "providers/dbus-name.h"

#include "providers/bus-owner.h"

typedef struct DbusNameProvider {
	Provider base; /* first, because the two are cast into each other */
	ProviderSink sink;
	SystemBus *bus;
	BusOwners *owners;
	GHashTable *names; /* interned key -> BusName, owned */
	GHashTable *stand_ins; /* unique name -> StandIn, owned */
} DbusNameProvider;

typedef struct BusName {
	DbusNameProvider *provider;
	const char *key;
	BusOwner *owner;
} BusName;

/* A connection that is ignored while it exists. */
typedef struct StandIn {
	DbusNameProvider *provider;
	char *unique_name;
	BusOwner *owner; /* watches the connection's own name, to see whether it still exists */
} StandIn;

static void bus_name_free(gpointer data)
{
	BusName *name = data;

	bus_owner_free(name->owner);
	g_free(name);
}

static void stand_in_free(gpointer data)
{
	StandIn *stand_in = data;

	bus_owner_free(stand_in->owner);
	g_free(stand_in->unique_name);
	g_free(stand_in);
}

static void report_false(BusName *name)
{
	g_autofree char *why =
		g_strdup_printf("has no owner on the %s bus", system_bus_kind(name->provider->bus));

	provider_report(&name->provider->sink, name->key, LEVEL_FALSE, why);
}

static void bus_name_report(BusName *name)
{
	const ProviderSink *sink = &name->provider->sink;
	const char *unique_name = bus_owner_unique_name(name->owner);
	g_autofree char *why = NULL;

	switch (bus_owner_level(name->owner)) {
	case LEVEL_TRUE:
		if (g_hash_table_contains(name->provider->stand_ins, unique_name)) {
			report_false(name);
			return;
		}
		why = g_strdup_printf("owned by %s", unique_name);
		provider_report(sink, name->key, LEVEL_TRUE, why);
		return;
	case LEVEL_FALSE:
		report_false(name);
		return;
	case LEVEL_UNKNOWN:
	case LEVEL_COUNT:
		provider_report(sink, name->key, LEVEL_UNKNOWN, bus_owner_why_unknown(name->owner));
		return;
	}
}

static void on_owner_changed(void *data)
{
	bus_name_report(data);
}

/*
 * A subscriber that subscribes again waits for a service that has just been started again
 * (Ready=dbus:). The known owner may belong to the previous run, so the bus is asked.
 */
static void dbus_name_subscribe(Provider *provider, const char *key)
{
	DbusNameProvider *names = (DbusNameProvider *)provider;
	BusName *name = g_hash_table_lookup(names->names, key);

	if (name && bus_owner_level(name->owner) != LEVEL_UNKNOWN) {
		bus_owner_query(name->owner);
		return;
	}
	if (!name) {
		name = g_new0(BusName, 1);
		name->provider = names;
		name->key = key;
		name->owner =
			bus_owner_new(names->owners, key_argument(key), on_owner_changed, name);
		g_hash_table_insert(names->names, (gpointer)key, name);
	}
	bus_name_report(name);
}

static void dbus_name_unsubscribe(Provider *provider, const char *key)
{
	g_hash_table_remove(((DbusNameProvider *)provider)->names, key);
}

static void dbus_name_free(Provider *provider)
{
	DbusNameProvider *names = (DbusNameProvider *)provider;

	g_hash_table_unref(names->names);
	g_hash_table_unref(names->stand_ins);
	bus_owners_free(names->owners);
	g_free(names);
}

Provider *dbus_name_provider_new(const ProviderSink *sink, SystemBus *bus)
{
	DbusNameProvider *names = g_new0(DbusNameProvider, 1);

	names->base = (Provider){ .subscribe = dbus_name_subscribe,
				  .unsubscribe = dbus_name_unsubscribe,
				  .free = dbus_name_free };
	names->sink = *sink;
	names->bus = bus;
	names->owners = bus_owners_new(bus);
	names->names = g_hash_table_new_full(NULL, NULL, NULL, bus_name_free);
	names->stand_ins = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, stand_in_free);
	return &names->base;
}

/* --- name holders that are ignored --- */

/* If the connection or the bus is gone, the names of the connection have another owner, or none. */
static void on_stand_in_changed(void *data)
{
	StandIn *stand_in = data;

	if (bus_owner_level(stand_in->owner) != LEVEL_TRUE)
		g_hash_table_remove(stand_in->provider->stand_ins, stand_in->unique_name);
}

static void report_names_of(DbusNameProvider *names, const char *unique_name)
{
	GHashTableIter iter;
	gpointer name;

	g_hash_table_iter_init(&iter, names->names);
	while (g_hash_table_iter_next(&iter, NULL, &name)) {
		if (g_strcmp0(bus_owner_unique_name(((BusName *)name)->owner), unique_name) == 0)
			bus_name_report(name);
	}
}

void dbus_name_provider_ignore(Provider *provider, const char *unique_name)
{
	DbusNameProvider *names = (DbusNameProvider *)provider;
	StandIn *stand_in;

	/*
	 * A name that is already watched must not be watched twice, and other texts must not get
	 * into a match rule.
	 */
	if (*unique_name != ':' || !dbus_validate_bus_name(unique_name, NULL) ||
	    g_hash_table_contains(names->stand_ins, unique_name))
		return;
	stand_in = g_new0(StandIn, 1);
	stand_in->provider = names;
	stand_in->unique_name = g_strdup(unique_name);
	stand_in->owner = bus_owner_new(names->owners, unique_name, on_stand_in_changed, stand_in);
	g_hash_table_insert(names->stand_ins, stand_in->unique_name, stand_in);
	report_names_of(names, unique_name);
}
