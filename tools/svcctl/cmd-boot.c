/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * boot: the course of this boot; --wait waits for its end. The times of each service are in
 * cmd-boot-times.c, and earlier boots in cmd-boot-saved.c.
 */
#include "config.h"

#include <string.h>

#include "base/errors.h"
#include "base/text.h"
#include "bus/names.h"
#include "svcctl/boot-spans.h"
#include "svcctl/boot-times.h"
#include "svcctl/boot-wait.h"
#include "svcctl/job-lines.h"
#include "svcctl/svcctl.h"

/* The progress also changes with time, so it is redrawn at this interval. */
#define TURN_US (G_USEC_PER_SEC / 10)

/* The data about a boot that svcctl needs. */
typedef struct BootView {
	GVariant *manager;
	GVariant *boot;
	BootTimes *times;
	GPtrArray *failed; /* const BootTime * */
} BootView;

static void boot_view_clear(BootView *view)
{
	g_clear_pointer(&view->manager, g_variant_unref);
	g_clear_pointer(&view->boot, g_variant_unref);
	g_clear_pointer(&view->times, boot_times_free);
	g_clear_pointer(&view->failed, g_ptr_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(BootView, boot_view_clear)

BootTimes *get_boot_times(Context *context, GError **error)
{
	g_autoptr(GVariant) reply = client_get(context->client, OBJECT_PATH_BOOT, INTERFACE_BOOT,
					       "ListTimes", NULL, "(a(sttttsss))", error);
	g_autoptr(GVariant) array = reply ? g_variant_get_child_value(reply, 0) : NULL;

	return array ? boot_times_new(array) : NULL;
}

static GPtrArray *find_failed(const BootTimes *times)
{
	GPtrArray *failed = g_ptr_array_new();

	for (unsigned i = 0; i < boot_times_count(times); i++) {
		const BootTime *time = boot_times_get(times, i);

		if (strcmp(time->result, "failed") == 0)
			g_ptr_array_add(failed, (gpointer)time);
	}
	return failed;
}

static bool look(Context *context, BootView *ret, GError **error)
{
	boot_view_clear(ret);
	ret->manager =
		client_properties(context->client, OBJECT_PATH_MANAGER, INTERFACE_MANAGER, error);
	if (!ret->manager)
		return false;
	ret->boot = client_properties(context->client, OBJECT_PATH_BOOT, INTERFACE_BOOT, error);
	ret->times = ret->boot ? get_boot_times(context, error) : NULL;
	if (!ret->times)
		return false;
	ret->failed = find_failed(ret->times);
	return true;
}

static bool is_finished(const BootView *view)
{
	return record_number(view->boot, "Finished") > 0;
}

static BootSpans measure(const BootView *view)
{
	return boot_spans_measure(view->manager, view->boot, g_get_monotonic_time());
}

/* --- the summary --- */

static void print_span(Output *output, const char *label, int64_t span_us, const char *what)
{
	g_autofree char *duration = text_format_duration(span_us);
	g_autofree char *text = g_strdup_printf("%s%s", duration, what);

	if (span_us > 0)
		output_field(output, label, text);
}

/* "udev > dbus > gdm3"; a new string, NULL: no start has ended yet. */
static char *chain_text(const Output *output, const BootTimes *times)
{
	g_autoptr(GPtrArray) chain = boot_times_chain(times, boot_times_last(times));
	g_autoptr(GString) text = g_string_new(NULL);

	(void)output;
	for (guint i = 0; i < chain->len; i++)
		g_string_append_printf(text, "%s%s", i > 0 ? " > " : "",
				       ((const BootTime *)g_ptr_array_index(chain, i))->name);
	return chain->len > 0 ? g_string_free(g_steal_pointer(&text), FALSE) : NULL;
}

static void print_title(Output *output, const BootView *view, const BootSpans *spans)
{
	g_autofree char *total = text_format_duration(boot_spans_total(spans));
	g_autofree char *percent = boot_wait_progress(view->boot);
	g_autofree char *title =
		is_finished(view) ?
			g_strdup_printf("The boot took %s: %u of %u services up, %u failed.", total,
					(unsigned)record_number(view->boot, "Ready"),
					(unsigned)record_number(view->boot, "Total"),
					view->failed->len) :
			g_strdup_printf("Booting for %s: %s.", total, percent);

	output_paragraph(output, 0, title);
}

static bool print_summary(Context *context, const BootView *view, GError **error)
{
	Output *output = &context->output;
	const BootSpans spans = measure(view);
	g_autofree char *chain = chain_text(output, view->times);

	print_title(output, view, &spans);
	if (!is_finished(view) && !boot_wait_print(context, error))
		return false;
	print_span(output, "Firmware", spans.firmware_us, " (with the boot loader)");
	print_span(output, "Kernel", spans.kernel_us, " (up to PID 1)");
	print_span(output, "svcd", spans.svcd_us, "");
	output_field(output, "Chain", is_finished(view) ? chain : NULL);
	output_field(output, "", is_finished(view) && chain ? "svcctl boot chain" : NULL);
	for (guint i = 0; i < view->failed->len; i++) {
		const BootTime *time = g_ptr_array_index(view->failed, i);
		g_autofree char *text =
			g_strdup_printf("%s: svcctl explain %s", time->name, time->name);

		output_field(output, i == 0 ? "Failed" : "", text);
	}
	return true;
}

static JsonArray *names_to_json(const GPtrArray *times)
{
	JsonArray *array = json_array_new();

	for (guint i = 0; i < times->len; i++)
		json_array_add_string_element(
			array, ((const BootTime *)g_ptr_array_index(times, i))->name);
	return array;
}

static void set_span(JsonObject *object, const char *key, int64_t span_us)
{
	if (span_us > 0)
		json_object_set_int_member(object, key, span_us);
	else
		json_object_set_null_member(object, key);
}

static void summary_to_json(Output *output, const BootView *view)
{
	g_autoptr(GPtrArray) chain = boot_times_chain(view->times, boot_times_last(view->times));
	const BootSpans spans = measure(view);
	JsonObject *object = json_object_new();
	double fraction = 0;

	(void)g_variant_lookup(view->boot, "Progress", "d", &fraction);
	json_object_set_boolean_member(object, "finished", is_finished(view));
	json_object_set_double_member(object, "progress", fraction);
	json_object_set_int_member(object, "remaining_us",
				   (gint64)record_number(view->boot, "EstimatedRemaining"));
	set_span(object, "firmware_us", spans.firmware_us);
	set_span(object, "kernel_us", spans.kernel_us);
	set_span(object, "svcd_us", spans.svcd_us);
	set_span(object, "total_us", boot_spans_total(&spans));
	json_object_set_int_member(object, "ready", (gint64)record_number(view->boot, "Ready"));
	json_object_set_int_member(object, "total", (gint64)record_number(view->boot, "Total"));
	json_object_set_array_member(object, "failed", names_to_json(view->failed));
	json_object_set_array_member(object, "chain", names_to_json(chain));
	output_set_object(output, object);
}

/* --- waiting --- */

/* "starting gdm3, cron"; a new string. */
static char *starting_text(GVariant *boot)
{
	g_autoptr(GVariant)
		names = g_variant_lookup_value(boot, "Starting", G_VARIANT_TYPE_STRING_ARRAY);
	g_autofree const char **arguments = names ? g_variant_get_strv(names, NULL) : NULL;
	g_autofree char *joined = arguments ? g_strjoinv(", ", (char **)arguments) : NULL;

	return joined && *joined ? g_strconcat("starting ", joined, NULL) : g_strdup("");
}

/* Plain lines contain no times, because each change of a time would print another line. */
static void show(JobLines *lines, const BootView *view)
{
	const BootSpans spans = measure(view);
	g_autofree char *detail = starting_text(view->boot);
	g_autofree char *percent = boot_wait_progress(view->boot);
	const JobLine line = { .name = "boot",
			       .state = "starting",
			       .elapsed_us = spans.svcd_us,
			       .note = percent,
			       .detail = detail };

	job_lines_show(lines, &line, 1);
}

/* The duration of a boot is unknown, so there is no limit unless one was given. */
static int64_t wait_deadline(const Context *context)
{
	return context->options.timeout ? g_get_monotonic_time() + context->timeout_us : G_MAXINT64;
}

static bool wait_for_end(Context *context, BootView *view, GError **error)
{
	const int64_t deadline_us = wait_deadline(context);
	g_autoptr(JobLines)
		lines = job_lines_new(&context->output, context->options.shows_progress);

	if (!client_watch(context->client, error))
		return false;
	while (look(context, view, error)) {
		if (is_finished(view))
			return true;
		if (g_get_monotonic_time() >= deadline_us || context->options.has_no_wait) {
			context_hint(
				context,
				"What it waits for: svcctl explain\nIts progress: svcctl boot");
			return fail_ctl(error, CTL_ERROR_TIMED_OUT,
					"timed out; the boot is not finished, and goes on");
		}
		show(lines, view);
		(void)client_wait(
			context->client,
			MIN(deadline_us,
			    g_get_monotonic_time() +
				    (job_lines_are_live(lines) ? TURN_US : G_USEC_PER_SEC)));
	}
	return false;
}

static bool report_failed(Context *context, const BootView *view, GError **error)
{
	g_autofree char *count = output_count(view->failed->len, "service");
	const BootTime *first;

	if (view->failed->len == 0)
		return true;
	first = g_ptr_array_index(view->failed, 0);
	context_hint(context, "svcctl explain %s", view->failed->len == 1 ? first->name : "");
	return fail_ctl(error, CTL_ERROR_FAILED, "%s failed in this boot: %s%s", count, first->name,
			view->failed->len > 1 ? " and others" : "");
}

static bool boot_summary(Context *context, GError **error)
{
	g_auto(BootView) view = { 0 };

	if (context->options.waits ? !wait_for_end(context, &view, error) :
				     !look(context, &view, error))
		return false;
	summary_to_json(&context->output, &view);
	if (!print_summary(context, &view, error))
		return false;
	return !context->options.waits || report_failed(context, &view, error);
}

static const struct {
	const char *name;
	unsigned max_names;
	bool (*run)(Context *context, GError **error);
} actions[] = {
	{ "blame", 1, boot_blame },   { "chain", 1, boot_chain },
	{ "dot", 0, boot_dot },       { "list", 0, boot_list },
	{ "show", 1, boot_show },     { "compare", 2, boot_compare_two },
	{ "plot", 1, boot_plot_one }, { "record", 1, boot_record },
};

bool cmd_boot(Context *context, GError **error)
{
	const char *name = context->n_names > 0 ? context->names[0] : NULL;

	if (context->options.of_shutdown && (!name || strcmp(name, "blame") != 0))
		return fail_ctl(error, CTL_ERROR_USAGE, "--shutdown works only with boot blame");
	for (size_t i = 0; name && i < G_N_ELEMENTS(actions); i++) {
		if (strcmp(actions[i].name, name) != 0)
			continue;
		if (context->n_names - 1 > actions[i].max_names)
			return fail_ctl(error, CTL_ERROR_USAGE, "boot %s: too many arguments",
					name);
		if (context->options.waits)
			return fail_ctl(error, CTL_ERROR_USAGE, "boot %s does not take --wait",
					name);
		return actions[i].run(context, error);
	}
	if (name)
		return fail_ctl(error, CTL_ERROR_USAGE,
				"boot takes list, show, blame, compare, plot, chain or dot, not "
				"\"%s\"",
				name);
	return boot_summary(context, error);
}
