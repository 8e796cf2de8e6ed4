/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Flag owners: see flag-owner.h.
 */
#include "config.h"

#include "providers/flag-owner.h"

#include <string.h>

#include "loop/wire.h"
#include "providers/bus-owner.h"

/* The bus answers at once. Otherwise it is asked again after the next connection. */
#define ANSWER_US (25 * G_USEC_PER_SEC)

typedef struct OwnedName {
	FlagOwners *owners;
	char *bus_name;
	BusOwner *owner;
	unsigned n_watchers;
} OwnedName;

struct FlagOwners {
	SystemBus *bus;
	BusOwners *names;
	unsigned listener;
	unsigned pending_query; /* GetId in flight, 0: none */
	char *bus_id; /* "" while it is not known */
	GHashTable *entries; /* bus name -> OwnedName, owned */
	void (*changed)(void *data, const char *bus_name);
	void *data;
};

static void entry_free(gpointer data)
{
	OwnedName *entry = data;

	bus_owner_free(entry->owner);
	g_free(entry->bus_name);
	g_free(entry);
}

static void on_owner_changed(void *data)
{
	OwnedName *entry = data;
	g_autofree char *bus_name = g_strdup(entry->bus_name); /* the entry may be freed */

	entry->owners->changed(entry->owners->data, bus_name);
}

/* --- the identity of the bus --- */

static void set_bus_id(FlagOwners *owners, const char *bus_id)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
	GHashTableIter iter;
	gpointer name;

	if (strcmp(owners->bus_id, bus_id) == 0)
		return;
	g_free(owners->bus_id);
	owners->bus_id = g_strdup(bus_id);
	g_hash_table_iter_init(&iter, owners->entries);
	while (g_hash_table_iter_next(&iter, &name, NULL))
		g_ptr_array_add(names, g_strdup(name));
	for (guint i = 0; i < names->len; i++)
		owners->changed(owners->data, g_ptr_array_index(names, i));
}

static void on_bus_id(void *data, DBusMessage *reply)
{
	FlagOwners *owners = data;
	const char *bus_id = "";

	owners->pending_query = 0;
	if (reply && dbus_message_get_type(reply) == DBUS_MESSAGE_TYPE_METHOD_RETURN &&
	    dbus_message_get_args(reply, NULL, DBUS_TYPE_STRING, &bus_id, DBUS_TYPE_INVALID))
		set_bus_id(owners, bus_id);
}

static void forget_question(FlagOwners *owners)
{
	if (owners->pending_query)
		system_bus_cancel(owners->bus, owners->pending_query);
	owners->pending_query = 0;
}

static void on_connected(void *data)
{
	FlagOwners *owners = data;
	DBusMessage *call = wire_must(dbus_message_new_method_call(
		DBUS_SERVICE_DBUS, DBUS_PATH_DBUS, DBUS_INTERFACE_DBUS, "GetId"));

	forget_question(owners);
	owners->pending_query = system_bus_call(owners->bus, call, ANSWER_US, on_bus_id, owners);
	dbus_message_unref(call);
}

static void on_disconnected(void *data)
{
	FlagOwners *owners = data;

	forget_question(owners);
	set_bus_id(owners, "");
}

/* --- queries --- */

Level flag_owners_level(const FlagOwners *owners, const char *bus_name, const char *unique_name,
			const char *bus_id)
{
	const OwnedName *entry = g_hash_table_lookup(owners->entries, bus_name);

	if (!*owners->bus_id || !entry || bus_owner_level(entry->owner) == LEVEL_UNKNOWN)
		return LEVEL_UNKNOWN;
	if (strcmp(owners->bus_id, bus_id) != 0 || bus_owner_level(entry->owner) == LEVEL_FALSE)
		return LEVEL_FALSE;
	return strcmp(bus_owner_unique_name(entry->owner), unique_name) == 0 ? LEVEL_TRUE :
									       LEVEL_FALSE;
}

const char *flag_owners_bus_id(const FlagOwners *owners)
{
	return owners->bus_id;
}

/* --- life --- */

FlagOwners *flag_owners_new(SystemBus *bus, void (*changed)(void *data, const char *bus_name),
			    void *data)
{
	static const SystemBusListener listener = { .connected = on_connected,
						    .disconnected = on_disconnected };
	FlagOwners *owners = g_new0(FlagOwners, 1);

	owners->bus = bus;
	owners->names = bus_owners_new(bus);
	owners->bus_id = g_strdup("");
	owners->entries = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, entry_free);
	owners->changed = changed;
	owners->data = data;
	owners->listener = system_bus_add_listener(bus, &listener, owners);
	return owners;
}

void flag_owners_free(FlagOwners *owners)
{
	system_bus_remove_listener(owners->bus, owners->listener);
	forget_question(owners);
	g_hash_table_unref(owners->entries);
	bus_owners_free(owners->names);
	g_free(owners->bus_id);
	g_free(owners);
}

void flag_owners_watch(FlagOwners *owners, const char *bus_name)
{
	OwnedName *entry = g_hash_table_lookup(owners->entries, bus_name);

	if (!entry) {
		entry = g_new0(OwnedName, 1);
		entry->owners = owners;
		entry->bus_name = g_strdup(bus_name);
		entry->owner = bus_owner_new(owners->names, bus_name, on_owner_changed, entry);
		g_hash_table_insert(owners->entries, entry->bus_name, entry);
	}
	entry->n_watchers++;
}

void flag_owners_unwatch(FlagOwners *owners, const char *bus_name)
{
	OwnedName *entry = g_hash_table_lookup(owners->entries, bus_name);

	if (--entry->n_watchers == 0)
		g_hash_table_remove(owners->entries, bus_name);
}
