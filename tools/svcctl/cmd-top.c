/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * top: live resource usage per service, highest first. On a terminal a page that is updated until
 * q; otherwise one table of an interval.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/errors.h"
#include "base/text.h"
#include "svcctl/screen.h"
#include "svcctl/usage.h"

#define DEFAULT_INTERVAL_US G_USEC_PER_SEC
#define SHORTEST_INTERVAL_US (50 * G_TIME_SPAN_MILLISECOND)

static const Column top_columns[] = {
	{ "cpu_percent", "CPU %", "Percent", CELL_TEXT },
	{ "memory_bytes", "MEMORY", "Memory", CELL_BYTES },
	{ "n_processes", "PROCESSES", "Processes", CELL_OPTIONAL },
	{ "name", "SERVICE", "Name", CELL_TEXT },
};

typedef enum SortKey { SORT_CPU, SORT_MEMORY, SORT_NAME } SortKey;

static const struct {
	const char *name; /* of --sort */
	char key;         /* on the screen */
	SortKey sort;
} sorts[] = {
	{ "cpu", 'c', SORT_CPU },
	{ "memory", 'm', SORT_MEMORY },
	{ "name", 'n', SORT_NAME },
};

/* The usage of one service between two samples. */
typedef struct Rate {
	const ServiceUse *now; /* of the newer sample */
	const ServiceUse *then; /* NULL: it is new */
	double percent;
} Rate;

typedef struct Top {
	Context *context;
	char **names;     /* as expanded, owned; empty: all */
	int64_t interval_us;
	SortKey sort;
	bool with_processes;
	GPtrArray *then;  /* samples: ServiceUse * */
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

static bool take_first(Top *top, GError **error)
{
	return take(top, error) && usage_check_names(top->context, top->names, top->now, error);
}

/*
 * Of one processor. A service that was restarted meanwhile may have used less than before; that
 * counts as 0.
 */
static double percent_of(const Top *top, int64_t used_us)
{
	const int64_t elapsed_us = MAX(top->now_us - top->then_us, 1);

	return used_us > 0 ? 100.0 * (double)used_us / (double)elapsed_us : 0;
}

/* A process that is new in the sample has used all of its time in the interval. */
static double process_percent(const Top *top, const Rate *rate, const Process *process)
{
	const Process *before = usage_find_process(rate->then, process);

	return percent_of(top, process->cpu_us - (before ? before->cpu_us : 0));
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
		const Rate rate = { now, then, percent_of(top, now->cpu_us - (then ? then->cpu_us : 0)) };

		g_array_append_val(rates, rate);
	}
	/* g_array_sort() is stable. */
	if (top->sort == SORT_CPU)
		g_array_sort(rates, compare_cpu);
	else if (top->sort == SORT_MEMORY)
		g_array_sort(rates, compare_memory);
	return rates;
}

/* --- as a table --- */

static void add_record(GPtrArray *records, double percent, uint64_t memory_bytes, guint n_processes, const char *text)
{
	g_autofree char *number = g_strdup_printf("%5.1f", percent);
	GVariantDict dict;

	g_variant_dict_init(&dict, NULL);
	record_add_text(&dict, "Percent", number);
	g_variant_dict_insert(&dict, "Memory", "t", (guint64)memory_bytes);
	g_variant_dict_insert(&dict, "Processes", "u", (guint32)n_processes);
	record_add_text(&dict, "Name", text);
	records_add(records, &dict);
}

static void add_processes(const Top *top, const Rate *rate, GPtrArray *records)
{
	for (guint i = 0; i < rate->now->processes->len; i++) {
		const Process *process = g_ptr_array_index(rate->now->processes, i);
		g_autofree char *text = g_strdup_printf("%d %s", (int)process->pid, process->command);
		g_autofree char *line = usage_process_line(&top->context->output, process, text);

		add_record(records, process_percent(top, rate, process), process->rss_bytes, 0, line);
	}
}

static void print_rates(const Top *top, const GArray *rates, Output *output)
{
	g_autoptr(GPtrArray) records = records_new();

	for (guint i = 0; i < rates->len; i++) {
		const Rate *rate = &g_array_index(rates, Rate, i);

		add_record(records, rate->percent, rate->now->memory_bytes, rate->now->processes->len, rate->now->name);
		if (top->with_processes)
			add_processes(top, rate, records);
	}
	(void)output_table(output, top_columns, G_N_ELEMENTS(top_columns), records, NULL, NULL); /* all columns: cannot fail */
}

/* --- as JSON --- */

/* The precision is a tenth. */
static double rounded(double percent)
{
	return (double)(int64_t)(percent * 10 + 0.5) / 10;
}

static JsonArray *processes_to_json(const Top *top, const Rate *rate)
{
	JsonArray *array = json_array_new();

	for (guint i = 0; i < rate->now->processes->len; i++) {
		const Process *process = g_ptr_array_index(rate->now->processes, i);
		g_autofree char *command = g_utf8_make_valid(process->command, -1);
		JsonObject *object = json_object_new();

		json_object_set_int_member(object, "pid", process->pid);
		json_object_set_double_member(object, "cpu_percent", rounded(process_percent(top, rate, process)));
		json_object_set_int_member(object, "rss_bytes", (gint64)process->rss_bytes);
		json_object_set_string_member(object, "command", command);
		json_array_add_object_element(array, object);
	}
	return array;
}

static void rates_to_json(const Top *top, const GArray *rates)
{
	JsonArray *array = json_array_new();
	JsonNode *node;

	for (guint i = 0; i < rates->len; i++) {
		const Rate *rate = &g_array_index(rates, Rate, i);
		JsonObject *object = json_object_new();

		json_object_set_string_member(object, "name", rate->now->name);
		json_object_set_string_member(object, "state", rate->now->state);
		json_object_set_double_member(object, "cpu_percent", rounded(rate->percent));
		json_object_set_int_member(object, "memory_bytes", (gint64)rate->now->memory_bytes);
		json_object_set_array_member(object, "processes", processes_to_json(top, rate));
		json_array_add_object_element(array, object);
	}
	node = json_node_init_array(json_node_alloc(), array);
	json_array_unref(array);
	output_set_data(&top->context->output, node);
}

static bool show_once(Top *top, GError **error)
{
	g_autoptr(GArray) rates = NULL;

	if (!take_first(top, error))
		return false;
	g_usleep((gulong)top->interval_us);
	if (!take(top, error))
		return false;
	rates = rates_of(top);
	if (top->context->output.is_json)
		rates_to_json(top, rates);
	else
		print_rates(top, rates, &top->context->output);
	return true;
}

/* --- as a page --- */

/* The table as text, not wrapped, because the page cuts long lines. A new string. */
static char *page_text(const Top *top)
{
	g_autoptr(GArray) rates = rates_of(top);
	Output output = top->context->output;
	char *table = NULL;
	size_t size = 0;
	char *page;

	output.width = 0;
	output.out = open_memstream(&table, &size);
	if (!output.out)
		g_error("no memory for a page");
	print_rates(top, rates, &output);
	(void)fclose(output.out); /* a stream in memory cannot fail */
	page = g_strdup_printf("%u services with processes   sort: c cpu  m memory  n name   p processes   q quit\n%s",
			       rates->len, table);
	free(table);
	return page;
}

/* Returns: false if the user quits. */
static bool heed_key(Top *top, int key)
{
	for (size_t i = 0; i < G_N_ELEMENTS(sorts); i++) {
		if (sorts[i].key == key)
			top->sort = sorts[i].sort;
	}
	if (key == 'p')
		top->with_processes = !top->with_processes;
	return key != 'q' && key >= 0;
}

/* Until the next sample; each key has its effect at once. Returns: false if the user quits. */
static bool show_page(Top *top)
{
	const int64_t deadline_us = g_get_monotonic_time() + top->interval_us;

	do {
		g_autofree char *page = page_text(top);

		screen_draw(page);
		if (!heed_key(top, screen_key(deadline_us)))
			return false;
	} while (g_get_monotonic_time() < deadline_us);
	return true;
}

static bool show_live(Top *top, GError **error)
{
	bool goes_on;

	/* The first page needs two samples, a short interval apart. */
	if (!take_first(top, error))
		return false;
	g_usleep(SHORTEST_INTERVAL_US);
	if (!take(top, error) || !screen_open(error))
		return false;
	do
		goes_on = show_page(top) && take(top, error);
	while (goes_on);
	screen_close();
	return *error == NULL;
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
		return fail_ctl(error, CTL_ERROR_USAGE, "--sort takes cpu, memory or name, not \"%s\"", options->sort);
	if (options->interval && (!text_parse_duration(options->interval, &top->interval_us) ||
				  top->interval_us < SHORTEST_INTERVAL_US))
		return fail_ctl(error, CTL_ERROR_USAGE, "--interval takes a time of at least 50ms, not \"%s\"",
				options->interval);
	return true;
}

bool cmd_top(Context *context, GError **error)
{
	Top top = { .context = context, .interval_us = DEFAULT_INTERVAL_US, .with_processes = context->options.is_all };
	const bool is_live = screen_is_possible() && !context->output.is_json && !context->options.is_once;
	g_autoptr(GError) problem = NULL;
	bool done;

	if (!read_options(&top, error))
		return false;
	top.names = expand_names(context, error);
	if (!top.names)
		return false;
	done = is_live ? show_live(&top, &problem) : show_once(&top, &problem);
	if (problem)
		g_propagate_error(error, g_steal_pointer(&problem));
	g_strfreev(top.names);
	g_clear_pointer(&top.then, g_ptr_array_unref);
	g_clear_pointer(&top.now, g_ptr_array_unref);
	return done;
}
