/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * ps: the processes of services, from their cgroups.
 */
#include "config.h"

#include <string.h>
#include <time.h>

#include "base/errors.h"
#include "svcctl/usage.h"

static const Column ps_columns[] = {
	{ "service", "SERVICE", "Service", CELL_TEXT },
	{ "pid", "PID", "Pid", CELL_NUMBER },
	{ "parent", NULL, "Parent", CELL_NUMBER },
	{ "uid", NULL, "Uid", CELL_NUMBER },
	{ "user", "USER", "User", CELL_TEXT },
	{ "started_at_us", "STARTED", "StartedAt", CELL_TIME },
	{ "cpu_us", "CPU", "Cpu", CELL_DURATION },
	{ "rss_bytes", "RSS", "Rss", CELL_BYTES },
	{ "pss_bytes", NULL, "Pss", CELL_BYTES },
	{ "command", "COMMAND", "Command", CELL_TEXT },
};

typedef struct Listing {
	Context *context;
	GHashTable *users;
	bool with_pss;
	int64_t asleep_us; /* the lead of CLOCK_BOOTTIME over CLOCK_MONOTONIC */
	GPtrArray *records;
} Listing;

static int64_t time_asleep(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_BOOTTIME, &now); /* always supported */
	return (int64_t)now.tv_sec * G_USEC_PER_SEC + now.tv_nsec / 1000 - g_get_monotonic_time();
}

/* The command; in the table it is indented below its parent. */
static char *command_text(const Listing *listing, const Process *process)
{
	const Output *output = &listing->context->output;

	if (output->is_json || listing->context->options.columns)
		return g_strdup(process->command);
	return usage_process_line(output, process, process->command);
}

static void add_process(Listing *listing, const ServiceUse *use, const Process *process)
{
	g_autofree char *command = command_text(listing, process);
	const int64_t started_us = process->started_us - listing->asleep_us;
	GVariantDict dict;

	g_variant_dict_init(&dict, NULL);
	record_add_text(&dict, "Service", use->name);
	g_variant_dict_insert(&dict, "Pid", "u", (guint32)process->pid);
	g_variant_dict_insert(&dict, "Parent", "u", (guint32)process->parent);
	g_variant_dict_insert(&dict, "Uid", "u", (guint32)process->uid);
	record_add_text(&dict, "User", usage_user(listing->users, process->uid));
	g_variant_dict_insert(&dict, "StartedAt", "t", (guint64)MAX(started_us, 0));
	g_variant_dict_insert(&dict, "Cpu", "t", (guint64)process->cpu_us);
	g_variant_dict_insert(&dict, "Rss", "t", (guint64)process->rss_bytes);
	if (listing->with_pss)
		g_variant_dict_insert(&dict, "Pss", "t",
				      (guint64)process_pss(process->pid, proc_directory()));
	record_add_text(&dict, "Command", command);
	records_add(listing->records, &dict);
}

/*
 * Reports the limits of the table: without cgroup v2 only main processes are known, and long lists
 * are cut.
 */
static void print_limits(Context *context, const GPtrArray *sample)
{
	for (guint i = 0; i < sample->len; i++) {
		const ServiceUse *use = g_ptr_array_index(sample, i);

		if (!use->has_cgroup) {
			output_confirm(&context->output,
				       "without cgroup v2 only main processes are known");
			return;
		}
		if (use->processes->len >= PROCESSES_LISTED)
			output_confirm(&context->output, "%s has more than %u processes", use->name,
				       PROCESSES_LISTED);
	}
}

static bool wants_pss(const Context *context)
{
	g_auto(GStrv) keys =
		g_strsplit(context->options.columns ? context->options.columns : "", ",", -1);

	return g_strv_contains((const char *const *)keys, "pss_bytes");
}

bool cmd_ps(Context *context, GError **error)
{
	g_auto(GStrv) names = expand_names(context, error);
	g_autoptr(GPtrArray) sample = names ? usage_take(context, names, error) : NULL;
	g_autoptr(GHashTable) users = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	g_autoptr(GPtrArray) records = records_new();
	Listing listing = { .context = context,
			    .users = users,
			    .with_pss = wants_pss(context),
			    .asleep_us = time_asleep(),
			    .records = records };

	if (!sample || !usage_check_names(context, names, sample, error))
		return false;
	for (guint i = 0; i < sample->len; i++) {
		const ServiceUse *use = g_ptr_array_index(sample, i);

		for (guint k = 0; k < use->processes->len; k++)
			add_process(&listing, use, g_ptr_array_index(use->processes, k));
	}
	if (!output_table(&context->output, ps_columns, G_N_ELEMENTS(ps_columns), records,
			  context->options.columns, error))
		return false;
	print_limits(context, sample);
	return true;
}
