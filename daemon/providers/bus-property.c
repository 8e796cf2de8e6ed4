/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Bus properties. A Peer is the owner of a name, and a BusProperty is one property of its objects.
 * All watchers of a property share it.
 *
 * Matches are set first, then the owner of the name is requested, then the property. A value in a
 * signal is used directly, because it comes from the same sender, in order with the answers.
 */
#include "config.h"

#include "providers/bus-property.h"

#include <string.h>

#include "base/limits.h"
#include "providers/bus-owner.h"
#include "providers/bus-question.h"

#define RULE_ANY_PROPERTIES \
	"type='signal',interface='" DBUS_INTERFACE_PROPERTIES "',member='PropertiesChanged'"
#define RULE_ANY_OBJECTS "type='signal',interface='org.freedesktop.DBus.ObjectManager'"

static const char why_not_yet[] = "its owner has not answered yet";

struct BusProperties {
	SystemBus *bus;
	BusPropertyFunc changed;
	unsigned listener;
	BusOwners *owners;
	BusQuestions *questions;
	GHashTable *peers; /* name -> Peer, owned */
	GHashTable *properties; /* "NAME PATH INTERFACE.PROPERTY" -> BusProperty, owned */
	GHashTable *by_path; /* path -> GPtrArray of BusProperty *, borrowed */
	unsigned n_rules; /* properties with their own matches */
	unsigned n_general; /* properties that share the matches for all */
};

typedef struct PropertyPeer {
	BusProperties *all;
	char *name;
	char *why_none; /* "NAME has no owner on the system bus" */
	BusOwner *owner;
	/* unique name of the connection that was asked for the properties; NULL: none */
	char *queried_owner;
	GPtrArray *properties; /* BusProperty *, borrowed */
} PropertyPeer;

struct BusProperty {
	PropertyPeer *peer;
	char *id; /* the key in the hash table */
	char *path;
	char *interface;
	char *member;
	char *rules[2]; /* NULL: covered by the matches for all */
	GPtrArray *watchers; /* borrowed */

	Level level; /* true: @value is known; false: there is none; unknown */
	BusValue value;
	char *why; /* unless there is a value */
	BusQuestion *question;
};

/* --- levels --- */

static void property_report(BusProperty *property)
{
	for (guint i = 0; i < property->watchers->len; i++)
		property->peer->all->changed(g_ptr_array_index(property->watchers, i));
}

/* Takes @value. */
static void property_set_value(BusProperty *property, BusValue *value)
{
	bus_value_clear(&property->value);
	property->value = *value;
	property->level = LEVEL_TRUE;
	bus_question_settle(property->question);
	property_report(property);
}

static void property_set_none(BusProperty *property, Level level, const char *why)
{
	g_autofree char *before = property->why;

	bus_value_clear(&property->value);
	property->level = level;
	property->why = g_strdup(why);
	property_report(property);
}

/* --- calls --- */

static void on_answer(void *data, Level level, BusValue *value, const char *why)
{
	if (level == LEVEL_TRUE)
		property_set_value(data, value);
	else
		property_set_none(data, level, why);
}

static void property_query(BusProperty *property)
{
	if (property->peer->queried_owner)
		bus_question_query(property->question, property->peer->queried_owner);
}

static void property_forget(BusProperty *property, Level level, const char *why)
{
	bus_question_forget(property->question);
	property_set_none(property, level, why);
}

/* --- owners --- */

static void peer_look(PropertyPeer *peer, BusProperty *property)
{
	switch (bus_owner_level(peer->owner)) {
	case LEVEL_TRUE:
		property_forget(property, LEVEL_UNKNOWN, why_not_yet);
		property_query(property);
		return;
	case LEVEL_FALSE:
		property_forget(property, LEVEL_FALSE, peer->why_none);
		return;
	case LEVEL_UNKNOWN:
	case LEVEL_COUNT:
		property_forget(property, LEVEL_UNKNOWN, bus_owner_why_unknown(peer->owner));
		return;
	}
}

static void on_owner_changed(void *data)
{
	PropertyPeer *peer = data;
	const char *unique_name = bus_owner_unique_name(peer->owner);

	if (unique_name && g_strcmp0(unique_name, peer->queried_owner) == 0)
		return; /* reported twice: by the answer and by a signal */
	g_free(peer->queried_owner);
	peer->queried_owner = g_strdup(unique_name);
	for (guint i = 0; i < peer->properties->len; i++)
		peer_look(peer, g_ptr_array_index(peer->properties, i));
}

/* --- signals --- */

static void property_take_change(BusProperty *property, const DBusMessageIter *changed)
{
	BusValue value;

	switch (bus_change_find(changed, property->member, &value)) {
	case BUS_CHANGE_VALUE:
		property_set_value(property, &value);
		break;
	case BUS_CHANGE_INVALID:
		property_query(property);
		break;
	case BUS_CHANGE_NONE:
		break;
	}
}

static bool property_is_from(const BusProperty *property, const char *sender)
{
	return g_strcmp0(property->peer->queried_owner, sender) == 0;
}

static void on_properties_changed(BusProperties *all, DBusMessage *message)
{
	const char *path = dbus_message_get_path(message);
	GPtrArray *there = path ? g_hash_table_lookup(all->by_path, path) : NULL;
	DBusMessageIter start;
	const char *interface;

	if (!there || !dbus_message_has_signature(message, "sa{sv}as") ||
	    !dbus_message_iter_init(message, &start))
		return;
	dbus_message_iter_get_basic(&start, &interface);
	dbus_message_iter_next(&start);
	for (guint i = 0; i < there->len; i++) {
		BusProperty *property = g_ptr_array_index(there, i);

		if (property_is_from(property, dbus_message_get_sender(message)) &&
		    strcmp(property->interface, interface) == 0)
			property_take_change(property, &start);
	}
}

/*
 * InterfacesAdded(o, ...) and InterfacesRemoved(o, ...): the object has appeared, or has lost
 * interfaces.
 */
static void on_interfaces_changed(BusProperties *all, DBusMessage *message)
{
	DBusMessageIter iter;
	const char *path;
	GPtrArray *there;

	if (!dbus_message_iter_init(message, &iter) ||
	    dbus_message_iter_get_arg_type(&iter) != DBUS_TYPE_OBJECT_PATH)
		return;
	dbus_message_iter_get_basic(&iter, &path);
	there = g_hash_table_lookup(all->by_path, path);
	for (guint i = 0; there && i < there->len; i++) {
		BusProperty *property = g_ptr_array_index(there, i);

		if (property_is_from(property, dbus_message_get_sender(message)))
			property_query(property);
	}
}

static void on_message(void *data, DBusMessage *message)
{
	static const char objects[] = "org.freedesktop.DBus.ObjectManager";

	if (dbus_message_is_signal(message, DBUS_INTERFACE_PROPERTIES, "PropertiesChanged"))
		on_properties_changed(data, message);
	else if (dbus_message_is_signal(message, objects, "InterfacesAdded") ||
		 dbus_message_is_signal(message, objects, "InterfacesRemoved"))
		on_interfaces_changed(data, message);
}

/* --- matches --- */

/*
 * As with names (bus-owner.c), properties have their own matches up to a limit. Above it, two
 * matches receive everything.
 */
static void add_matches(BusProperties *all, BusProperty *property)
{
	if (all->n_rules >= LIMIT_BUS_RULES) {
		if (all->n_general++ == 0) {
			system_bus_add_match(all->bus, RULE_ANY_PROPERTIES);
			system_bus_add_match(all->bus, RULE_ANY_OBJECTS);
		}
		return;
	}
	all->n_rules++;
	property->rules[0] = g_strdup_printf(RULE_ANY_PROPERTIES ",sender='%s',path='%s',arg0='%s'",
					     property->peer->name, property->path,
					     property->interface);
	/* Not arg0: the argument is an object path, which only arg0path matches. */
	property->rules[1] = g_strdup_printf(RULE_ANY_OBJECTS ",sender='%s',arg0path='%s'",
					     property->peer->name, property->path);
	for (size_t i = 0; i < G_N_ELEMENTS(property->rules); i++)
		system_bus_add_match(all->bus, property->rules[i]);
}

static void remove_matches(BusProperties *all, BusProperty *property)
{
	if (property->rules[0]) {
		all->n_rules--;
		for (size_t i = 0; i < G_N_ELEMENTS(property->rules); i++)
			system_bus_remove_match(all->bus, property->rules[i]);
	} else if (--all->n_general == 0) {
		system_bus_remove_match(all->bus, RULE_ANY_PROPERTIES);
		system_bus_remove_match(all->bus, RULE_ANY_OBJECTS);
	}
	for (size_t i = 0; i < G_N_ELEMENTS(property->rules); i++)
		g_free(property->rules[i]);
}

/* --- life of the parts --- */

static void watched_peer_free(gpointer data)
{
	PropertyPeer *peer = data;

	bus_owner_free(peer->owner);
	g_ptr_array_unref(peer->properties);
	g_free(peer->queried_owner);
	g_free(peer->why_none);
	g_free(peer->name);
	g_free(peer);
}

static PropertyPeer *peer_get(BusProperties *all, const char *name)
{
	PropertyPeer *peer = g_hash_table_lookup(all->peers, name);

	if (peer)
		return peer;
	peer = g_new0(PropertyPeer, 1);
	peer->all = all;
	peer->name = g_strdup(name);
	peer->why_none =
		g_strdup_printf("%s has no owner on the %s bus", name, system_bus_kind(all->bus));
	peer->properties = g_ptr_array_new();
	peer->owner = bus_owner_new(all->owners, name, on_owner_changed, peer);
	g_hash_table_insert(all->peers, peer->name, peer);
	return peer;
}

static void property_free(gpointer data)
{
	BusProperty *property = data;

	bus_question_free(property->question);
	g_free(property->id);
	g_free(property->path);
	g_free(property->interface);
	g_free(property->member);
	g_ptr_array_unref(property->watchers);
	bus_value_clear(&property->value);
	g_free(property->why);
	g_free(property);
}

static BusProperty *property_new(PropertyPeer *peer, const char *path, const char *whole_name)
{
	BusProperties *all = peer->all;
	BusProperty *property = g_new0(BusProperty, 1);
	const char *dot = strrchr(whole_name, '.');
	GPtrArray *there = g_hash_table_lookup(all->by_path, path);

	property->peer = peer;
	property->id = g_strjoin(" ", peer->name, path, whole_name, NULL);
	property->path = g_strdup(path);
	property->interface = g_strndup(whole_name, (gsize)(dot - whole_name));
	property->member = g_strdup(dot + 1);
	property->watchers = g_ptr_array_new();
	property->question = bus_question_new(all->questions, property->path, property->interface,
					      property->member, property);
	property->level = LEVEL_UNKNOWN;
	if (!there) {
		there = g_ptr_array_new();
		g_hash_table_insert(all->by_path, g_strdup(path), there);
	}
	g_ptr_array_add(there, property);
	g_ptr_array_add(peer->properties, property);
	g_hash_table_insert(all->properties, property->id, property);
	add_matches(all, property);
	return property;
}

/* Removes @property from all tables, and its peer as well if this was the peer's last property. */
static void property_remove(BusProperties *all, BusProperty *property)
{
	GPtrArray *there = g_hash_table_lookup(all->by_path, property->path);
	PropertyPeer *peer = property->peer;

	remove_matches(all, property);
	g_ptr_array_remove_fast(there, property);
	if (there->len == 0)
		g_hash_table_remove(all->by_path, property->path);
	g_ptr_array_remove_fast(peer->properties, property);
	g_hash_table_remove(all->properties, property->id);
	if (peer->properties->len == 0)
		g_hash_table_remove(all->peers, peer->name);
}

static BusProperty *property_get(BusProperties *all, const char *name, const char *path,
				 const char *whole_name)
{
	g_autofree char *id = g_strjoin(" ", name, path, whole_name, NULL);
	BusProperty *property = g_hash_table_lookup(all->properties, id);

	if (!property) {
		property = property_new(peer_get(all, name), path, whole_name);
		peer_look(property->peer, property);
	}
	return property;
}

/* --- for watchers --- */

BusProperty *bus_property_watch(BusProperties *all, const char *name, const char *path,
				const char *whole_name, void *watcher)
{
	BusProperty *property = property_get(all, name, path, whole_name);

	g_ptr_array_add(property->watchers, watcher);
	return property;
}

void bus_property_unwatch(BusProperty *property, void *watcher)
{
	g_ptr_array_remove_fast(property->watchers, watcher);
	if (property->watchers->len == 0)
		property_remove(property->peer->all, property);
}

Level bus_property_level(const BusProperty *property)
{
	return property->level;
}

const char *bus_property_why(const BusProperty *property)
{
	return property->why;
}

const BusValue *bus_property_value(const BusProperty *property)
{
	return &property->value;
}

const char *bus_property_member(const BusProperty *property)
{
	return property->member;
}

/* --- life --- */

BusProperties *bus_properties_new(SystemBus *bus, BusPropertyFunc changed)
{
	static const SystemBusListener listener = { .message = on_message };
	BusProperties *all = g_new0(BusProperties, 1);

	all->bus = bus;
	all->changed = changed;
	all->owners = bus_owners_new(bus);
	all->questions = bus_questions_new(bus, on_answer);
	all->peers = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, watched_peer_free);
	all->properties = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, property_free);
	all->by_path = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
					     (GDestroyNotify)g_ptr_array_unref);
	all->listener = system_bus_add_listener(bus, &listener, all);
	return all;
}

void bus_properties_free(BusProperties *all)
{
	system_bus_remove_listener(all->bus, all->listener);
	bus_owners_free(all->owners);
	g_hash_table_unref(all->properties);
	g_hash_table_unref(all->peers);
	g_hash_table_unref(all->by_path);
	bus_questions_free(all->questions);
	g_free(all);
}
