/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * boot list, show, compare, plot: the records of the last boots.
 */
#include "config.h"

#include <string.h>

#include "base/text.h"
#include "svcctl/boot-collect.h"
#include "svcctl/boot-compare.h"
#include "svcctl/boot-plot.h"
#include "svcctl/package-log.h"
#include "svcctl/svcctl.h"

/* The directories of dpkg(1). */
#define PACKAGE_LOGS "/var/log"
#define PACKAGE_INFO "/var/lib/dpkg/info"

static const Column list_columns[] = {
	{ "number", "BOOT", "Number", CELL_NUMBER },
	{ "finished_at", "FINISHED", "Finished", CELL_TEXT },
	{ "total_us", NULL, "Total", CELL_DURATION },
	{ "total", "TOOK", "TotalText", CELL_TEXT },
	{ "svcd_us", NULL, "Svcd", CELL_DURATION },
	{ "login_us", NULL, "Login", CELL_DURATION },
	{ "login", "LOGIN", "LoginText", CELL_TEXT },
	{ "services", "SERVICES", "Services", CELL_NUMBER },
	{ "failed", "FAILED", "Failed", CELL_OPTIONAL },
	{ "shutdown", "ENDED BY", "Shutdown", CELL_TEXT },
};

static const Column compare_columns[] = {
	{ "longer_us", NULL, "Longer", CELL_DURATION },
	{ "before_us", NULL, "Before", CELL_DURATION },
	{ "after_us", NULL, "After", CELL_DURATION },
	{ "waited_longer_us", NULL, "Waited", CELL_DURATION },
	{ "cpu_longer_us", NULL, "Cpu", CELL_DURATION },
	{ "longer", "LONGER", "LongerText", CELL_TEXT },
	{ "before", "BEFORE", "BeforeText", CELL_TEXT },
	{ "after", "AFTER", "AfterText", CELL_TEXT },
	{ "name", "SERVICE", "Name", CELL_TEXT },
	{ "package", "PACKAGE", "Package", CELL_TEXT },
};

/* Adds @us as a number and as text. The number of a negative difference is 0. */
static void add_duration(GVariantDict *dict, const char *number, const char *text, int64_t us)
{
	g_autofree char *formatted = text_format_duration(ABS(us));
	g_autofree char *signed_text = g_strdup_printf("%s%s", us < 0 ? "-" : "", formatted);

	g_variant_dict_insert(dict, number, "t", (guint64)MAX(us, 0));
	if (us != 0)
		record_add_text(dict, text, signed_text);
}

/* --- which boot --- */

SavedBoot *boots_load_text(Context *context, const char *text, GError **error)
{
	uint64_t number;

	context_hint(context, "svcctl boot list");
	if (text_parse_uint(text, 10, G_MAXINT32, &number))
		return boots_load(boots_directory(), (unsigned)number, error);
	fail_ctl(error, CTL_ERROR_USAGE, "boot %s takes the number of a boot, not \"%s\"",
		 context->names[0], text);
	return NULL;
}

/*
 * The boot that argument @index of the command line names. If there is no such argument: the
 * @back-th newest boot. NULL with @error.
 */
static SavedBoot *load(Context *context, unsigned index, unsigned back, GError **error)
{
	const char *directory = boots_directory();
	g_autoptr(GArray) numbers = boots_list(directory);

	if (index < context->n_names)
		return boots_load_text(context, context->names[index], error);
	if (numbers->len > back)
		return boots_load(directory,
				  g_array_index(numbers, unsigned, numbers->len - 1 - back), error);
	context_hint(context, "svcctl explain boot-record");
	fail_ctl(error, CTL_ERROR_FILE,
		 numbers->len == 0 ? "no boot is recorded in %s yet" :
				     "only one boot is recorded in %s",
		 directory);
	return NULL;
}

bool boots_load_earlier(Context *context, SavedBoot **ret_boot, GError **error)
{
	const char *text = context->options.boot;
	g_autoptr(GArray) numbers = boots_list(boots_directory());
	const int64_t init_us = boot_init_started(context, NULL);
	g_autoptr(SavedBoot) boot = NULL;
	uint64_t n;

	context_hint(context, "svcctl boot list");
	if (context->options.is_user)
		return fail_ctl(error, CTL_ERROR_USAGE,
				"--boot does not work with --user: only the machine's boots are "
				"recorded");
	if (!text_parse_uint(text + (*text == '-'), 10, G_MAXINT32, &n))
		return fail_ctl(error, CTL_ERROR_USAGE,
				"--boot takes the number of a boot, or -1, not \"%s\"", text);
	*ret_boot = NULL;
	if (n == 0)
		return true;
	if (*text == '-') {
		g_autoptr(SavedBoot) last = boots_load_last(boots_directory());

		n += last && boot_is_this(last, init_us);
		if (n > numbers->len)
			return fail_ctl(error, CTL_ERROR_FILE, "there is no record of boot %s",
					text);
		n = g_array_index(numbers, unsigned, numbers->len - (guint)n);
	}
	boot = boots_load(boots_directory(), (unsigned)n, error);
	if (boot && !(n == g_array_index(numbers, unsigned, numbers->len - 1) &&
		      boot_is_this(boot, init_us)))
		*ret_boot = g_steal_pointer(&boot);
	return boot || *ret_boot;
}

/* --- list --- */

static unsigned count_failed(const SavedBoot *boot)
{
	unsigned n = 0;

	for (unsigned i = 0; i < boot_times_count(boot->times); i++)
		n += strcmp(boot_times_get(boot->times, i)->result, "failed") == 0;
	return n;
}

static void add_boot(GPtrArray *records, const SavedBoot *boot)
{
	g_auto(GVariantDict) dict = G_VARIANT_DICT_INIT(NULL);

	g_variant_dict_insert(&dict, "Number", "u", (guint32)boot->number);
	record_add_text(&dict, "Finished", saved_boot_text(boot, NULL, "finished_at"));
	add_duration(&dict, "Total", "TotalText", saved_boot_total(boot));
	add_duration(&dict, "Svcd", "SvcdText", saved_boot_int(boot, NULL, "svcd_us"));
	add_duration(&dict, "Login", "LoginText", saved_boot_int(boot, "login_screen", "shown_us"));
	g_variant_dict_insert(&dict, "Services", "u", (guint32)boot_times_count(boot->times));
	g_variant_dict_insert(&dict, "Failed", "u", (guint32)count_failed(boot));
	record_add_text(&dict, "Shutdown", saved_boot_text(boot, "shutdown", "requested"));
	records_add(records, &dict);
}

bool boot_list(Context *context, GError **error)
{
	g_autoptr(GArray) numbers = boots_list(boots_directory());
	g_autoptr(GPtrArray) records = records_new();

	for (guint i = 0; i < numbers->len; i++) {
		g_autoptr(GError) problem = NULL;
		g_autoptr(SavedBoot) boot = boots_load(
			boots_directory(), g_array_index(numbers, unsigned, i), &problem);

		if (boot)
			add_boot(records, boot);
		else
			output_confirm(&context->output, "%s", problem->message);
	}
	if (numbers->len == 0 && !context->output.is_json) {
		output_confirm(&context->output, "no boot is recorded in %s yet",
			       boots_directory());
		return true;
	}
	return output_table(&context->output, list_columns, G_N_ELEMENTS(list_columns), records,
			    context->options.columns, error);
}

/* --- show --- */

static void print_duration(Output *output, const char *label, int64_t us, const char *what)
{
	g_autofree char *duration = text_format_duration(us);
	g_autofree char *text = g_strdup_printf("%s%s", duration, what);

	if (us > 0)
		output_field(output, label, text);
}

static void print_bound(Output *output, const SavedBoot *boot, bool is_login)
{
	g_autofree char *text = NULL;
	g_autofree char *cpu = NULL;
	g_autofree char *chain = NULL;
	g_autofree char *processors = NULL;
	g_autofree char *parts = NULL;
	BootBound bound;

	if (!saved_boot_bound(boot, is_login, &bound))
		return;
	text = boot_bound_text(&bound);
	cpu = text_format_duration(bound.cpu_us);
	chain = text_format_duration(bound.chain_us);
	processors = output_count((unsigned)MAX(saved_boot_int(boot, NULL, "processors"), 1),
				  "processor");
	parts = g_strdup_printf("%s (CPU %s on %s, longest chain %s)", text, cpu, processors,
				chain);
	output_field(output, is_login ? "Login" : "Services", parts);
}

static void print_pressure(Output *output, const SavedBoot *boot)
{
	g_autofree char *cpu =
		text_format_duration(saved_boot_int(boot, "pressure", "cpu_some_us"));
	g_autofree char *memory =
		text_format_duration(saved_boot_int(boot, "pressure", "memory_some_us"));
	g_autofree char *io = text_format_duration(saved_boot_int(boot, "pressure", "io_some_us"));
	g_autofree char *text = g_strdup_printf(
		"at least one task waited %s for a processor, %s for memory, %s for a disk", cpu,
		memory, io);

	if (json_object_has_member(boot->object, "pressure"))
		output_field(output, "Pressure", text);
}

static void print_disk(Output *output, const SavedBoot *boot)
{
	g_autofree char *bytes =
		output_format_bytes((uint64_t)saved_boot_int(boot, "disk", "read_bytes"));
	g_autofree char *quiet = text_format_duration(saved_boot_int(boot, "disk", "quiet_us"));
	const bool is_quiet = saved_boot_int(boot, "disk", "quiet_us") > 0;
	g_autofree char *text = g_strdup_printf(
		"%s read%s%s", bytes, is_quiet ? ", quiet after " : "", is_quiet ? quiet : "");

	if (*bytes)
		output_field(output, "Disk", text);
}

static void print_names(Output *output, const SavedBoot *boot)
{
	g_autoptr(GPtrArray) chain = boot_times_chain(boot->times, boot_times_last(boot->times));
	g_autoptr(GString) text = g_string_new(NULL);
	bool is_first = true;

	for (guint i = 0; i < chain->len; i++)
		g_string_append_printf(text, "%s%s", i > 0 ? " > " : "",
				       ((const BootTime *)g_ptr_array_index(chain, i))->name);
	output_field(output, "Chain", text->len > 0 ? text->str : NULL);
	for (unsigned i = 0; i < boot_times_count(boot->times); i++) {
		const BootTime *time = boot_times_get(boot->times, i);

		if (strcmp(time->result, "failed") != 0)
			continue;
		output_field(output, is_first ? "Failed" : "", time->name);
		is_first = false;
	}
}

static void print_shutdown(Output *output, const SavedBoot *boot)
{
	const char *requested = saved_boot_text(boot, "shutdown", "requested");
	g_autoptr(GPtrArray) slow = saved_boot_stops(boot, SAVED_STOP_SLOW_US);

	output_field(output, "Shutdown", *requested ? requested : NULL);
	for (guint i = 0; i < slow->len; i++) {
		const SavedStop *stop = g_ptr_array_index(slow, i);
		g_autofree char *took = text_format_duration(stop->took_us);
		g_autofree char *text = g_strdup_printf("%s: %s%s", stop->name,
							stop->is_stopped ? "" : "at least ", took);

		output_field(output, i == 0 ? "Slow stops" : "", text);
	}
}

bool boot_show(Context *context, GError **error)
{
	g_autoptr(SavedBoot) boot = load(context, 1, 0, error);
	Output *output = &context->output;
	g_autofree char *total = NULL;
	g_autofree char *title = NULL;

	if (!boot)
		return false;
	total = text_format_duration(saved_boot_total(boot));
	title = g_strdup_printf("Boot %u, %s, took %s.", boot->number,
				saved_boot_text(boot, NULL, "finished_at"), total);
	output_paragraph(output, 0, title);
	print_duration(output, "Firmware", saved_boot_int(boot, NULL, "firmware_us"),
		       " (with the boot loader)");
	print_duration(output, "Kernel", saved_boot_int(boot, NULL, "kernel_us"), " (up to PID 1)");
	print_duration(output, "svcd", saved_boot_int(boot, NULL, "svcd_us"), "");
	print_bound(output, boot, false);
	print_bound(output, boot, true);
	print_pressure(output, boot);
	print_disk(output, boot);
	print_names(output, boot);
	print_shutdown(output, boot);
	output_set_object(output, json_object_ref(boot->object));
	return true;
}

/* --- compare --- */

/* "2026-11-28T05:20:01Z" as dpkg's log writes it, in local time; a new string. */
static char *log_stamp(const char *iso)
{
	g_autoptr(GDateTime) utc = g_date_time_new_from_iso8601(iso, NULL);
	g_autoptr(GDateTime) local = utc ? g_date_time_to_local(utc) : NULL;

	return local ? g_date_time_format(local, "%Y-%m-%d %H:%M:%S") : g_strdup("");
}

/* The files of a service in both boots; a new strv. */
static char **files_in(const SavedBoot *before, const SavedBoot *after, const char *name)
{
	const SavedBoot *const boots[] = { before, after };
	GStrvBuilder *builder = g_strv_builder_new();
	char **files;

	for (size_t i = 0; i < G_N_ELEMENTS(boots); i++) {
		g_auto(GStrv) some =
			saved_boot_strings(g_hash_table_lookup(boots[i]->services, name), "files");

		g_strv_builder_addv(builder, (const char **)some);
	}
	files = g_strv_builder_end(builder);
	g_strv_builder_unref(builder);
	return files;
}

/*
 * "web 1.0 -> 1.1, libc6 2 -> 3": the changed packages that own @files; NULL: all changed packages.
 */
static char *packages_of(const GPtrArray *changes, char *const *files)
{
	g_autoptr(GPtrArray) texts = g_ptr_array_new_with_free_func(g_free);

	for (guint i = 0; i < changes->len; i++) {
		const PackageChange *change = g_ptr_array_index(changes, i);

		if (!files || package_owns(PACKAGE_INFO, change, files))
			g_ptr_array_add(texts, package_change_text(change));
	}
	g_ptr_array_add(texts, NULL);
	return g_strjoinv(", ", (char **)texts->pdata);
}

static void add_difference(GPtrArray *records, const BootDifference *one, const char *package)
{
	g_auto(GVariantDict) dict = G_VARIANT_DICT_INIT(NULL);

	record_add_text(&dict, "Name", one->name);
	add_duration(&dict, "Longer", "LongerText", one->after_us - one->before_us);
	add_duration(&dict, "Before", "BeforeText", one->before_us);
	add_duration(&dict, "After", "AfterText", one->after_us);
	add_duration(&dict, "Waited", "WaitedText", one->waited_us);
	add_duration(&dict, "Cpu", "CpuText", one->cpu_us);
	record_add_text(&dict, "Package", package);
	records_add(records, &dict);
}

static void print_comparison(Context *context, const SavedBoot *before, const SavedBoot *after,
			     const GPtrArray *changes)
{
	const int64_t longer_us = saved_boot_total(after) - saved_boot_total(before);
	g_autofree char *difference = text_format_duration(ABS(longer_us));
	g_autofree char *total = text_format_duration(saved_boot_total(after));
	g_autofree char *packages = packages_of(changes, NULL);
	g_autofree char *title = g_strdup_printf("Boot %u took %s, %s %s than boot %u.",
						 after->number, total, difference,
						 longer_us < 0 ? "less" : "more", before->number);
	g_autofree char *between = g_strdup_printf("Changed packages: %s.", packages);

	if (!context->output.has_header || context->options.columns)
		return;
	output_paragraph(&context->output, 0, title);
	if (changes->len > 0)
		output_paragraph(&context->output, 0, between);
}

bool boot_compare_two(Context *context, GError **error)
{
	g_autoptr(SavedBoot) before = load(context, 1, 1, error);
	g_autoptr(SavedBoot) after = before ? load(context, 2, 0, error) : NULL;
	g_autoptr(GPtrArray) records = records_new();
	g_autoptr(GPtrArray) changes = NULL;
	g_autoptr(GArray) found = NULL;
	g_autofree char *from = NULL;
	g_autofree char *to = NULL;

	if (!after)
		return false;
	from = log_stamp(saved_boot_text(before, NULL, "finished_at"));
	to = log_stamp(saved_boot_text(after, NULL, "finished_at"));
	changes = package_log_read(PACKAGE_LOGS, from, to);
	found = boot_compare(before, after, context->options.is_all);
	for (guint i = 0; i < found->len; i++) {
		const BootDifference *one = &g_array_index(found, BootDifference, i);
		g_auto(GStrv) files = files_in(before, after, one->name);
		g_autofree char *package = packages_of(changes, files);

		add_difference(records, one, package);
	}
	print_comparison(context, before, after, changes);
	if (found->len == 0 && !context->output.is_json) {
		output_line(&context->output, "No service took at least %d ms longer.",
			    (int)(BOOT_COMPARE_LEAST_US / G_TIME_SPAN_MILLISECOND));
		return true;
	}
	return output_table(&context->output, compare_columns, G_N_ELEMENTS(compare_columns),
			    records, context->options.columns, error);
}

/* --- plot --- */

bool boot_plot_one(Context *context, GError **error)
{
	g_autoptr(SavedBoot) boot = load(context, 1, 0, error);
	g_autofree char *svg = boot ? boot_plot(boot) : NULL;
	JsonObject *object;

	if (!svg)
		return false;
	if (!context->output.is_json) {
		fputs(svg, context->output.out);
		return true;
	}
	object = json_object_new();
	json_object_set_string_member(object, "svg", svg);
	output_set_object(&context->output, object);
	return true;
}
