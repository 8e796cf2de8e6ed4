/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Boot collect: the manager's times, the usage of the cgroups, the files of the services, and the
 * kernel's counters of pressure and disks.
 */
#include "config.h"

#include "svcctl/boot-collect.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "bus/names.h"
#include "model/graph.h"
#include "svcctl/boot-changes.h"
#include "svcctl/boot-spans.h"
#include "svcctl/boot-usage.h"
#include "svcctl/dependencies.h"
#include "svcctl/processes.h"

#define BOOT_ID_FILE "/proc/sys/kernel/random/boot_id"

/* --- which boot --- */

static char *boot_id(void)
{
	char *text = NULL;

	return g_file_get_contents(BOOT_ID_FILE, &text, NULL, NULL) ? g_strchomp(text) :
								      g_strdup("");
}

int64_t boot_init_started(Context *context, GError **error)
{
	g_autoptr(GVariant)
		boot = client_properties(context->client, OBJECT_PATH_BOOT, INTERFACE_BOOT, error);

	return boot ? (int64_t)record_number(boot, "InitStartedAt") : -1;
}

bool boot_is_this(const SavedBoot *boot, int64_t init_us)
{
	g_autofree char *id = boot_id();

	return strcmp(saved_boot_text(boot, NULL, "boot_id"), id) == 0 &&
	       (init_us < 0 || saved_boot_int(boot, NULL, "init_started_us") == init_us);
}

/* --- services --- */

/*
 * Sets the time since the start of PID 1, at least 1. A point that was not reached (0) has no
 * member.
 */
static void set_time(JsonObject *object, const char *name, int64_t at_us, int64_t init_us)
{
	if (at_us > 0)
		json_object_set_int_member(object, name, MAX(at_us - init_us, 1));
}

static void set_text(JsonObject *object, const char *name, const char *text)
{
	if (text && *text)
		json_object_set_string_member(object, name, text);
}

static void add_file(JsonArray *files, const char *path)
{
	if (path && *path == '/')
		json_array_add_string_element(files, path);
}

/* Lists the service file and the programs, because an upgrade of them may change the start. */
static JsonArray *files_of(const Configuration *configuration, const char *name)
{
	const ServiceDef *def = service_set_find(configuration->set, name);
	JsonArray *files = json_array_new();

	if (!def)
		return files;
	add_file(files, def->origin.file);
	for (guint i = 0; i < def->prepare->len; i++)
		add_file(files, ((const Command *)g_ptr_array_index(def->prepare, i))->argv[0]);
	for (size_t i = 0; def->exec && def->exec->argv[i]; i++)
		add_file(files, def->exec->argv[i]); /* a script may be an argument of its shell */
	return files;
}

/* For each service of the boot, the other ones that stop before it; name -> JsonArray, owned. */
static GHashTable *stop_order(const Configuration *configuration, const BootTimes *times)
{
	GHashTable *order = g_hash_table_new_full(g_str_hash, g_str_equal, NULL,
						  (GDestroyNotify)json_array_unref);
	const GPtrArray *all = service_set_list(configuration->set);
	g_autoptr(GArray) edges = graph_stop_edges(configuration->set);

	for (guint i = 0; i < edges->len; i++) {
		const Edge *edge = &g_array_index(edges, Edge, i);
		const char *before =
			((const ServiceDef *)g_ptr_array_index(all, edge->before))->name;
		const char *after = ((const ServiceDef *)g_ptr_array_index(all, edge->after))->name;
		JsonArray *names = g_hash_table_lookup(order, after);

		if (!boot_times_find(times, before) || !boot_times_find(times, after))
			continue;
		if (!names) {
			names = json_array_new();
			g_hash_table_insert(order, (gpointer)after, names);
		}
		json_array_add_string_element(names, before);
	}
	return order;
}

/* @before: the names of the services that stop before this one; may be NULL */
static JsonObject *collect_service(const BootTime *time, const BootUsage *usage,
				   const Configuration *configuration, JsonArray *before,
				   int64_t init_us)
{
	JsonObject *object = json_object_new();

	json_object_set_string_member(object, "name", time->name);
	json_object_set_string_member(object, "result", time->result);
	set_time(object, "wanted_us", time->wanted_us, init_us);
	set_time(object, "allowed_us", time->allowed_us, init_us);
	set_time(object, "started_us", time->started_us, init_us);
	set_time(object, "over_us", time->over_us, init_us);
	set_text(object, "waited_for", time->last);
	set_text(object, "waited_for_service", time->by);
	if (usage)
		json_object_set_int_member(object, "cpu_us", usage->cpu_us);
	if (usage && usage->read_bytes > 0)
		json_object_set_int_member(object, "read_bytes", usage->read_bytes);
	if (time->started_us > 0)
		json_object_set_array_member(object, "files", files_of(configuration, time->name));
	if (before)
		json_object_set_array_member(object, "stops_after", json_array_ref(before));
	return object;
}

static bool collect_services(Context *context, const Configuration *configuration,
			     JsonObject *record, int64_t init_us, GError **error)
{
	g_autoptr(BootTimes) times = get_boot_times(context, error);
	g_autoptr(BootUsages) usages = times ? boot_usages_take(context, error) : NULL;
	g_autoptr(GHashTable) order = usages ? stop_order(configuration, times) : NULL;
	JsonArray *services;

	if (!order)
		return false;
	services = json_array_new();
	for (unsigned i = 0; i < boot_times_count(times); i++) {
		const BootTime *time = boot_times_get(times, i);

		json_array_add_object_element(
			services,
			collect_service(time, g_hash_table_lookup(usages->services, time->name),
					configuration, g_hash_table_lookup(order, time->name),
					init_us));
	}
	json_object_set_int_member(record, "services_cpu_us", usages->services_us);
	json_object_set_int_member(record, "svcd_cpu_us", usages->own_us);
	json_object_set_array_member(record, "services", services);
	return true;
}

/* --- the login screen --- */

static bool is_up(GHashTable *records, const ServiceDef *def)
{
	GVariant *record = g_hash_table_lookup(records, def->name);

	return record && state_is_up(record_text(record, "State"));
}

/*
 * The service @token, or the first service that is up and provides @token; NULL: none is up.
 * @records: by name.
 */
static const ServiceDef *find_up(const Configuration *configuration, const char *token,
				 GHashTable *records)
{
	const GPtrArray *providers = service_set_facility(configuration->set, token);
	const ServiceDef *def = service_set_find(configuration->set, token);

	for (guint i = 0; providers && i < providers->len && !def; i++) {
		const ServiceDef *provider = g_ptr_array_index(providers, i);

		if (is_up(records, provider))
			def = provider;
	}
	return def && is_up(records, def) ? def : NULL;
}

/* The time at which the last condition of ShownWhen= became true; 0: not all are true. */
static int64_t shown_since(Context *context, const ServiceDef *def, GVariant *record)
{
	int64_t since_us = (int64_t)record_number(record, "ReadyAt");
	g_autoptr(GPtrArray) conditions = def->shown_when ? get_conditions(context, NULL) : NULL;

	for (guint i = 0; conditions && i < def->shown_when->len; i++) {
		const Term *term = g_ptr_array_index(def->shown_when, i);
		GVariant *found = NULL;

		for (guint k = 0; k < conditions->len && !found; k++) {
			GVariant *one = g_ptr_array_index(conditions, k);

			if (strcmp(record_text(one, "Key"), term_literal(term, 0)->key) == 0 &&
			    strcmp(record_text(one, "Level"), "true") == 0)
				found = one;
		}
		if (!found)
			return 0;
		since_us = MAX(since_us, (int64_t)record_number(found, "Since"));
	}
	return since_us;
}

/* The services that @name waits for, transitively. */
static JsonArray *needs_of(const Configuration *configuration, const char *name)
{
	g_autoptr(GArray) dependencies = dependencies_of(configuration);
	g_autoptr(GHashTable) by = dependencies_by(dependencies, false);
	g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
	g_autoptr(GPtrArray) found = g_ptr_array_new();
	JsonArray *needs = json_array_new();

	g_hash_table_add(seen, (gpointer)name);
	g_ptr_array_add(found, (gpointer)name);
	for (guint i = 0; i < found->len; i++) {
		const GPtrArray *edges = g_hash_table_lookup(by, g_ptr_array_index(found, i));

		for (guint k = 0; edges && k < edges->len; k++) {
			const Dependency *edge = g_ptr_array_index(edges, k);

			if (!edge->on || strcmp(edge->key, "Wants") == 0 ||
			    !g_hash_table_add(seen, (gpointer)edge->on))
				continue;
			g_ptr_array_add(found, (gpointer)edge->on);
			json_array_add_string_element(needs, edge->on);
		}
	}
	return needs;
}

static GHashTable *records_by_name(const GPtrArray *records)
{
	GHashTable *table = g_hash_table_new(g_str_hash, g_str_equal);

	for (guint i = 0; i < records->len; i++) {
		GVariant *record = g_ptr_array_index(records, i);

		g_hash_table_insert(table, (gpointer)record_text(record, "Name"), record);
	}
	return table;
}

static JsonObject *collect_login(Context *context, const Configuration *configuration,
				 int64_t init_us)
{
	g_autoptr(GPtrArray) services = get_services_with(context, "Name State ReadyAt", NULL);
	g_autoptr(GHashTable) records = services ? records_by_name(services) : NULL;
	const GPtrArray *tokens = policy_login_screen(configuration->policy);
	const ServiceDef *def = NULL;
	int64_t shown_us;
	JsonObject *login;

	for (guint i = 0; records && i < tokens->len && !def; i++)
		def = find_up(configuration, ((const NameRef *)g_ptr_array_index(tokens, i))->name,
			      records);
	shown_us = def ? shown_since(context, def, g_hash_table_lookup(records, def->name)) : 0;
	if (shown_us == 0)
		return NULL;
	login = json_object_new();
	json_object_set_string_member(login, "service", def->name);
	set_time(login, "shown_us", shown_us, init_us);
	json_object_set_array_member(login, "needs", needs_of(configuration, def->name));
	return login;
}

JsonObject *boot_collect_login(Context *context)
{
	const int64_t init_us = boot_init_started(context, NULL);
	g_autoptr(Configuration) configuration = init_us >= 0 ? context_load(context, NULL, 0) :
								NULL;

	return configuration ? collect_login(context, configuration, init_us) : NULL;
}

/* --- changes --- */

GPtrArray *boot_collect_changes(Context *context, GError **error)
{
	g_autoptr(GPtrArray) services = get_services_with(context, "Name Causes", error);
	GPtrArray *changes = services ? boot_changes_new() : NULL;

	for (guint i = 0; services && i < services->len; i++) {
		GVariant *service = g_ptr_array_index(services, i);
		g_autoptr(GVariant) causes =
			g_variant_lookup_value(service, "Causes", G_VARIANT_TYPE("a(tsss)"));
		const char *from, *to, *text;
		GVariantIter iter;
		guint64 at_us;

		if (!causes)
			continue;
		g_variant_iter_init(&iter, causes);
		while (g_variant_iter_next(&iter, "(t&s&s&s)", &at_us, &from, &to, &text)) {
			g_autofree char *stamp = output_stamp((int64_t)at_us);

			boot_changes_append(changes, (int64_t)at_us, stamp,
					    record_text(service, "Name"), from, to, text);
		}
	}
	return changes;
}

/* --- the kernel --- */

/* "some avg10=0.00 avg60=0.00 avg300=0.00 total=1234" (psi.rst of the kernel) */
static void set_pressure(JsonObject *object, const char *resource, const char *kind)
{
	g_autofree char *path = g_strdup_printf("%s/pressure/%s", proc_directory(), resource);
	g_autofree char *member = g_strdup_printf("%s_%s_us", resource, kind);
	g_autofree char *text = NULL;
	const char *line;
	const char *total;

	if (!g_file_get_contents(path, &text, NULL, NULL))
		return; /* the kernel has no such counters */
	line = strstr(text, kind);
	total = line ? strstr(line, "total=") : NULL;
	if (total)
		json_object_set_int_member(object, member,
					   g_ascii_strtoll(total + strlen("total="), NULL, 10));
}

static JsonObject *collect_pressure(void)
{
	JsonObject *object = json_object_new();

	set_pressure(object, "cpu", "some");
	set_pressure(object, "memory", "some");
	set_pressure(object, "memory", "full");
	set_pressure(object, "io", "some");
	set_pressure(object, "io", "full");
	return object;
}

/* One line for each sample, so that the file is easy to read: "TIME PROCESSORS DISK". */
void boot_collect_samples(JsonObject *record, const BootSamples *samples, int64_t init_us)
{
	JsonArray *array = json_array_new();
	JsonObject *disk = json_object_new();

	for (guint i = 1; i < samples->all->len; i++) {
		const BootSample *from = &g_array_index(samples->all, BootSample, i - 1);
		const BootSample *to = &g_array_index(samples->all, BootSample, i);
		g_autofree char *line = g_strdup_printf("%" G_GINT64_FORMAT " %d %d",
							to->at_us - init_us,
							boot_sample_processors(from, to),
							boot_sample_disk(from, to));

		json_array_add_string_element(array, line);
		json_object_set_int_member(disk, "read_bytes", to->read_bytes);
		json_object_set_int_member(disk, "written_bytes", to->written_bytes);
	}
	json_object_set_array_member(record, "samples", array);
	json_object_set_object_member(record, "disk", disk);
}

/* "2026-11-28T05:20:01Z"; a new string. */
static char *wall_time(int64_t at_us)
{
	const int64_t wall_us = g_get_real_time() - g_get_monotonic_time() + at_us;
	g_autoptr(GDateTime) time = g_date_time_new_from_unix_utc(wall_us / G_USEC_PER_SEC);

	return time ? g_date_time_format(time, "%Y-%m-%dT%H:%M:%SZ") : g_strdup("");
}

static void set_machine(JsonObject *record, GVariant *manager, int64_t init_us)
{
	const int64_t finished_us = (int64_t)record_number(manager, "BootFinishedAt");
	g_autofree char *id = boot_id();
	g_autofree char *begun = wall_time(init_us);
	g_autofree char *finished = wall_time(finished_us);
	struct utsname name;

	json_object_set_string_member(record, "boot_id", id);
	json_object_set_int_member(record, "init_started_us", init_us);
	json_object_set_string_member(record, "begun_at", begun);
	json_object_set_string_member(record, "finished_at", finished);
	if (uname(&name) == 0)
		json_object_set_string_member(record, "kernel_release", name.release);
	json_object_set_string_member(record, "svcd_version", record_text(manager, "Version"));
	json_object_set_int_member(record, "processors", MAX(sysconf(_SC_NPROCESSORS_ONLN), 1));
}

static void set_span(JsonObject *record, const char *member, int64_t span_us)
{
	if (span_us > 0)
		json_object_set_int_member(record, member, span_us);
}

JsonObject *boot_collect(Context *context, const BootSamples *samples, GError **error)
{
	g_autoptr(GVariant) manager =
		client_properties(context->client, OBJECT_PATH_MANAGER, INTERFACE_MANAGER, error);
	g_autoptr(GVariant) boot = manager ? client_properties(context->client, OBJECT_PATH_BOOT,
							       INTERFACE_BOOT, error) :
					     NULL;
	const int64_t init_us = boot ? (int64_t)record_number(boot, "InitStartedAt") : 0;
	g_autoptr(Configuration) configuration = boot ? context_load(context, NULL, 0) : NULL;
	g_autoptr(JsonObject) record = json_object_new();
	JsonObject *login;
	BootSpans spans;

	if (!boot)
		return NULL;
	set_machine(record, manager, init_us);
	spans = boot_spans_measure(manager, boot, g_get_monotonic_time());
	set_span(record, "firmware_us", spans.firmware_us);
	set_span(record, "kernel_us", spans.kernel_us);
	set_span(record, "svcd_us", spans.svcd_us);
	json_object_set_object_member(record, "pressure", collect_pressure());
	boot_collect_samples(record, samples, init_us);
	login = collect_login(context, configuration, init_us);
	if (login)
		json_object_set_object_member(record, "login_screen", login);
	return collect_services(context, configuration, record, init_us, error) ?
		       g_steal_pointer(&record) :
		       NULL;
}
