/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * boot blame, boot chain, boot dot: where the time of this boot was spent.
 */
#include "config.h"

#include <string.h>

#include "base/errors.h"
#include "base/text.h"
#include "bus/names.h"
#include "svcctl/boot-times.h"
#include "svcctl/svcctl.h"

static const Column blame_columns[] = {
	{ "own_us", NULL, "Own", CELL_DURATION },
	{ "waited_us", NULL, "Waited", CELL_DURATION },
	{ "own", "OWN TIME", "OwnText", CELL_TEXT },
	{ "waited", "WAITED", "WaitedText", CELL_TEXT },
	{ "name", "SERVICE", "Name", CELL_TEXT },
	{ "result", "RESULT", "Result", CELL_TEXT },
	{ "waited_for", "WAITED LAST FOR", "Last", CELL_TEXT },
	{ "waited_for_service", NULL, "By", CELL_TEXT },
	{ "wanted_at_us", NULL, "Wanted", CELL_TIME },
	{ "allowed_at_us", NULL, "Allowed", CELL_TIME },
	{ "started_at_us", NULL, "Started", CELL_TIME },
	{ "over_at_us", NULL, "Over", CELL_TIME },
};

static const Column chain_columns[] = {
	{ "at_us", NULL, "At", CELL_NUMBER },
	{ "own_us", NULL, "Own", CELL_DURATION },
	{ "at", "AT", "AtText", CELL_TEXT },
	{ "own", "OWN TIME", "OwnText", CELL_TEXT },
	{ "name", "SERVICE", "Name", CELL_TEXT },
	{ "result", "RESULT", "Result", CELL_TEXT },
	{ "waited_for", "WAITED LAST FOR", "Last", CELL_TEXT },
	{ "waited_us", NULL, "Waited", CELL_DURATION },
	{ "waited_for_service", NULL, "By", CELL_TEXT },
};

static void add_time(GVariantDict *dict, const char *name, int64_t us)
{
	g_variant_dict_insert(dict, name, "t", (guint64)MAX(us, 0));
}

static void add_duration(GVariantDict *dict, const char *name, int64_t us)
{
	g_autofree char *text = text_format_duration(us);

	record_add_text(dict, name, text);
}

/*
 * "waiting" and "starting" are not results, but the activity of a service that has no result yet.
 */
static const char *result_of(const BootTime *time)
{
	if (strcmp(time->result, "none") != 0)
		return time->result;
	return time->started_us > 0 ? "starting" : "waiting";
}

static void add_record(GPtrArray *records, const BootTime *time, int64_t begun_us, int64_t now_us)
{
	g_auto(GVariantDict) dict = G_VARIANT_DICT_INIT(NULL);

	record_add_text(&dict, "Name", time->name);
	record_add_text(&dict, "Result", result_of(time));
	record_add_text(&dict, "Last", time->last);
	record_add_text(&dict, "By", time->by);
	add_time(&dict, "Own", boot_time_own(time, now_us));
	add_time(&dict, "Waited", boot_time_waited(time, now_us));
	add_time(&dict, "At", time->started_us - begun_us);
	add_time(&dict, "Wanted", time->wanted_us);
	add_time(&dict, "Allowed", time->allowed_us);
	add_time(&dict, "Started", time->started_us);
	add_time(&dict, "Over", time->over_us);
	if (time->started_us > 0) {
		add_duration(&dict, "OwnText", boot_time_own(time, now_us));
		add_duration(&dict, "AtText", MAX(time->started_us - begun_us, 0));
	}
	add_duration(&dict, "WaitedText", boot_time_waited(time, now_us));
	records_add(records, &dict);
}

/*
 * The start of the shown period is PID 1's start. Its end, for services that are not finished, is
 * the end of the boot, or now.
 */
static bool ask_span(Context *context, int64_t *ret_begun_us, int64_t *ret_end_us, GError **error)
{
	g_autoptr(GVariant) boot = client_properties(context->client, OBJECT_PATH_BOOT, INTERFACE_BOOT, error);
	g_autoptr(GVariant) manager =
		boot ? client_properties(context->client, OBJECT_PATH_MANAGER, INTERFACE_MANAGER, error) : NULL;
	int64_t finished_us;

	if (!manager)
		return false;
	finished_us = (int64_t)record_number(manager, "BootFinishedAt");
	*ret_begun_us = (int64_t)record_number(boot, "InitStartedAt");
	*ret_end_us = finished_us > 0 ? finished_us : g_get_monotonic_time();
	return true;
}

static bool show_records(Context *context, const Column *columns, unsigned n_columns, GPtrArray *records, GError **error)
{
	return output_table(&context->output, columns, n_columns, records, context->options.columns, error);
}

static void print_header(Context *context, const char *text)
{
	if (context->output.has_header && !context->options.columns)
		output_paragraph(&context->output, 0, text);
}

/* Names of the services that cannot run on this machine, owned by @services; the set is new. */
static GHashTable *list_absent(const GPtrArray *services)
{
	GHashTable *absent = g_hash_table_new(g_str_hash, g_str_equal);

	for (guint i = 0; i < services->len; i++) {
		GVariant *service = g_ptr_array_index(services, i);

		if (record_is_absent(service))
			g_hash_table_add(absent, (gpointer)record_text(service, "Name"));
	}
	return absent;
}

bool boot_blame(Context *context, GError **error)
{
	g_autoptr(BootTimes) times = ask_boot_times(context, error);
	g_autoptr(GPtrArray) services = times ? ask_services_for(context, "Name Presence", error) : NULL;
	g_autoptr(GHashTable) absent = services ? list_absent(services) : NULL;
	g_autoptr(GPtrArray) records = records_new();
	g_autoptr(GPtrArray) sorted = NULL;
	int64_t begun_us;
	int64_t end_us;

	if (!absent || !ask_span(context, &begun_us, &end_us, error))
		return false;
	sorted = boot_times_by_own(times, end_us);
	for (guint i = 0; i < sorted->len; i++) {
		const BootTime *time = g_ptr_array_index(sorted, i);

		if (time->started_us > 0 || context->options.is_all || !g_hash_table_contains(absent, time->name))
			add_record(records, time, begun_us, end_us);
	}
	print_header(context, "Services start in parallel: these times do not add up. OWN TIME is from its first process to being "
			      "up, WAITED from being wanted to its first process.");
	return show_records(context, blame_columns, G_N_ELEMENTS(blame_columns), records, error);
}

/* The requested service, or the last one of the boot; NULL with @error. */
static const BootTime *find_end(Context *context, const BootTimes *times, GError **error)
{
	const char *name = context->n_names > 1 ? context->names[1] : NULL;
	const BootTime *end = name ? boot_times_find(times, name) : boot_times_last(times);
	g_autoptr(GVariant) service = NULL;

	if (end)
		return end;
	if (!name) {
		context_hint(context, "svcctl boot --wait");
		fail_ctl(error, CTL_ERROR_FAILED, "nothing has started in this boot yet");
		return NULL;
	}
	service = client_service(context->client, name, error);
	if (!service) {
		context_advise(context, *error, name);
		return NULL;
	}
	end = boot_times_find(times, record_text(service, "Name")); /* an alias was given (Provides=) */
	if (end)
		return end;
	context_hint(context, "svcctl status %s", name);
	fail_ctl(error, CTL_ERROR_NOT_UP, "%s was not part of this boot: nothing wanted it before the boot had finished", name);
	return NULL;
}

bool boot_chain(Context *context, GError **error)
{
	g_autoptr(BootTimes) times = ask_boot_times(context, error);
	g_autoptr(GPtrArray) records = records_new();
	g_autoptr(GPtrArray) chain = NULL;
	const BootTime *end;
	int64_t begun_us;
	int64_t end_us;

	if (!times || !ask_span(context, &begun_us, &end_us, error))
		return false;
	end = find_end(context, times, error);
	if (!end)
		return false;
	chain = boot_times_chain(times, end);
	for (guint i = 0; i < chain->len; i++)
		add_record(records, g_ptr_array_index(chain, i), begun_us, end_us);
	print_header(context, context->n_names > 1
				      ? "Each waited last for the one above it. AT is the time since PID 1 began."
				      : "What the boot has waited for: each waited last for the one above it, and nothing else held it "
					"up then. AT is the time since PID 1 began.");
	return show_records(context, chain_columns, G_N_ELEMENTS(chain_columns), records, error);
}

bool boot_dot(Context *context, GError **error)
{
	g_autoptr(BootTimes) times = ask_boot_times(context, error);
	g_autofree char *text = NULL;
	JsonObject *object;
	JsonNode *node;
	int64_t begun_us;
	int64_t end_us;

	if (!times || !ask_span(context, &begun_us, &end_us, error))
		return false;
	text = boot_times_dot(times, begun_us, end_us);
	if (!context->output.is_json) {
		fputs(text, context->output.out);
		return true;
	}
	object = json_object_new();
	json_object_set_string_member(object, "dot", text);
	node = json_node_init_object(json_node_alloc(), object);
	json_object_unref(object);
	output_set_data(&context->output, node);
	return true;
}
