/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Boot shutdown: a stop lasts from the change to "stopping" until the next change of that service.
 */
#include "config.h"

#include "svcctl/boot-shutdown.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "svcctl/boot-changes.h"
#include "svcctl/saved-boot.h"

typedef struct Stop {
	const char *name; /* borrowed from the changes */
	int64_t from_us;
	int64_t to_us; /* 0: it was still stopping when the record ended */
	const struct Stop *last; /* the stop that this one waited for last; NULL: none */
	bool is_in_chain;
} Stop;

static bool is_stopping(const char *state)
{
	return strcmp(state, "stopping") == 0;
}

/*
 * The service shutdown-record is wanted only in runlevels 0 and 6, so the shutdown begins when that
 * service leaves "idle". NULL: there was no shutdown.
 */
static const BootChange *find_begin(const GPtrArray *changes)
{
	for (guint i = 0; i < changes->len; i++) {
		const BootChange *change = g_ptr_array_index(changes, i);

		if (strcmp(change->name, "shutdown-record") == 0 &&
		    strcmp(change->from, "idle") == 0)
			return change;
	}
	return NULL;
}

/* The cause of the first stop names the requester. Without a stop: @begin. */
static const BootChange *find_request(const GPtrArray *changes, const BootChange *begin)
{
	for (guint i = 0; i < changes->len; i++) {
		const BootChange *change = g_ptr_array_index(changes, i);

		if (change->at_us >= begin->at_us && is_stopping(change->to))
			return change;
	}
	return begin;
}

/* Returns: a new array of Stop *, in order of their beginning. */
static GPtrArray *find_stops(const GPtrArray *changes, int64_t begun_us)
{
	GPtrArray *stops = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GHashTable) open = g_hash_table_new(g_str_hash, g_str_equal);

	for (guint i = 0; i < changes->len; i++) {
		const BootChange *change = g_ptr_array_index(changes, i);
		Stop *stop = g_hash_table_lookup(open, change->name);

		if (change->at_us < begun_us ||
		    is_stopping(change->from) == is_stopping(change->to))
			continue;
		if (stop) {
			stop->to_us = change->at_us;
			g_hash_table_remove(open, change->name);
		} else if (is_stopping(change->to)) {
			stop = g_new0(Stop, 1);
			stop->name = change->name;
			stop->from_us = change->at_us;
			g_ptr_array_add(stops, stop);
			g_hash_table_insert(open, (gpointer)stop->name, stop);
		}
	}
	return stops;
}

/* Returns: the time of the line after the last stop, or of the last line; not before @begun_us. */
static int64_t end_of(const GPtrArray *changes, int64_t begun_us, bool *ret_is_complete)
{
	const BootChange *last = g_ptr_array_index(changes, changes->len - 1);

	*ret_is_complete = strcmp(last->name, BOOT_CHANGES_END) == 0;
	return MAX(last->at_us, begun_us);
}

/* The names that stop before each service: a new table, name -> char **. */
static GHashTable *stop_order(JsonObject *record)
{
	GHashTable *order =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_strfreev);
	JsonNode *node = json_object_get_member(record, "services");
	JsonArray *services = node && JSON_NODE_HOLDS_ARRAY(node) ? json_node_get_array(node) :
								    NULL;

	for (guint i = 0; services && i < json_array_get_length(services); i++) {
		JsonNode *one = json_array_get_element(services, i);
		JsonObject *service = JSON_NODE_HOLDS_OBJECT(one) ? json_node_get_object(one) :
								    NULL;
		JsonNode *name = service ? json_object_get_member(service, "name") : NULL;

		if (name && json_node_get_value_type(name) == G_TYPE_STRING)
			g_hash_table_insert(order, json_node_dup_string(name),
					    saved_boot_strings(service, "stops_after"));
	}
	return order;
}

/* Of the stops of the services @before, the one that ended last before @stop began. */
static const Stop *last_wait(const GPtrArray *stops, const Stop *stop, char *const *before)
{
	const Stop *last = NULL;

	for (guint i = 0; before && i < stops->len; i++) {
		const Stop *other = g_ptr_array_index(stops, i);

		if (other->to_us > 0 && other->to_us <= stop->from_us &&
		    (!last || other->to_us > last->to_us) &&
		    g_strv_contains((const char *const *)before, other->name))
			last = other;
	}
	return last;
}

/* The chain leads back from the stop that ended last. */
static void find_chain(GPtrArray *stops, GHashTable *order, int64_t end_us)
{
	Stop *last = NULL;

	for (guint i = 0; i < stops->len; i++) {
		Stop *stop = g_ptr_array_index(stops, i);
		const int64_t to_us = stop->to_us > 0 ? stop->to_us : end_us;

		stop->last = last_wait(stops, stop, g_hash_table_lookup(order, stop->name));
		if (!last || to_us > (last->to_us > 0 ? last->to_us : end_us))
			last = stop;
	}
	for (; last && !last->is_in_chain; last = (Stop *)last->last)
		last->is_in_chain = true;
}

static JsonObject *stop_to_json(const Stop *stop, int64_t begun_us, int64_t end_us,
				bool is_complete)
{
	JsonObject *object = json_object_new();

	json_object_set_string_member(object, "name", stop->name);
	json_object_set_int_member(object, "from_us", stop->from_us - begun_us);
	json_object_set_int_member(object, "stop_us",
				   MAX((stop->to_us > 0 ? stop->to_us : end_us) - stop->from_us,
				       0));
	json_object_set_boolean_member(object, "stopped", stop->to_us > 0 || is_complete);
	json_object_set_boolean_member(object, "in_chain", stop->is_in_chain);
	if (stop->last)
		json_object_set_string_member(object, "waited_for_service", stop->last->name);
	return object;
}

JsonObject *boot_shutdown_new(const GPtrArray *changes, JsonObject *record)
{
	const BootChange *begin = find_begin(changes);
	const BootChange *request;
	g_autoptr(GPtrArray) stops = NULL;
	g_autoptr(GHashTable) order = NULL;
	JsonArray *array;
	JsonObject *shutdown;
	bool is_complete;
	int64_t end_us;

	if (!begin)
		return NULL;
	request = find_request(changes, begin);
	end_us = end_of(changes, request->at_us, &is_complete);
	stops = find_stops(changes, request->at_us);
	order = stop_order(record);
	find_chain(stops, order, end_us);
	array = json_array_new();
	for (guint i = 0; i < stops->len; i++)
		json_array_add_object_element(array,
					      stop_to_json(g_ptr_array_index(stops, i),
							   request->at_us, end_us, is_complete));
	shutdown = json_object_new();
	json_object_set_string_member(shutdown, "requested", request->text);
	json_object_set_string_member(shutdown, "requested_at", request->stamp);
	json_object_set_int_member(shutdown, "took_us", end_us - request->at_us);
	json_object_set_boolean_member(shutdown, "complete", is_complete);
	json_object_set_array_member(shutdown, "stops", array);
	return shutdown;
}
