/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * monitor: one line per change, at the time of the change.
 *
 * The known records are kept, and every signal and list is compared with them, so each line is a
 * difference. After the manager was replaced, the lists show the changes that were missed.
 */
#include "config.h"

#include <fnmatch.h>
#include <glib-unix.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "bus/names.h"
#include "model/key.h"
#include "svcctl/svcctl.h"

/* The monitor never ends by itself, but each single wait needs a limit. */
#define TURN_US ((int64_t)G_TIME_SPAN_HOUR)

typedef struct Monitor {
	Context *context;
	GHashTable *services; /* name -> its record, GVariant */
	GHashTable *conditions; /* key -> record with Level and Why, GVariant */
	GVariant *boot; /* properties, NULL: not known yet */
	GVariant *manager;
	bool is_silent; /* the first lists are not changes */
	bool is_over; /* the reader has left */
} Monitor;

/* --- a line --- */

static void flush(Monitor *m)
{
	if (fflush(m->context->output.out) != 0)
		m->is_over = true;
}

/* The offset and the length of the time of day. */
enum { WALL_CLOCK = 11, WALL_CLOCK_BYTES = 12 };

/*
 * "2026-11-21T09:14:07.123+0100": the present time, so that times increase from line to line; a new
 * string.
 */
static char *wall_time(void)
{
	const int64_t wall_us = g_get_real_time();
	const time_t seconds = (time_t)(wall_us / G_USEC_PER_SEC);
	struct tm tm = { 0 };
	char text[64];
	char zone[16];

	(void)localtime_r(&seconds, &tm); /* fails only for years out of range */
	(void)strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &tm); /* both fit */
	(void)strftime(zone, sizeof zone, "%z", &tm);
	return g_strdup_printf("%s.%03d%s", text, (int)(wall_us % G_USEC_PER_SEC / 1000), zone);
}

static void print_object(Monitor *m, JsonObject *object)
{
	g_autoptr(JsonNode) node = json_node_init_object(json_node_alloc(), object);
	g_autoptr(JsonGenerator) generator = json_generator_new();
	g_autofree char *text = NULL;

	json_generator_set_root(generator, node);
	text = json_generator_to_data(generator, NULL);
	output_json(&m->context->output, text);
}

static void set_text(JsonObject *object, const char *key, const char *text)
{
	if (text && *text)
		json_object_set_string_member(object, key, text);
	else
		json_object_set_null_member(object, key);
}

typedef struct MonitoredChange {
	const char *kind;
	const char *name; /* of a service or a condition, or NULL */
	const char *before; /* NULL or "": not known before */
	const char *now;
	const char *why; /* or "" */
} MonitoredChange;

static void print_json(Monitor *m, const MonitoredChange *change)
{
	JsonObject *object = json_object_new();
	g_autofree char *time = wall_time();

	json_object_set_string_member(object, "time", time);
	json_object_set_int_member(object, "at_us", g_get_monotonic_time());
	json_object_set_string_member(object, "kind", change->kind);
	set_text(object, "name", change->name);
	set_text(object, "before", change->before);
	set_text(object, "now", change->now);
	set_text(object, "why", change->why);
	print_object(m, object);
	json_object_unref(object);
}

static void print_change(Monitor *m, const MonitoredChange *change)
{
	Output *output = &m->context->output;
	g_autofree char *time = wall_time();
	const char *name = change->name ? change->name : change->kind;
	const bool has_before = change->before && *change->before &&
				strcmp(change->before, change->now) != 0;
	const bool has_why = change->why && *change->why;

	if (m->is_silent || m->is_over)
		return;
	if (output->is_json)
		print_json(m, change);
	else
		output_line(output, "%.*s %s: %s%s%s%s%s", WALL_CLOCK_BYTES, time + WALL_CLOCK,
			    name, has_before ? change->before : "", has_before ? " -> " : "",
			    change->now, has_why ? ": " : "", has_why ? change->why : "");
	flush(m);
}

static void print_manager(Monitor *m, const char *now, const char *why)
{
	print_change(m, &(MonitoredChange){ .kind = "manager", .now = now, .why = why });
}

/* --- differences --- */

static bool is_requested(const Monitor *m, const char *name)
{
	for (unsigned i = 0; i < m->context->n_names; i++) {
		if (fnmatch(m->context->names[i], name, 0) == 0)
			return true;
	}
	return m->context->n_names == 0;
}

static bool differs(GVariant *before, GVariant *now, const char *property)
{
	return !before || strcmp(record_text(before, property), record_text(now, property)) != 0;
}

/* For a service that was never started, Since is the time at which this manager loaded its file. */
static bool has_moved(GVariant *before, GVariant *now)
{
	return record_number(now, "Invocation") > 0 &&
	       record_number(before, "Since") != record_number(now, "Since");
}

/* Takes @record. */
static void see_service(Monitor *m, const char *name, GVariant *record)
{
	GVariant *before = g_hash_table_lookup(m->services, name);
	const bool is_news = differs(before, record, "State") || differs(before, record, "Cause") ||
			     has_moved(before, record);

	if (is_news && is_requested(m, name))
		print_change(m, &(MonitoredChange){
					.kind = "service",
					.name = name,
					.before = before ? record_text(before, "State") : NULL,
					.now = record_text(record, "State"),
					.why = record_text(record, "Cause") });
	g_hash_table_replace(m->services, g_strdup(name), record);
}

static void lose_service(Monitor *m, const char *name)
{
	GVariant *before = g_hash_table_lookup(m->services, name);

	if (before && is_requested(m, name))
		print_change(m, &(MonitoredChange){ .kind = "service",
						    .name = name,
						    .before = record_text(before, "State"),
						    .now = "gone",
						    .why = "its file is gone" });
	g_hash_table_remove(m->services, name);
}

/* The level of an internal condition is explained by the service's own line. */
static bool is_in_service_record(const char *key)
{
	g_autofree char *problem = NULL;
	const char *canonical;
	KeyPrefix prefix;

	return key_parse(key, &prefix, &canonical, &problem) && key_prefix_is_internal(prefix);
}

/* Takes @record. */
static void see_condition(Monitor *m, const char *key, GVariant *record)
{
	GVariant *before = g_hash_table_lookup(m->conditions, key);
	const bool is_news = differs(before, record, "Level") ||
			     (differs(before, record, "Why") && !is_in_service_record(key));

	if (is_news && is_requested(m, key))
		print_change(m, &(MonitoredChange){
					.kind = "condition",
					.name = key,
					.before = before ? record_text(before, "Level") : NULL,
					.now = record_text(record, "Level"),
					.why = record_text(record, "Why") });
	g_hash_table_replace(m->conditions, g_strdup(key), record);
}

static GVariant *new_condition(const char *level, const char *why)
{
	GVariantDict dict;

	g_variant_dict_init(&dict, NULL);
	g_variant_dict_insert(&dict, "Level", "s", level);
	g_variant_dict_insert(&dict, "Why", "s", why);
	return g_variant_ref_sink(g_variant_dict_end(&dict));
}

static unsigned percent(GVariant *boot)
{
	double fraction = 0;

	(void)g_variant_lookup(boot, "Progress", "d", &fraction); /* or 0 */
	return (unsigned)(fraction * 100);
}

/* "43 %", "finished"; a new string. */
static char *boot_text(GVariant *boot)
{
	return record_number(boot, "Finished") ? g_strdup("finished") :
						 g_strdup_printf("%u %%", percent(boot));
}

/* Takes @boot. */
static void see_boot(Monitor *m, GVariant *boot)
{
	g_autoptr(GVariant) before = m->boot;
	g_autofree char *old = before ? boot_text(before) : NULL;
	g_autofree char *now = boot_text(boot);
	const bool is_news = g_strcmp0(old, now) != 0 ||
			     differs(before, boot, "CurrentDescription");

	m->boot = boot;
	if (is_news && m->context->n_names == 0)
		print_change(m,
			     &(MonitoredChange){ .kind = "boot",
						 .before = old,
						 .now = now,
						 .why = record_text(boot, "CurrentDescription") });
}

/* Takes @manager. */
static void see_manager(Monitor *m, GVariant *manager)
{
	g_autoptr(GVariant) before = m->manager;

	m->manager = manager;
	if (differs(before, manager, "Runlevel") && m->context->n_names == 0)
		print_change(m, &(MonitoredChange){
					.kind = "runlevel",
					.before = before ? record_text(before, "Runlevel") : NULL,
					.now = record_text(manager, "Runlevel"),
					.why = "" });
}

/* --- signals --- */

/* The service's name in its object path, a new string; NULL for other objects. */
static char *name_of_path(const char *path)
{
	static const char prefix[] = OBJECT_PATH_SERVICES "/";

	return g_str_has_prefix(path, prefix) ? text_unescape_bus_path(path + sizeof prefix - 1) :
						NULL;
}

/* The properties of the signal, completed by the known ones; @record is borrowed. */
static GVariant *merge(GVariant *before, GVariant *record)
{
	GVariantDict dict;
	GVariantIter iter;
	const char *key;
	GVariant *value;

	g_variant_dict_init(&dict, before);
	g_variant_iter_init(&iter, record);
	while (g_variant_iter_loop(&iter, "{&sv}", &key, &value))
		g_variant_dict_insert_value(&dict, key, value);
	return g_variant_ref_sink(g_variant_dict_end(&dict));
}

static void on_properties(Monitor *m, const char *path, GVariant *args)
{
	g_autoptr(GVariant) changed = NULL;
	g_autofree char *name = name_of_path(path);
	const char *interface;

	if (!g_variant_is_of_type(args, G_VARIANT_TYPE("(sa{sv}as)")))
		return;
	g_variant_get(args, "(&s@a{sv}@as)", &interface, &changed, NULL);
	if (strcmp(interface, INTERFACE_SERVICE) == 0 && name)
		see_service(m, name, merge(g_hash_table_lookup(m->services, name), changed));
	else if (strcmp(interface, INTERFACE_BOOT) == 0)
		see_boot(m, merge(m->boot, changed));
	else if (strcmp(interface, INTERFACE_MANAGER) == 0)
		see_manager(m, merge(m->manager, changed));
}

static void on_added(Monitor *m, GVariant *args)
{
	g_autoptr(GVariant) interfaces = NULL;
	g_autoptr(GVariant) properties = NULL;
	g_autofree char *name = NULL;
	const char *path;

	if (!g_variant_is_of_type(args, G_VARIANT_TYPE("(oa{sa{sv}})")))
		return;
	g_variant_get(args, "(&o@a{sa{sv}})", &path, &interfaces);
	name = name_of_path(path);
	properties = g_variant_lookup_value(interfaces, INTERFACE_SERVICE, G_VARIANT_TYPE_VARDICT);
	if (name && properties)
		see_service(m, name, g_steal_pointer(&properties));
}

static void on_removed(Monitor *m, GVariant *args)
{
	g_autofree char *name = NULL;
	const char *path;

	if (!g_variant_is_of_type(args, G_VARIANT_TYPE("(oas)")))
		return;
	g_variant_get(args, "(&o@as)", &path, NULL);
	name = name_of_path(path);
	if (name)
		lose_service(m, name);
}

static void on_condition(Monitor *m, GVariant *args)
{
	const char *key;
	const char *level;
	const char *why;

	if (!g_variant_is_of_type(args, G_VARIANT_TYPE("(sss)")))
		return;
	g_variant_get(args, "(&s&s&s)", &key, &level, &why);
	see_condition(m, key, new_condition(level, why));
}

static void on_signal(void *data, const char *path, const char *name, GVariant *args)
{
	Monitor *m = data;

	if (strcmp(name, "PropertiesChanged") == 0)
		on_properties(m, path, args);
	else if (strcmp(name, "InterfacesAdded") == 0)
		on_added(m, args);
	else if (strcmp(name, "InterfacesRemoved") == 0)
		on_removed(m, args);
	else if (strcmp(name, "ConditionChanged") == 0)
		on_condition(m, args);
}

/* --- lists --- */

static bool read_services(Monitor *m, GError **error)
{
	g_autoptr(GPtrArray) records = get_services(m->context, error);
	g_autoptr(GHashTable) there = g_hash_table_new(g_str_hash, g_str_equal);
	g_autofree char **known = NULL;
	guint n_known;

	if (!records)
		return false;
	for (guint i = 0; i < records->len; i++) {
		GVariant *record = g_ptr_array_index(records, i);
		const char *name = record_text(record, "Name");

		g_hash_table_add(there, (gpointer)name);
		see_service(m, name, merge(g_hash_table_lookup(m->services, name), record));
	}
	known = (char **)g_hash_table_get_keys_as_array(m->services, &n_known);
	for (guint i = 0; i < n_known; i++) {
		if (!g_hash_table_contains(there, known[i]))
			lose_service(m, known[i]);
	}
	return true;
}

static bool read_conditions(Monitor *m, GError **error)
{
	g_autoptr(GPtrArray) records = get_conditions(m->context, error);

	for (guint i = 0; records && i < records->len; i++) {
		GVariant *record = g_ptr_array_index(records, i);

		see_condition(m, record_text(record, "Key"), g_variant_ref(record));
	}
	return records != NULL;
}

/* A condition that is named in full is watched even if no service uses it. */
static bool watch_named(Monitor *m, GError **error)
{
	for (unsigned i = 0; i < m->context->n_names; i++) {
		const char *name = m->context->names[i];
		g_autoptr(GVariant) reply = NULL;
		const char *level;
		const char *why;

		if (!strchr(name, ':') || strpbrk(name, "*?["))
			continue;
		reply = client_get_manager(m->context->client, "WatchCondition",
					   g_variant_new("(sb)", name, TRUE), "(ss)", error);
		if (!reply)
			return false;
		g_variant_get(reply, "(&s&s)", &level, &why);
		see_condition(m, name, new_condition(level, why));
	}
	return true;
}

static bool read_all(Monitor *m, GError **error)
{
	Client *client = m->context->client;
	g_autoptr(GVariant) boot = NULL;
	g_autoptr(GVariant) manager = NULL;

	if (!watch_named(m, error) || !read_services(m, error) || !read_conditions(m, error))
		return false;
	boot = client_properties(client, OBJECT_PATH_BOOT, INTERFACE_BOOT, error);
	manager = boot ? client_properties(client, OBJECT_PATH_MANAGER, INTERFACE_MANAGER, error) :
			 NULL;
	if (!manager)
		return false;
	see_boot(m, g_steal_pointer(&boot));
	see_manager(m, g_steal_pointer(&manager));
	return true;
}

/* Repeats until all lists come from one connection, which also receives all signals. */
static bool catch_up(Monitor *m, GError **error)
{
	Client *client = m->context->client;
	unsigned connection;

	do {
		if (!client_watch(client, error))
			return false;
		connection = client_count_connections(client);
		if (!read_all(m, error))
			return false;
	} while (connection != client_count_connections(client) || !client_is_connected(client));
	return true;
}

/* --- the verb --- */

static bool follow(Monitor *m, GError **error)
{
	Client *client = m->context->client;

	while (!m->is_over) {
		(void)client_wait(client, g_get_monotonic_time() + TURN_US);
		if (m->is_over || client_is_connected(client))
			continue;
		print_manager(m, "away", "svcd is being replaced; services keep running");
		if (!catch_up(m, error))
			return false;
		print_manager(m, "back", "the lines above show all changes in the meantime");
	}
	return true;
}

static void begin(Monitor *m)
{
	g_autofree char *services = output_count(g_hash_table_size(m->services), "service");
	g_autofree char *conditions = output_count(g_hash_table_size(m->conditions), "condition");
	g_autofree char *text = g_strdup_printf("watching %s and %s in runlevel %s", services,
						conditions, record_text(m->manager, "Runlevel"));

	print_manager(m, "ready", text);
}

static gboolean on_reader_gone(gint fd, GIOCondition condition, gpointer data)
{
	Monitor *m = data;

	m->is_over = true;
	client_wake(m->context->client);
	return G_SOURCE_REMOVE;
}

/* Each line is written at once, so no work is left. */
static void on_end(int signal_number)
{
	_exit(EXIT_CODE_DONE);
}

static void unref_record(gpointer record)
{
	g_variant_unref(record);
}

bool cmd_monitor(Context *context, GError **error)
{
	g_autoptr(GHashTable)
		services = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, unref_record);
	g_autoptr(GHashTable)
		conditions = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, unref_record);
	Monitor m = { .context = context,
		      .services = services,
		      .conditions = conditions,
		      .is_silent = true };
	bool done;

	for (unsigned i = 0; i < context->n_names; i++) {
		if (!g_utf8_validate(context->names[i], -1, NULL))
			return fail_ctl(error, CTL_ERROR_USAGE, "a name must be valid UTF-8");
	}
	context->output.is_stream = true;
	/* a reader that leaves is the usual end; signal() cannot fail here */
	(void)signal(SIGPIPE, SIG_IGN);
	(void)signal(SIGINT, on_end);
	(void)signal(SIGTERM, on_end);
	g_unix_fd_add(fileno(context->output.out), G_IO_ERR, on_reader_gone, &m);
	client_set_listener(context->client, on_signal, &m);
	done = catch_up(&m, error);
	if (done) {
		m.is_silent = false;
		begin(&m);
		done = follow(&m, error);
	}
	client_set_listener(context->client, NULL, NULL);
	g_clear_pointer(&m.boot, g_variant_unref);
	g_clear_pointer(&m.manager, g_variant_unref);
	return done;
}
