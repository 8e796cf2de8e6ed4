/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * boot blame, boot chain, boot dot: where the time of this boot was spent.
 */
#include "config.h"

#include <string.h>

#include "base/errors.h"
#include "base/text.h"
#include "bus/names.h"
#include "svcctl/boot-collect.h"
#include "svcctl/boot-times.h"
#include "svcctl/boot-usage.h"
#include "svcctl/svcctl.h"

static const Column blame_columns[] = {
	{ "own_us", NULL, "Own", CELL_DURATION },
	{ "waited_us", NULL, "Waited", CELL_DURATION },
	{ "own", "OWN TIME", "OwnText", CELL_TEXT },
	{ "cpu_us", NULL, "Cpu", CELL_DURATION },
	{ "cpu", "CPU", "CpuText", CELL_TEXT },
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

static const Column shutdown_columns[] = {
	{ "stop_us", NULL, "Took", CELL_DURATION },
	{ "stop", "STOP TIME", "TookText", CELL_TEXT },
	{ "at_us", NULL, "At", CELL_NUMBER },
	{ "at", "AT", "AtText", CELL_TEXT },
	{ "name", "SERVICE", "Name", CELL_TEXT },
	{ "stopped", NULL, "Stopped", CELL_BOOL },
	{ "waited_for_service", "WAITED LAST FOR", "By", CELL_TEXT },
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

/* @cpu_us: 0: not known */
static void add_record(GPtrArray *records, const BootTime *time, int64_t cpu_us, int64_t begun_us,
		       int64_t now_us)
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
	add_time(&dict, "Cpu", cpu_us);
	if (cpu_us > 0)
		add_duration(&dict, "CpuText", cpu_us);
	records_add(records, &dict);
}

/*
 * The shown period begins with PID 1. For services that are not finished, it ends at the end of the
 * boot, or now.
 */
static bool get_span(Context *context, int64_t *ret_begun_us, int64_t *ret_end_us, GError **error)
{
	g_autoptr(GVariant)
		boot = client_properties(context->client, OBJECT_PATH_BOOT, INTERFACE_BOOT, error);
	g_autoptr(GVariant) manager = boot ? client_properties(context->client, OBJECT_PATH_MANAGER,
							       INTERFACE_MANAGER, error) :
					     NULL;
	int64_t finished_us;

	if (!manager)
		return false;
	finished_us = (int64_t)record_number(manager, "BootFinishedAt");
	*ret_begun_us = (int64_t)record_number(boot, "InitStartedAt");
	*ret_end_us = finished_us > 0 ? finished_us : g_get_monotonic_time();
	return true;
}

static bool show_records(Context *context, const Column *columns, unsigned n_columns,
			 GPtrArray *records, GError **error)
{
	return output_table(&context->output, columns, n_columns, records, context->options.columns,
			    error);
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

static bool show_blame(Context *context, GPtrArray *records, GError **error)
{
	print_header(
		context,
		"Services start in parallel: these times do not add up. OWN TIME is from a "
		"service's first process until it is up, WAITED from when it was wanted until its "
		"first process.");
	return show_records(context, blame_columns, G_N_ELEMENTS(blame_columns), records, error);
}

/* Prints the times of the recorded boot with this number. */
static bool blame_saved(Context *context, const char *text, GError **error)
{
	g_autoptr(GPtrArray) records = records_new();
	g_autoptr(GPtrArray) sorted = NULL;
	g_autoptr(SavedBoot) boot = boots_load_text(context, text, error);
	int64_t end_us;

	if (!boot)
		return false;
	end_us = saved_boot_int(boot, NULL, "svcd_us");
	sorted = boot_times_by_own(boot->times, end_us);
	for (guint i = 0; i < sorted->len; i++) {
		const BootTime *time = g_ptr_array_index(sorted, i);

		if (time->started_us > 0 || context->options.is_all)
			add_record(records, time, saved_boot_of_service(boot, time->name, "cpu_us"),
				   0, end_us);
	}
	return show_blame(context, records, error);
}

/* The record of this boot; NULL: there is none yet. Its CPU times are those of the boot. */
static SavedBoot *load_this(const Context *context, int64_t init_us)
{
	g_autoptr(SavedBoot) last = context->options.is_user ? NULL :
							       boots_load_last(boots_directory());

	return last && boot_is_this(last, init_us) ? g_steal_pointer(&last) : NULL;
}

static bool blame_this(Context *context, GError **error)
{
	g_autoptr(BootTimes) times = get_boot_times(context, error);
	g_autoptr(GPtrArray) services = times ? get_services_with(context, "Name Presence", error) :
						NULL;
	g_autoptr(GHashTable) absent = services ? list_absent(services) : NULL;
	g_autoptr(BootUsages) usages = absent ? boot_usages_take(context, error) : NULL;
	g_autoptr(GPtrArray) records = records_new();
	g_autoptr(GPtrArray) sorted = NULL;
	g_autoptr(SavedBoot) saved = NULL;
	int64_t begun_us;
	int64_t end_us;

	if (!usages || !get_span(context, &begun_us, &end_us, error))
		return false;
	saved = load_this(context, begun_us);
	sorted = boot_times_by_own(times, end_us);
	for (guint i = 0; i < sorted->len; i++) {
		const BootTime *time = g_ptr_array_index(sorted, i);
		const int64_t cpu_us = saved ? saved_boot_of_service(saved, time->name, "cpu_us") :
					       boot_usages_cpu(usages, time->name);

		if (time->started_us > 0 || context->options.is_all ||
		    !g_hash_table_contains(absent, time->name))
			add_record(records, time, cpu_us, begun_us, end_us);
	}
	return show_blame(context, records, error);
}

/* --- the shutdown --- */

static void add_stop(GPtrArray *records, const SavedStop *stop)
{
	g_auto(GVariantDict) dict = G_VARIANT_DICT_INIT(NULL);
	g_autofree char *took = text_format_duration(stop->took_us);
	g_autofree char *text = g_strdup_printf("%s%s", stop->is_stopped ? "" : "at least ", took);

	record_add_text(&dict, "Name", stop->name);
	record_add_text(&dict, "TookText", text);
	record_add_text(&dict, "By", stop->waited_for);
	add_time(&dict, "Took", stop->took_us);
	add_time(&dict, "At", stop->from_us);
	add_duration(&dict, "AtText", stop->from_us);
	g_variant_dict_insert(&dict, "Stopped", "b", stop->is_stopped);
	records_add(records, &dict);
}

static gint compare_stops(gconstpointer a, gconstpointer b)
{
	const SavedStop *left = *(const SavedStop *const *)a;
	const SavedStop *right = *(const SavedStop *const *)b;

	if (left->took_us != right->took_us)
		return left->took_us < right->took_us ? 1 : -1;
	return strcmp(left->name, right->name);
}

/* "database > web > network": each stop waited last for the one before it; a new string. */
static char *chain_of(const GPtrArray *stops)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < stops->len; i++) {
		const SavedStop *stop = g_ptr_array_index(stops, i);

		if (stop->is_in_chain)
			g_string_append_printf(text, "%s%s", text->len > 0 ? " > " : "",
					       stop->name);
	}
	return g_string_free(text, FALSE);
}

static void print_shutdown(Context *context, const SavedBoot *boot, const GPtrArray *stops)
{
	g_autofree char *took = text_format_duration(saved_boot_int(boot, "shutdown", "took_us"));
	g_autofree char *chain = chain_of(stops);
	g_autofree char *title =
		g_strdup_printf("The services of boot %u stopped in %s%s: %s, at %s.", boot->number,
				saved_boot_int(boot, "shutdown", "complete") ? "" : "at least ",
				took, saved_boot_text(boot, "shutdown", "requested"),
				saved_boot_text(boot, "shutdown", "requested_at"));
	g_autofree char *delay = g_strdup_printf("The shutdown waited for: %s. AT is the time "
						 "since the request.",
						 chain);

	print_header(context, title);
	if (*chain)
		print_header(context, delay);
}

/* The boot with this number, or without one the last boot with a known shutdown. */
static SavedBoot *load_shutdown(Context *context, const char *text, GError **error)
{
	g_autoptr(GArray) numbers = boots_list(boots_directory());
	g_autoptr(SavedBoot) boot = text ? boots_load_text(context, text, error) : NULL;

	if (text && !boot)
		return NULL;
	for (guint i = numbers->len; i > 0 && !text; i--) {
		g_clear_pointer(&boot, saved_boot_free);
		boot = boots_load(boots_directory(), g_array_index(numbers, unsigned, i - 1), NULL);
		if (boot && *saved_boot_text(boot, "shutdown", "requested"))
			return g_steal_pointer(&boot);
	}
	if (boot && *saved_boot_text(boot, "shutdown", "requested"))
		return g_steal_pointer(&boot);
	context_hint(context, "svcctl boot list");
	fail_ctl(error, CTL_ERROR_FILE, "no shutdown of %s%s is recorded in %s",
		 text ? "boot " : "a boot", text ? text : "", boots_directory());
	return NULL;
}

static bool blame_shutdown(Context *context, GError **error)
{
	g_autoptr(SavedBoot) boot =
		load_shutdown(context, context->n_names > 1 ? context->names[1] : NULL, error);
	g_autoptr(GPtrArray) stops = boot ? saved_boot_stops(boot, 0) : NULL;
	g_autoptr(GPtrArray) records = records_new();

	if (!boot)
		return false;
	print_shutdown(context, boot, stops);
	g_ptr_array_sort(stops, compare_stops);
	for (guint i = 0; i < stops->len; i++)
		add_stop(records, g_ptr_array_index(stops, i));
	return show_records(context, shutdown_columns, G_N_ELEMENTS(shutdown_columns), records,
			    error);
}

bool boot_blame(Context *context, GError **error)
{
	if (context->options.of_shutdown)
		return blame_shutdown(context, error);
	return context->n_names > 1 ? blame_saved(context, context->names[1], error) :
				      blame_this(context, error);
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
	/* an alias was given (Provides=) */
	end = boot_times_find(times, record_text(service, "Name"));
	if (end)
		return end;
	context_hint(context, "svcctl status %s", name);
	fail_ctl(error, CTL_ERROR_NOT_UP,
		 "%s was not part of this boot: nothing wanted it before the boot had finished",
		 name);
	return NULL;
}

bool boot_chain(Context *context, GError **error)
{
	g_autoptr(BootTimes) times = get_boot_times(context, error);
	g_autoptr(GPtrArray) records = records_new();
	g_autoptr(GPtrArray) chain = NULL;
	const BootTime *end;
	int64_t begun_us;
	int64_t end_us;

	if (!times || !get_span(context, &begun_us, &end_us, error))
		return false;
	end = find_end(context, times, error);
	if (!end)
		return false;
	chain = boot_times_chain(times, end);
	for (guint i = 0; i < chain->len; i++)
		add_record(records, g_ptr_array_index(chain, i), 0, begun_us, end_us);
	print_header(
		context,
		context->n_names > 1 ?
			"Each service waited last for the one above it. AT is the time since PID "
			"1 began." :
			"The services that delayed the boot: each of them waited last for the one "
			"above it. AT is the time "
			"since PID 1 began.");
	return show_records(context, chain_columns, G_N_ELEMENTS(chain_columns), records, error);
}

bool boot_dot(Context *context, GError **error)
{
	g_autoptr(BootTimes) times = get_boot_times(context, error);
	g_autofree char *text = NULL;
	JsonObject *object;
	int64_t begun_us;
	int64_t end_us;

	if (!times || !get_span(context, &begun_us, &end_us, error))
		return false;
	text = boot_times_dot(times, begun_us, end_us);
	if (!context->output.is_json) {
		fputs(text, context->output.out);
		return true;
	}
	object = json_object_new();
	json_object_set_string_member(object, "dot", text);
	output_set_object(&context->output, object);
	return true;
}
