/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Conditions: the list of conditions, the watches, and ConditionChanged.
 *
 * Providers report the levels of external conditions. The levels of services follow from the
 * engine's state. They are computed when a client reads them, and for watched services after each
 * change of the engine.
 */
#include "config.h"

#include "bus/conditions.h"

#include <string.h>

#include "base/errors.h"
#include "base/limits.h"
#include "bus/names.h"
#include "loop/wire.h"

typedef struct Watch {
	const char *key; /* interned */
	KeyPrefix prefix;
	Level level;
	char *why;
	GPtrArray *clients; /* BusClient *, borrowed; never empty */
} Watch;

typedef struct ConditionChange {
	const char *key; /* interned */
	Level level;
	char *why;
} ConditionChange;

struct Conditions {
	const Engine *engine;
	const BusOps *ops;
	void *data;
	GHashTable *watches; /* interned key -> Watch, owned */
	GPtrArray *changes; /* ConditionChange *, owned, in the order of their first change */
	GHashTable *change_of; /* interned key -> ConditionChange in @changes */
};

static void watch_free(gpointer data)
{
	Watch *watch = data;

	g_ptr_array_unref(watch->clients);
	g_free(watch->why);
	g_free(watch);
}

static void condition_change_free(gpointer data)
{
	ConditionChange *change = data;

	g_free(change->why);
	g_free(change);
}

Conditions *conditions_new(const Engine *engine, const BusOps *ops, void *data)
{
	Conditions *conditions = g_new0(Conditions, 1);

	conditions->engine = engine;
	conditions->ops = ops;
	conditions->data = data;
	conditions->watches = g_hash_table_new_full(NULL, NULL, NULL, watch_free);
	conditions->changes = g_ptr_array_new_with_free_func(condition_change_free);
	conditions->change_of = g_hash_table_new(NULL, NULL);
	return conditions;
}

void conditions_free(Conditions *conditions)
{
	if (!conditions)
		return;
	g_hash_table_unref(conditions->watches);
	g_ptr_array_unref(conditions->changes);
	g_hash_table_unref(conditions->change_of);
	g_free(conditions);
}

/* --- watches --- */

/*
 * A new string; NULL with @error. Only watched keys are interned, because interned strings are
 * never freed.
 */
static char *parse(const char *text, KeyPrefix *ret_prefix, GError **error)
{
	g_autofree char *problem = NULL;
	char *key = key_canonical(text, ret_prefix, &problem);

	if (!key)
		fail(error, SVCD_ERROR_INVALID_ARGUMENT, "%s", problem);
	return key;
}

static unsigned count_watches(const Conditions *conditions, const BusClient *client)
{
	GHashTableIter iter;
	gpointer value;
	unsigned n = 0;

	g_hash_table_iter_init(&iter, conditions->watches);
	while (g_hash_table_iter_next(&iter, NULL, &value))
		n += g_ptr_array_find(((const Watch *)value)->clients, client, NULL) ? 1 : 0;
	return n;
}

/*
 * A file may name a service that is installed later. In a client's request a missing service is a
 * mistake.
 */
static bool check_service(const Conditions *conditions, KeyPrefix prefix, const char *key,
			  GError **error)
{
	g_autofree char *why = NULL;
	Level level;

	if (engine_internal_level(conditions->engine, prefix, key, &level, &why) ||
	    prefix == KEY_SETTLED)
		return true;
	return fail(error, SVCD_ERROR_NO_SUCH_SERVICE, "%s: %s", key, why);
}

/* Reads the present level from the engine. Returns: whether it has changed. */
static bool look(const Conditions *conditions, Watch *watch)
{
	const Level before = watch->level;

	g_free(watch->why);
	engine_internal_level(conditions->engine, watch->prefix, watch->key, &watch->level,
			      &watch->why);
	return watch->level != before;
}

static Watch *add_watch(Conditions *conditions, KeyPrefix prefix, const char *key)
{
	Watch *watch = g_new0(Watch, 1);
	ConditionView view = { .level = LEVEL_UNKNOWN };

	/* if a service uses the condition, its level is known at once */
	(void)engine_condition(conditions->engine, key, &view);
	watch->key = key;
	watch->prefix = prefix;
	watch->level = view.level;
	watch->why = g_strdup(view.why);
	watch->clients = g_ptr_array_new();
	g_hash_table_insert(conditions->watches, (gpointer)key, watch);
	if (key_prefix_is_internal(prefix))
		look(conditions, watch);
	else
		conditions->ops->watch_condition(conditions->data, prefix, key);
	return watch;
}

bool conditions_watch(Conditions *conditions, BusClient *client, const char *text, Level *ret_level,
		      const char **ret_why, GError **error)
{
	KeyPrefix prefix;
	g_autofree char *canonical = parse(text, &prefix, error);
	const char *key;
	Watch *watch;

	if (!canonical || (key_prefix_is_internal(prefix) &&
			   !check_service(conditions, prefix, canonical, error)))
		return false;
	key = g_intern_string(canonical);
	watch = g_hash_table_lookup(conditions->watches, key);
	if ((!watch || !g_ptr_array_find(watch->clients, client, NULL)) &&
	    count_watches(conditions, client) >= LIMIT_WATCHES)
		return fail(error, SVCD_ERROR_LIMIT_REACHED,
			    "no more than %u conditions can be watched at a time", LIMIT_WATCHES);
	if (!watch)
		watch = add_watch(conditions, prefix, key);
	if (!g_ptr_array_find(watch->clients, client, NULL))
		g_ptr_array_add(watch->clients, client);
	*ret_level = watch->level;
	*ret_why = watch->why;
	return true;
}

/*
 * Removes @client from @watch. Returns: true if no client is left; then the caller frees the watch.
 */
static bool leave(Conditions *conditions, Watch *watch, BusClient *client)
{
	if (!g_ptr_array_remove_fast(watch->clients, client) || watch->clients->len > 0)
		return false;
	if (!key_prefix_is_internal(watch->prefix))
		conditions->ops->unwatch_condition(conditions->data, watch->prefix, watch->key);
	return true;
}

bool conditions_unwatch(Conditions *conditions, BusClient *client, const char *text, GError **error)
{
	KeyPrefix prefix;
	g_autofree char *canonical = parse(text, &prefix, error);
	const char *key = canonical ? key_known(canonical) : NULL;
	Watch *watch = key ? g_hash_table_lookup(conditions->watches, key) : NULL;

	if (!canonical)
		return false;
	if (watch && leave(conditions, watch, client))
		g_hash_table_remove(conditions->watches, key);
	return true;
}

bool conditions_has_client(const Conditions *conditions, const BusClient *client)
{
	return count_watches(conditions, client) > 0;
}

void conditions_forget_client(Conditions *conditions, BusClient *client)
{
	GHashTableIter iter;
	gpointer value;

	g_hash_table_iter_init(&iter, conditions->watches);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		if (leave(conditions, value, client))
			g_hash_table_iter_remove(&iter);
	}
}

/* --- changes --- */

static void note_change(Conditions *conditions, const char *key, Level level, const char *why)
{
	ConditionChange *change = g_hash_table_lookup(conditions->change_of, key);

	if (!change) {
		change = g_new0(ConditionChange, 1);
		change->key = key;
		g_ptr_array_add(conditions->changes, change);
		g_hash_table_insert(conditions->change_of, (gpointer)key, change);
	}
	change->level = level;
	g_free(change->why);
	change->why = g_strdup(why);
}

void conditions_set_level(Conditions *conditions, const char *key, Level level, const char *why)
{
	const char *interned = g_intern_string(key);
	Watch *watch = g_hash_table_lookup(conditions->watches, interned);

	note_change(conditions, interned, level, why);
	if (!watch)
		return;
	watch->level = level;
	g_free(watch->why);
	watch->why = g_strdup(why);
}

static void look_at_services(Conditions *conditions)
{
	GHashTableIter iter;
	gpointer value;

	g_hash_table_iter_init(&iter, conditions->watches);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		Watch *watch = value;

		if (key_prefix_is_internal(watch->prefix) && look(conditions, watch))
			note_change(conditions, watch->key, watch->level, watch->why);
	}
}

static DBusMessage *new_signal(const ConditionChange *change)
{
	DBusMessage *message = wire_must(dbus_message_new_signal(
		OBJECT_PATH_MANAGER, INTERFACE_MANAGER, "ConditionChanged"));
	DBusMessageIter out;

	dbus_message_iter_init_append(message, &out);
	wire_string(&out, change->key);
	wire_string(&out, level_name(change->level));
	wire_string(&out, change->why);
	return message;
}

static void send_to_watchers(const Watch *watch, DBusMessage *message)
{
	for (guint i = 0; i < watch->clients->len; i++) {
		BusClient *client = g_ptr_array_index(watch->clients, i);

		if (!client->is_subscribed)
			client->send(client, message);
	}
}

void conditions_send(Conditions *conditions, void (*broadcast)(void *data, DBusMessage *message),
		     void *data)
{
	look_at_services(conditions);
	for (guint i = 0; i < conditions->changes->len; i++) {
		const ConditionChange *change = g_ptr_array_index(conditions->changes, i);
		const Watch *watch = g_hash_table_lookup(conditions->watches, change->key);
		DBusMessage *message = watch || broadcast ? new_signal(change) : NULL;

		if (watch)
			send_to_watchers(watch, message);
		if (broadcast)
			broadcast(data, message);
		g_clear_pointer(&message, dbus_message_unref);
	}
	g_hash_table_remove_all(conditions->change_of);
	g_ptr_array_set_size(conditions->changes, 0);
}

/* --- the list --- */

typedef struct List {
	const Conditions *conditions;
	DBusMessageIter *array;
} List;

static void append_subscribers(const Engine *engine, const char *key, DBusMessageIter *out)
{
	g_autoptr(GPtrArray) waiting = NULL;
	g_autoptr(GPtrArray) others = NULL;

	engine_subscribers(engine, key, &waiting, &others);
	wire_names(out, waiting);
	wire_names(out, others);
}

static void append_condition(const ConditionView *view, void *data)
{
	const List *list = data;
	const Conditions *conditions = list->conditions;
	g_autofree char *alternatives = NULL;
	DBusMessageIter inner;

	if (view->level != LEVEL_TRUE && !key_prefix_is_internal(view->prefix))
		alternatives = conditions->ops->describe_condition(conditions->data, view->prefix,
								   view->key);
	wire_open(list->array, DBUS_TYPE_STRUCT, NULL, &inner);
	wire_string(&inner, view->key);
	wire_string(&inner, level_name(view->level));
	wire_string(&inner, view->why);
	wire_uint64(&inner, view->since_us > 0 ? (uint64_t)view->since_us : 0);
	append_subscribers(conditions->engine, view->key, &inner);
	wire_string(&inner, alternatives);
	wire_close(list->array, &inner);
}

static int compare_watches(gconstpointer a, gconstpointer b)
{
	return strcmp((*(const Watch *const *)a)->key, (*(const Watch *const *)b)->key);
}

/*
 * Appends the conditions that only clients watch. So a waiting client can list the alternatives to
 * its condition.
 */
static void append_watches(List *list)
{
	const Conditions *conditions = list->conditions;
	g_autoptr(GPtrArray) watches = g_ptr_array_new();
	GHashTableIter iter;
	gpointer value;
	ConditionView view;

	g_hash_table_iter_init(&iter, conditions->watches);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		if (!engine_condition(conditions->engine, ((const Watch *)value)->key, &view))
			g_ptr_array_add(watches, value);
	}
	g_ptr_array_sort(watches, compare_watches);
	for (guint i = 0; i < watches->len; i++) {
		const Watch *watch = g_ptr_array_index(watches, i);

		view = (ConditionView){ .key = watch->key,
					.prefix = watch->prefix,
					.level = watch->level,
					.why = watch->why };
		append_condition(&view, list);
	}
}

void conditions_append(Conditions *conditions, DBusMessageIter *out)
{
	DBusMessageIter array;
	List list = { .conditions = conditions, .array = &array };

	wire_open(out, DBUS_TYPE_ARRAY, "(ssstasass)", &array);
	engine_foreach_condition(conditions->engine, append_condition, &list);
	append_watches(&list);
	wire_close(out, &array);
}

/* --- timers --- */

static void add_timer(void *data, const DueTime *time)
{
	g_ptr_array_add(data, g_memdup2(time, sizeof *time));
}

static int compare_timers(gconstpointer a, gconstpointer b)
{
	return strcmp((*(const DueTime *const *)a)->key, (*(const DueTime *const *)b)->key);
}

void conditions_append_timers(Conditions *conditions, DBusMessageIter *out)
{
	g_autoptr(GPtrArray) timers = g_ptr_array_new_with_free_func(g_free);
	DBusMessageIter array, inner;

	conditions->ops->foreach_timer(conditions->data, add_timer, timers);
	g_ptr_array_sort(timers, compare_timers);
	wire_open(out, DBUS_TYPE_ARRAY, "(sstt)", &array);
	for (guint i = 0; i < timers->len; i++) {
		const DueTime *time = g_ptr_array_index(timers, i);

		wire_open(&array, DBUS_TYPE_STRUCT, NULL, &inner);
		wire_string(&inner, time->key);
		wire_string(&inner, time->service);
		wire_uint64(&inner, (uint64_t)time->next_s * G_USEC_PER_SEC);
		wire_uint64(&inner, (uint64_t)time->last_s * G_USEC_PER_SEC);
		wire_close(&array, &inner);
	}
	wire_close(out, &array);
}
