/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * top: resource usage per service, highest first. On a terminal it is updated until SIGINT;
 * otherwise it is printed once.
 */
#include "config.h"

#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/errors.h"
#include "base/text.h"
#include "svcctl/usage.h"

#define DEFAULT_INTERVAL_US G_USEC_PER_SEC
#define SHORTEST_INTERVAL_US (50 * G_TIME_SPAN_MILLISECOND)

static const Column top_columns[] = {
	{ "cpu_percent", "CPU %", "Percent", CELL_TEXT },
	{ "memory_bytes", "MEMORY", "Memory", CELL_BYTES },
	{ "n_processes", "PROCESSES", "Processes", CELL_NUMBER },
	{ "name", "SERVICE", "Name", CELL_TEXT },
};

typedef enum SortKey { SORT_CPU, SORT_MEMORY, SORT_NAME } SortKey;

static const struct {
	const char *name; /* of --sort */
	SortKey sort;
} sorts[] = {
	{ "cpu", SORT_CPU },
	{ "memory", SORT_MEMORY },
	{ "name", SORT_NAME },
};

/* The usage of one service between two samples. */
typedef struct Rate {
	const ServiceUse *now; /* of the newer sample */
	const ServiceUse *then; /* NULL: it is new */
	double percent;
} Rate;

typedef struct Top {
	Context *context;
	char **names; /* as expanded, owned; empty: all */
	int64_t interval_us;
	SortKey sort;
	GPtrArray *then; /* samples: ServiceUse * */
	GPtrArray *now;
	int64_t then_us;
	int64_t now_us;
} Top;

/* --- two samples --- */

static bool take(Top *top, GError **error)
{
	GPtrArray *sample = usage_take(top->context, top->names, error);

	if (!sample)
		return false;
	g_clear_pointer(&top->then, g_ptr_array_unref);
	top->then = top->now;
	top->then_us = top->now_us;
	top->now = sample;
	top->now_us = g_get_monotonic_time();
	return true;
}

/*
 * In percent of one processor. A service that was restarted meanwhile may have used less than
 * before; that counts as 0.
 */
static double percent_of(const Top *top, int64_t used_us)
{
	const int64_t elapsed_us = MAX(top->now_us - top->then_us, 1);

	return used_us > 0 ? 100.0 * (double)used_us / (double)elapsed_us : 0;
}

static gint compare_cpu(gconstpointer a, gconstpointer b)
{
	const Rate *left = a;
	const Rate *right = b;

	return left->percent < right->percent ? 1 : left->percent > right->percent ? -1 : 0;
}

static gint compare_memory(gconstpointer a, gconstpointer b)
{
	const uint64_t left = ((const Rate *)a)->now->memory_bytes;
	const uint64_t right = ((const Rate *)b)->now->memory_bytes;

	return left < right ? 1 : left > right ? -1 : 0;
}

/* A new array of Rate; equal ones keep the order of their names. */
static GArray *rates_of(const Top *top)
{
	GArray *rates = g_array_new(FALSE, FALSE, sizeof(Rate));

	for (guint i = 0; i < top->now->len; i++) {
		const ServiceUse *now = g_ptr_array_index(top->now, i);
		const ServiceUse *then = usage_find(top->then, now->name);
		const Rate rate = { now, then,
				    percent_of(top, now->cpu_us - (then ? then->cpu_us : 0)) };

		g_array_append_val(rates, rate);
	}
	/* g_array_sort() is stable. */
	if (top->sort == SORT_CPU)
		g_array_sort(rates, compare_cpu);
	else if (top->sort == SORT_MEMORY)
		g_array_sort(rates, compare_memory);
	return rates;
}

/* --- what is shown --- */

/* @n_rows: print at most this number. */
static void print_rates(const GArray *rates, guint n_rows, Output *output)
{
	g_autoptr(GPtrArray) records = records_new();

	for (guint i = 0; i < MIN(rates->len, n_rows); i++) {
		const Rate *rate = &g_array_index(rates, Rate, i);
		g_autofree char *number = g_strdup_printf("%5.1f", rate->percent);
		GVariantDict dict;

		g_variant_dict_init(&dict, NULL);
		record_add_text(&dict, "Percent", number);
		g_variant_dict_insert(&dict, "Memory", "t", (guint64)rate->now->memory_bytes);
		g_variant_dict_insert(&dict, "Processes", "u", (guint32)rate->now->processes->len);
		record_add_text(&dict, "Name", rate->now->name);
		records_add(records, &dict);
	}
	/* all columns: cannot fail */
	(void)output_table(output, top_columns, G_N_ELEMENTS(top_columns), records, NULL, NULL);
}

static void rates_to_json(const GArray *rates, Output *output)
{
	JsonArray *array = json_array_new();
	JsonNode *node;

	for (guint i = 0; i < rates->len; i++) {
		const Rate *rate = &g_array_index(rates, Rate, i);
		JsonObject *object = json_object_new();

		json_object_set_string_member(object, "name", rate->now->name);
		json_object_set_string_member(object, "state", rate->now->state);
		json_object_set_double_member(object, "cpu_percent",
					      (double)(int64_t)(rate->percent * 10 + 0.5) / 10);
		json_object_set_int_member(object, "memory_bytes", (gint64)rate->now->memory_bytes);
		json_object_set_int_member(object, "n_processes", rate->now->processes->len);
		json_array_add_object_element(array, object);
	}
	node = json_node_init_array(json_node_alloc(), array);
	json_array_unref(array);
	output_set_data(output, node);
}

static bool show_once(Top *top, GError **error)
{
	g_autoptr(GArray) rates = NULL;

	g_usleep((gulong)top->interval_us);
	if (!take(top, error))
		return false;
	rates = rates_of(top);
	if (top->context->output.is_json)
		rates_to_json(rates, &top->context->output);
	else
		print_rates(rates, rates->len, &top->context->output);
	return true;
}

static bool is_live(const Context *context)
{
	const char *term = g_getenv("TERM");

	return isatty(STDOUT_FILENO) && term && strcmp(term, "dumb") != 0 &&
	       !context->output.is_json && !context->options.is_once;
}

/* Services for which the terminal has a line between the header and the cursor. */
static guint rows_left(void)
{
	struct winsize size = { 0 };

	(void)ioctl(STDOUT_FILENO, TIOCGWINSZ, &size); /* it stays 0 */
	return size.ws_row > 0 ? (guint)MAX(size.ws_row - 2, 1) : 22;
}

/* Runs until SIGINT, or until the terminal is gone. */
static bool show_live(Top *top, GError **error)
{
	/*
	 * The first page comes after a short interval, which is long enough for a first
	 * measurement.
	 */
	for (int64_t wait_us = SHORTEST_INTERVAL_US;; wait_us = top->interval_us) {
		g_autoptr(GArray) rates = NULL;

		g_usleep((gulong)wait_us);
		if (!take(top, error))
			return false;
		rates = rates_of(top);
		(void)fputs("\033[H\033[J", stdout);
		print_rates(rates, rows_left(), &top->context->output);
		if (fflush(stdout) != 0)
			return true;
	}
}

/* --- the verb --- */

static bool read_options(Top *top, GError **error)
{
	const Options *options = &top->context->options;
	bool found = options->sort == NULL;

	for (size_t i = 0; options->sort && i < G_N_ELEMENTS(sorts); i++) {
		if (strcmp(sorts[i].name, options->sort) == 0) {
			top->sort = sorts[i].sort;
			found = true;
		}
	}
	if (!found)
		return fail_ctl(error, CTL_ERROR_USAGE,
				"--sort takes cpu, memory or name, not \"%s\"", options->sort);
	if (options->interval && (!text_parse_duration(options->interval, &top->interval_us) ||
				  top->interval_us < SHORTEST_INTERVAL_US))
		return fail_ctl(error, CTL_ERROR_USAGE,
				"--interval takes a time of at least 50ms, not \"%s\"",
				options->interval);
	return true;
}

bool cmd_top(Context *context, GError **error)
{
	Top top = { .context = context, .interval_us = DEFAULT_INTERVAL_US };
	bool done = false;

	if (!read_options(&top, error))
		return false;
	top.names = expand_names(context, error);
	if (top.names && take(&top, error) && usage_check_names(context, top.names, top.now, error))
		done = is_live(context) ? show_live(&top, error) : show_once(&top, error);
	g_strfreev(top.names);
	g_clear_pointer(&top.then, g_ptr_array_unref);
	g_clear_pointer(&top.now, g_ptr_array_unref);
	return done;
}
