/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * D-Bus properties. A Peer is the owner of a name, a Property one of the properties of its objects, and a Comparison a
 * condition on it; conditions on one property share it. Matches are set first, then the owner of the name is asked for,
 * then the property. What a signal brings is taken as it is: it comes from the same sender, in order with the answers.
 */
#include "config.h"

#include "providers/dbus-property.h"

#include <string.h>

#include "base/limits.h"
#include "base/text.h"
#include "loop/loop.h"
#include "loop/wire.h"
#include "providers/bus-owner.h"
#include "providers/bus-value.h"

/* As long as D-Bus libraries wait by themselves. */
#define ANSWER_US (25 * G_USEC_PER_SEC)

/* A question without a good answer is repeated after this, then after twice as much ... */
#define RETRY_FIRST_US G_USEC_PER_SEC
#define RETRY_MAX_US (64 * G_USEC_PER_SEC)

/*
 * A service that says "no such object" may just not be so far; after this many repetitions (about two minutes) only its
 * signals make us ask again.
 */
#define REFUSALS_MAX 8

/* Of an error's text this much is shown. */
#define ERROR_BYTES 200

#define RULE_ANY_PROPERTIES "type='signal',interface='" DBUS_INTERFACE_PROPERTIES "',member='PropertiesChanged'"
#define RULE_ANY_OBJECTS "type='signal',interface='org.freedesktop.DBus.ObjectManager'"

static const char why_not_yet[] = "its owner has not answered yet";

typedef struct PropertyProvider {
	Provider base; /* first: the two are cast into each other */
	ProviderSink sink;
	SystemBus *bus;
	unsigned listener;
	BusOwners *owners;
	GHashTable *comparisons; /* interned key -> Comparison, owned */
	GHashTable *peers;       /* name -> Peer, owned */
	GHashTable *properties;  /* "NAME PATH INTERFACE.PROPERTY" -> Property, owned */
	GHashTable *by_path;     /* path -> GPtrArray of Property *, borrowed */
	unsigned n_rules;        /* properties with matches of their own */
	unsigned n_general;      /* properties that share the matches for all */
	unsigned n_calls;
	GQueue to_ask;           /* Property *, while LIMIT_BUS_CALLS are asked */
} PropertyProvider;

typedef struct Peer {
	PropertyProvider *provider;
	char *name;
	char *why_none;        /* "NAME has no owner on the system bus" */
	BusOwner *owner;
	char *asked;           /* unique name that the properties were asked of; NULL: none */
	GPtrArray *properties; /* Property *, borrowed */
} Peer;

typedef struct Property {
	Peer *peer;
	char *id;          /* the key in the hash table */
	char *path;
	char *interface;
	char *member;
	char *rules[2];    /* NULL: the matches for all stand for them */
	GPtrArray *comparisons; /* Comparison *, borrowed */

	Level level;       /* true: @value is known; false: there is none; unknown */
	BusValue value;
	char *why;         /* unless there is a value */

	unsigned call;     /* the question in flight, 0: none */
	bool must_ask;     /* and its answer may be old already */
	bool is_queued;    /* in to_ask */
	unsigned n_tries;  /* without a good answer */
	Timer *retry;      /* NULL: all is well */
} Property;

typedef struct Comparison {
	const char *key;
	Property *property;
	KeyOperator operator;
	char *word;
	Level level;
	char *why; /* NULL: nothing reported yet */
} Comparison;

static void property_ask(Property *property);

/* --- levels --- */

/* Owners and other properties may change often without a word that is new to this condition. */
static void comparison_report(Comparison *comparison, bool always)
{
	const Property *property = comparison->property;
	g_autofree char *why = NULL;
	Level level = property->level;

	if (level == LEVEL_TRUE)
		level = bus_value_compare(&property->value, comparison->operator, comparison->word, property->member, &why)
				? LEVEL_TRUE : LEVEL_FALSE;
	else
		why = g_strdup(property->why);
	if (!always && level == comparison->level && g_strcmp0(why, comparison->why) == 0)
		return;
	comparison->level = level;
	g_free(comparison->why);
	comparison->why = g_steal_pointer(&why);
	provider_report(&property->peer->provider->sink, comparison->key, level, comparison->why);
}

static void property_report(Property *property)
{
	for (guint i = 0; i < property->comparisons->len; i++)
		comparison_report(g_ptr_array_index(property->comparisons, i), false);
}

/* Takes @value. */
static void property_set_value(Property *property, BusValue *value)
{
	bus_value_clear(&property->value);
	property->value = *value;
	property->level = LEVEL_TRUE;
	property->n_tries = 0;
	g_clear_pointer(&property->retry, timer_free);
	property_report(property);
}

static void property_set_none(Property *property, Level level, const char *why)
{
	g_autofree char *before = property->why;

	bus_value_clear(&property->value);
	property->level = level;
	property->why = g_strdup(why);
	property_report(property);
}

/* --- asking --- */

static void on_retry(void *data)
{
	property_ask(data);
}

static void ask_later(Property *property)
{
	const int64_t delay_us = MIN(RETRY_FIRST_US << MIN(property->n_tries, 6u), RETRY_MAX_US);

	property->n_tries++;
	if (!property->retry)
		property->retry = timer_new(on_retry, property);
	timer_arm(property->retry, loop_now() + delay_us);
}

/* Errors that say nothing about the property, but that the question was not answered. */
static bool is_silence(DBusMessage *reply)
{
	static const char *const names[] = { DBUS_ERROR_NO_REPLY, DBUS_ERROR_TIMEOUT, DBUS_ERROR_TIMED_OUT,
					     DBUS_ERROR_LIMITS_EXCEEDED, DBUS_ERROR_NO_MEMORY, DBUS_ERROR_DISCONNECTED };

	for (size_t i = 0; reply && i < G_N_ELEMENTS(names); i++) {
		if (dbus_message_is_error(reply, names[i]))
			return true;
	}
	return !reply;
}

static char *error_words(DBusMessage *reply)
{
	const char *text = "its owner's answer holds no value";
	char *shown;

	if (dbus_message_get_type(reply) == DBUS_MESSAGE_TYPE_ERROR &&
	    (!dbus_message_get_args(reply, NULL, DBUS_TYPE_STRING, &text, DBUS_TYPE_INVALID) || !*text))
		text = dbus_message_get_error_name(reply);
	shown = text_escape_terminal(text);
	if (strlen(shown) > ERROR_BYTES)
		*g_utf8_find_prev_char(shown, shown + ERROR_BYTES + 1) = '\0';
	return shown;
}

static void property_refused(Property *property, DBusMessage *reply)
{
	g_autofree char *why = error_words(reply);

	if (property->n_tries < REFUSALS_MAX)
		ask_later(property);
	property_set_none(property, LEVEL_FALSE, why);
}

static void property_answered(Property *property, DBusMessage *reply)
{
	DBusMessageIter iter;
	BusValue value;

	if (is_silence(reply)) {
		ask_later(property);
		property_set_none(property, LEVEL_UNKNOWN, "its owner does not answer");
	} else if (!dbus_message_has_signature(reply, "v") || !dbus_message_iter_init(reply, &iter)) {
		property_refused(property, reply);
	} else {
		bus_value_read(&iter, &value);
		property_set_value(property, &value);
	}
}

static void ask_next(PropertyProvider *provider);

/* An answer that may be old is better than none: a property that changes all the time would never be known. */
static void on_answer(void *data, DBusMessage *reply)
{
	Property *property = data;
	PropertyProvider *provider = property->peer->provider;
	const bool must_ask = property->must_ask;

	property->call = 0;
	property->must_ask = false;
	provider->n_calls--;
	if (reply || system_bus_is_connected(provider->bus)) /* else the owner is lost in a moment, too */
		property_answered(property, reply);
	if (must_ask)
		property_ask(property);
	ask_next(provider);
}

/* Returns: false when there is no bus; then the owner is lost in a moment, too. */
static bool property_send(Property *property)
{
	DBusMessage *call = wire_must(dbus_message_new_method_call(property->peer->asked, property->path,
								   DBUS_INTERFACE_PROPERTIES, "Get"));
	DBusMessageIter out;

	dbus_message_set_auto_start(call, FALSE);
	dbus_message_iter_init_append(call, &out);
	wire_string(&out, property->interface);
	wire_string(&out, property->member);
	property->call = system_bus_call(property->peer->provider->bus, call, ANSWER_US, on_answer, property);
	dbus_message_unref(call);
	return property->call > 0;
}

static void ask_next(PropertyProvider *provider)
{
	Property *property;

	while (provider->n_calls < LIMIT_BUS_CALLS && (property = g_queue_pop_head(&provider->to_ask))) {
		property->is_queued = false;
		if (property_send(property))
			provider->n_calls++;
	}
}

static void forget_question(Property *property)
{
	PropertyProvider *provider = property->peer->provider;

	if (property->call) {
		system_bus_cancel(provider->bus, property->call);
		property->call = 0;
		provider->n_calls--;
	}
	property->must_ask = false;
	if (property->is_queued)
		g_queue_remove(&provider->to_ask, property);
	property->is_queued = false;
}

/* A question in flight may have been answered before what makes us ask now; one that is not sent yet was not. */
static void property_ask(Property *property)
{
	property->must_ask = property->call > 0;
	if (!property->peer->asked || property->call > 0 || property->is_queued)
		return;
	property->is_queued = true;
	g_queue_push_tail(&property->peer->provider->to_ask, property);
	ask_next(property->peer->provider);
}

static void property_forget(Property *property, Level level, const char *why)
{
	forget_question(property);
	property->n_tries = 0;
	g_clear_pointer(&property->retry, timer_free);
	property_set_none(property, level, why);
}

/* --- owners --- */

static void peer_look(Peer *peer, Property *property)
{
	switch (bus_owner_level(peer->owner)) {
	case LEVEL_TRUE:
		property_forget(property, LEVEL_UNKNOWN, why_not_yet);
		property_ask(property);
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
	Peer *peer = data;
	const char *unique_name = bus_owner_unique_name(peer->owner);

	if (unique_name && g_strcmp0(unique_name, peer->asked) == 0)
		return; /* told twice: by the answer and by a signal */
	g_free(peer->asked);
	peer->asked = g_strdup(unique_name);
	for (guint i = 0; i < peer->properties->len; i++)
		peer_look(peer, g_ptr_array_index(peer->properties, i));
}

/* --- signals --- */

/* Is the iterator at the name of this member? */
static bool entry_is(DBusMessageIter *entry, const char *member)
{
	const char *name;

	if (dbus_message_iter_get_arg_type(entry) != DBUS_TYPE_STRING)
		return false;
	dbus_message_iter_get_basic(entry, &name);
	return strcmp(name, member) == 0;
}

/* PropertiesChanged(s interface, a{sv} changed, as invalidated); @iter is at "changed". */
static void property_take_changes(Property *property, DBusMessageIter *iter)
{
	DBusMessageIter list;

	for (dbus_message_iter_recurse(iter, &list); dbus_message_iter_get_arg_type(&list) == DBUS_TYPE_DICT_ENTRY;
	     dbus_message_iter_next(&list)) {
		DBusMessageIter entry;
		BusValue value;

		dbus_message_iter_recurse(&list, &entry);
		if (!entry_is(&entry, property->member))
			continue;
		dbus_message_iter_next(&entry);
		bus_value_read(&entry, &value);
		property_set_value(property, &value);
		return;
	}
	if (!dbus_message_iter_next(iter))
		return;
	for (dbus_message_iter_recurse(iter, &list); dbus_message_iter_get_arg_type(&list) == DBUS_TYPE_STRING;
	     dbus_message_iter_next(&list)) {
		if (entry_is(&list, property->member)) {
			property_ask(property);
			return;
		}
	}
}

static bool property_is_from(const Property *property, const char *sender)
{
	return g_strcmp0(property->peer->asked, sender) == 0;
}

static void on_properties_changed(PropertyProvider *provider, DBusMessage *message)
{
	const char *path = dbus_message_get_path(message);
	GPtrArray *there = path ? g_hash_table_lookup(provider->by_path, path) : NULL;
	DBusMessageIter start;
	const char *interface;

	if (!there || !dbus_message_has_signature(message, "sa{sv}as") || !dbus_message_iter_init(message, &start))
		return;
	dbus_message_iter_get_basic(&start, &interface);
	dbus_message_iter_next(&start);
	for (guint i = 0; i < there->len; i++) {
		Property *property = g_ptr_array_index(there, i);
		DBusMessageIter iter = start;

		if (property_is_from(property, dbus_message_get_sender(message)) &&
		    strcmp(property->interface, interface) == 0)
			property_take_changes(property, &iter);
	}
}

/* InterfacesAdded(o, ...) and InterfacesRemoved(o, ...): the object has come, or lost something. */
static void on_interfaces_changed(PropertyProvider *provider, DBusMessage *message)
{
	DBusMessageIter iter;
	const char *path;
	GPtrArray *there;

	if (!dbus_message_iter_init(message, &iter) || dbus_message_iter_get_arg_type(&iter) != DBUS_TYPE_OBJECT_PATH)
		return;
	dbus_message_iter_get_basic(&iter, &path);
	there = g_hash_table_lookup(provider->by_path, path);
	for (guint i = 0; there && i < there->len; i++) {
		Property *property = g_ptr_array_index(there, i);

		if (property_is_from(property, dbus_message_get_sender(message)))
			property_ask(property);
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

/* As with names (bus-owner.c): some have matches of their own, beyond that two hear of everything. */
static void add_matches(PropertyProvider *provider, Property *property)
{
	if (provider->n_rules >= LIMIT_BUS_RULES) {
		if (provider->n_general++ == 0) {
			system_bus_add_match(provider->bus, RULE_ANY_PROPERTIES);
			system_bus_add_match(provider->bus, RULE_ANY_OBJECTS);
		}
		return;
	}
	provider->n_rules++;
	property->rules[0] = g_strdup_printf(RULE_ANY_PROPERTIES ",sender='%s',path='%s',arg0='%s'", property->peer->name,
					     property->path, property->interface);
	/* Not arg0: that is an object path, which only arg0path matches. */
	property->rules[1] = g_strdup_printf(RULE_ANY_OBJECTS ",sender='%s',arg0path='%s'", property->peer->name,
					     property->path);
	for (size_t i = 0; i < G_N_ELEMENTS(property->rules); i++)
		system_bus_add_match(provider->bus, property->rules[i]);
}

static void remove_matches(PropertyProvider *provider, Property *property)
{
	if (property->rules[0]) {
		provider->n_rules--;
		for (size_t i = 0; i < G_N_ELEMENTS(property->rules); i++)
			system_bus_remove_match(provider->bus, property->rules[i]);
	} else if (--provider->n_general == 0) {
		system_bus_remove_match(provider->bus, RULE_ANY_PROPERTIES);
		system_bus_remove_match(provider->bus, RULE_ANY_OBJECTS);
	}
	for (size_t i = 0; i < G_N_ELEMENTS(property->rules); i++)
		g_free(property->rules[i]);
}

/* --- life of the parts --- */

static void peer_free(gpointer data)
{
	Peer *peer = data;

	bus_owner_free(peer->owner);
	g_ptr_array_unref(peer->properties);
	g_free(peer->asked);
	g_free(peer->why_none);
	g_free(peer->name);
	g_free(peer);
}

static Peer *peer_get(PropertyProvider *provider, const char *name)
{
	Peer *peer = g_hash_table_lookup(provider->peers, name);

	if (peer)
		return peer;
	peer = g_new0(Peer, 1);
	peer->provider = provider;
	peer->name = g_strdup(name);
	peer->why_none = g_strdup_printf("%s has no owner on the system bus", name);
	peer->properties = g_ptr_array_new();
	peer->owner = bus_owner_new(provider->owners, name, on_owner_changed, peer);
	g_hash_table_insert(provider->peers, peer->name, peer);
	return peer;
}

static void property_free(gpointer data)
{
	Property *property = data;

	g_free(property->id);
	g_free(property->path);
	g_free(property->interface);
	g_free(property->member);
	g_ptr_array_unref(property->comparisons);
	bus_value_clear(&property->value);
	g_free(property->why);
	timer_free(property->retry);
	g_free(property);
}

static Property *property_new(Peer *peer, const char *path, const char *whole_name)
{
	PropertyProvider *provider = peer->provider;
	Property *property = g_new0(Property, 1);
	const char *dot = strrchr(whole_name, '.');
	GPtrArray *there = g_hash_table_lookup(provider->by_path, path);

	property->peer = peer;
	property->id = g_strjoin(" ", peer->name, path, whole_name, NULL);
	property->path = g_strdup(path);
	property->interface = g_strndup(whole_name, (gsize)(dot - whole_name));
	property->member = g_strdup(dot + 1);
	property->comparisons = g_ptr_array_new();
	property->level = LEVEL_UNKNOWN;
	if (!there) {
		there = g_ptr_array_new();
		g_hash_table_insert(provider->by_path, g_strdup(path), there);
	}
	g_ptr_array_add(there, property);
	g_ptr_array_add(peer->properties, property);
	g_hash_table_insert(provider->properties, property->id, property);
	add_matches(provider, property);
	return property;
}

/* Takes itself out of everything, and its peer with it if it was the last one. */
static void property_remove(PropertyProvider *provider, Property *property)
{
	GPtrArray *there = g_hash_table_lookup(provider->by_path, property->path);
	Peer *peer = property->peer;

	forget_question(property);
	remove_matches(provider, property);
	g_ptr_array_remove_fast(there, property);
	if (there->len == 0)
		g_hash_table_remove(provider->by_path, property->path);
	g_ptr_array_remove_fast(peer->properties, property);
	g_hash_table_remove(provider->properties, property->id);
	if (peer->properties->len == 0)
		g_hash_table_remove(provider->peers, peer->name);
	ask_next(provider);
}

static Property *property_get(PropertyProvider *provider, const char *name, const char *path, const char *whole_name)
{
	g_autofree char *id = g_strjoin(" ", name, path, whole_name, NULL);
	Property *property = g_hash_table_lookup(provider->properties, id);

	if (!property) {
		property = property_new(peer_get(provider, name), path, whole_name);
		peer_look(property->peer, property);
	}
	return property;
}

static void comparison_free(gpointer data)
{
	Comparison *comparison = data;

	g_free(comparison->word);
	g_free(comparison->why);
	g_free(comparison);
}

/* key.c has checked that there are these five words. */
static Comparison *comparison_new(PropertyProvider *provider, const char *key)
{
	g_auto(GStrv) words = key_argument_words(key);
	Comparison *comparison = g_new0(Comparison, 1);

	comparison->key = key;
	comparison->property = property_get(provider, words[0], words[1], words[2]);
	(void)key_operator_from_name(words[3], &comparison->operator);
	comparison->word = g_strdup(words[4]);
	g_ptr_array_add(comparison->property->comparisons, comparison);
	return comparison;
}

/* --- the provider --- */

static void property_subscribe(Provider *base, const char *key)
{
	PropertyProvider *provider = (PropertyProvider *)base;
	Comparison *comparison = g_hash_table_lookup(provider->comparisons, key);

	if (!comparison) {
		comparison = comparison_new(provider, key);
		g_hash_table_insert(provider->comparisons, (gpointer)key, comparison);
	}
	comparison_report(comparison, true);
}

static void property_unsubscribe(Provider *base, const char *key)
{
	PropertyProvider *provider = (PropertyProvider *)base;
	Comparison *comparison = g_hash_table_lookup(provider->comparisons, key);
	Property *property;

	if (!comparison)
		return;
	property = comparison->property;
	g_ptr_array_remove_fast(property->comparisons, comparison);
	g_hash_table_remove(provider->comparisons, key);
	if (property->comparisons->len == 0)
		property_remove(provider, property);
}

static void property_provider_free(Provider *base)
{
	PropertyProvider *provider = (PropertyProvider *)base;
	g_autoptr(GList) keys = g_hash_table_get_keys(provider->comparisons);

	for (GList *l = keys; l; l = l->next)
		property_unsubscribe(base, l->data);
	system_bus_remove_listener(provider->bus, provider->listener);
	bus_owners_free(provider->owners);
	g_hash_table_unref(provider->comparisons);
	g_hash_table_unref(provider->properties);
	g_hash_table_unref(provider->peers);
	g_hash_table_unref(provider->by_path);
	g_free(provider);
}

Provider *dbus_property_provider_new(const ProviderSink *sink, SystemBus *bus)
{
	static const SystemBusListener listener = { .message = on_message };
	PropertyProvider *provider = g_new0(PropertyProvider, 1);

	provider->base = (Provider){ .subscribe = property_subscribe, .unsubscribe = property_unsubscribe,
				     .free = property_provider_free };
	provider->sink = *sink;
	provider->bus = bus;
	provider->owners = bus_owners_new(bus);
	provider->comparisons = g_hash_table_new_full(NULL, NULL, NULL, comparison_free);
	provider->peers = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, peer_free);
	provider->properties = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, property_free);
	provider->by_path = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_ptr_array_unref);
	g_queue_init(&provider->to_ask);
	provider->listener = system_bus_add_listener(bus, &listener, provider);
	return &provider->base;
}
