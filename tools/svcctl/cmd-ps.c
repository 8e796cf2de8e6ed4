/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * ps: the processes of services, from their cgroups.
 */
#include "config.h"

#include <pwd.h>
#include <string.h>
#include <time.h>

#include "base/errors.h"
#include "svcctl/processes.h"
#include "svcctl/svcctl.h"

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

/* A service that has processes. */
typedef struct ServiceProcesses {
	char *name;
	bool has_cgroup;
	GPtrArray *processes; /* Process *, parents before children */
} ServiceProcesses;

typedef struct Listing {
	Context *context;
	GHashTable *users; /* uid -> name */
	bool with_pss;
	int64_t asleep_us; /* the lead of CLOCK_BOOTTIME over CLOCK_MONOTONIC */
	GPtrArray *records;
} Listing;

static void service_processes_free(gpointer data)
{
	ServiceProcesses *one = data;

	g_free(one->name);
	g_ptr_array_unref(one->processes);
	g_free(one);
}

/* @names: only these; empty: all. Returns: a new array of ServiceProcesses *; NULL with @error. */
static GPtrArray *find_processes(Context *context, char *const *names, GError **error)
{
	g_autoptr(GPtrArray)
		records = get_services_with(context, "Name ControlGroup MainPid", error);
	GPtrArray *found;

	if (!records)
		return NULL;
	found = g_ptr_array_new_with_free_func(service_processes_free);
	for (guint i = 0; i < records->len; i++) {
		GVariant *record = g_ptr_array_index(records, i);
		const char *name = record_text(record, "Name");
		const char *cgroup = record_text(record, "ControlGroup");
		ServiceProcesses *one;

		if (names[0] && !g_strv_contains((const char *const *)names, name))
			continue;
		one = g_new0(ServiceProcesses, 1);
		one->name = g_strdup(name);
		one->has_cgroup = *cgroup != '\0';
		one->processes = processes_of_cgroup(cgroup,
						     (pid_t)record_number(record, "MainPid"),
						     proc_directory(), PROCESSES_LISTED);
		if (one->processes->len > 0)
			g_ptr_array_add(found, one);
		else
			service_processes_free(one);
	}
	return found;
}

static bool has_processes(const GPtrArray *found, const char *name)
{
	for (guint i = 0; i < found->len; i++) {
		const ServiceProcesses *one = g_ptr_array_index(found, i);

		if (strcmp(one->name, name) == 0)
			return true;
	}
	return false;
}

/*
 * Does each named service have processes? A pattern may match services without processes. Returns:
 * false with NOT_UP or NO_SUCH_SERVICE.
 */
static bool check_names(Context *context, char *const *names, const GPtrArray *found,
			GError **error)
{
	if (has_patterns(context))
		return true;
	for (size_t i = 0; names[i]; i++) {
		g_autoptr(GVariant) service = NULL;

		if (has_processes(found, names[i]))
			continue;
		service = client_service(context->client, names[i], error);
		if (service)
			fail_ctl(error, CTL_ERROR_NOT_UP, "%s has no processes: it is %s", names[i],
				 record_text(service, "State"));
		context_advise(context, *error, names[i]);
		return false;
	}
	return true;
}

/* The name of a user, or its number; borrowed from the listing. */
static const char *user_name(const Listing *listing, uid_t uid)
{
	const struct passwd *user;
	char *name = g_hash_table_lookup(listing->users, GUINT_TO_POINTER(uid));

	if (name)
		return name;
	user = getpwuid(uid);
	name = user ? g_strdup(user->pw_name) : g_strdup_printf("%u", (unsigned)uid);
	g_hash_table_insert(listing->users, GUINT_TO_POINTER(uid), name);
	return name;
}

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
	const char *branch = process->is_last ? (output->is_ascii ? "`-" : "└─") :
						(output->is_ascii ? "|-" : "├─");

	if (output->is_json || listing->context->options.columns)
		return g_strdup(process->command);
	return g_strdup_printf("%*s%s %s", (int)process->depth * 3, "", branch, process->command);
}

static void add_process(Listing *listing, const ServiceProcesses *one, const Process *process)
{
	g_autofree char *command = command_text(listing, process);
	const int64_t started_us = process->started_us - listing->asleep_us;
	GVariantDict dict;

	g_variant_dict_init(&dict, NULL);
	record_add_text(&dict, "Service", one->name);
	g_variant_dict_insert(&dict, "Pid", "u", (guint32)process->pid);
	g_variant_dict_insert(&dict, "Parent", "u", (guint32)process->parent);
	g_variant_dict_insert(&dict, "Uid", "u", (guint32)process->uid);
	record_add_text(&dict, "User", user_name(listing, process->uid));
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
static void print_limits(Context *context, const GPtrArray *found)
{
	for (guint i = 0; i < found->len; i++) {
		const ServiceProcesses *one = g_ptr_array_index(found, i);

		if (!one->has_cgroup) {
			output_confirm(&context->output,
				       "without cgroup v2 only main processes are known");
			return;
		}
		if (one->processes->len >= PROCESSES_LISTED)
			output_confirm(&context->output, "%s has more than %u processes", one->name,
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
	g_autoptr(GPtrArray) found = names ? find_processes(context, names, error) : NULL;
	g_autoptr(GHashTable) users = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	g_autoptr(GPtrArray) records = records_new();
	Listing listing = { .context = context,
			    .users = users,
			    .with_pss = wants_pss(context),
			    .asleep_us = time_asleep(),
			    .records = records };

	if (!found || !check_names(context, names, found, error))
		return false;
	for (guint i = 0; i < found->len; i++) {
		const ServiceProcesses *one = g_ptr_array_index(found, i);

		for (guint k = 0; k < one->processes->len; k++)
			add_process(&listing, one, g_ptr_array_index(one->processes, k));
	}
	if (!output_table(&context->output, ps_columns, G_N_ELEMENTS(ps_columns), records,
			  context->options.columns, error))
		return false;
	print_limits(context, found);
	return true;
}
