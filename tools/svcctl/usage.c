/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Usage: one list of services from svcd, and the kernel's files.
 */
#include "config.h"

#include "svcctl/usage.h"

#include <pwd.h>
#include <string.h>

static void use_free(gpointer data)
{
	ServiceUse *use = data;

	g_free(use->name);
	g_free(use->state);
	g_ptr_array_unref(use->processes);
	g_free(use);
}

/* Adds up the usage of the processes, if there is no cgroup, or its controller is off. */
static void add_up(ServiceUse *use)
{
	int64_t cpu_us = 0;
	uint64_t rss_bytes = 0;

	for (guint i = 0; i < use->processes->len; i++) {
		const Process *process = g_ptr_array_index(use->processes, i);

		cpu_us += process->cpu_us;
		rss_bytes += process->rss_bytes;
	}
	if (use->cpu_us < 0)
		use->cpu_us = cpu_us;
	if (use->memory_bytes == 0)
		use->memory_bytes = rss_bytes;
}

static ServiceUse *use_new(GVariant *record)
{
	const char *cgroup = record_text(record, "ControlGroup");
	ServiceUse *use = g_new0(ServiceUse, 1);

	use->name = g_strdup(record_text(record, "Name"));
	use->state = g_strdup(record_text(record, "State"));
	use->has_cgroup = *cgroup != '\0';
	use->processes = processes_of_cgroup(cgroup, (pid_t)record_number(record, "MainPid"),
					     proc_directory(), PROCESSES_LISTED);
	use->cpu_us = cgroup_number(cgroup, "cpu.stat", "usage_usec");
	use->memory_bytes = (uint64_t)MAX(cgroup_number(cgroup, "memory.current", NULL), 0);
	add_up(use);
	return use;
}

GPtrArray *usage_take(Context *context, char *const *names, GError **error)
{
	g_autoptr(GPtrArray)
		records = get_services_with(context, "Name State ControlGroup MainPid", error);
	GPtrArray *sample;

	if (!records)
		return NULL;
	sample = g_ptr_array_new_with_free_func(use_free);
	for (guint i = 0; i < records->len; i++) {
		GVariant *record = g_ptr_array_index(records, i);
		ServiceUse *use;

		if (names && names[0] &&
		    !g_strv_contains((const char *const *)names, record_text(record, "Name")))
			continue;
		use = use_new(record);
		if (use->processes->len > 0)
			g_ptr_array_add(sample, use);
		else
			use_free(use);
	}
	return sample;
}

const ServiceUse *usage_find(const GPtrArray *sample, const char *name)
{
	for (guint i = 0; sample && i < sample->len; i++) {
		const ServiceUse *use = g_ptr_array_index(sample, i);

		if (strcmp(use->name, name) == 0)
			return use;
	}
	return NULL;
}

bool usage_check_names(Context *context, char *const *names, const GPtrArray *sample,
		       GError **error)
{
	if (has_patterns(context))
		return true;
	for (size_t i = 0; names && names[i]; i++) {
		g_autoptr(GVariant)
			service = usage_find(sample, names[i]) ?
					  NULL :
					  client_service(context->client, names[i], error);

		if (usage_find(sample, names[i]))
			continue;
		if (service)
			fail_ctl(error, CTL_ERROR_NOT_UP, "%s has no processes: it is %s", names[i],
				 record_text(service, "State"));
		context_advise(context, *error, names[i]);
		return false;
	}
	return true;
}

const char *usage_user(GHashTable *users, uid_t uid)
{
	const struct passwd *user;
	char *name = g_hash_table_lookup(users, GUINT_TO_POINTER(uid));

	if (name)
		return name;
	user = getpwuid(uid);
	name = user ? g_strdup(user->pw_name) : g_strdup_printf("%u", (unsigned)uid);
	g_hash_table_insert(users, GUINT_TO_POINTER(uid), name);
	return name;
}

char *usage_process_line(const Output *output, const Process *process, const char *text)
{
	const char *branch = process->is_last ? (output->is_ascii ? "`-" : "└─") :
						(output->is_ascii ? "|-" : "├─");

	return g_strdup_printf("%*s%s %s", (int)process->depth * 3, "", branch, text);
}
