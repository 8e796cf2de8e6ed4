/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * status: a full screen about one service.
 */
#include "config.h"

#include <string.h>

#include "base/text.h"
#include "svcctl/log-tail.h"
#include "svcctl/processes.h"
#include "svcctl/svcctl.h"
#include "svcctl/unread.h"

enum { STATUS_LOG_LINES = 10, STATUS_CAUSES = 8 };

/* The indentation of the title behind its symbol, and of the last lines of output. */
enum { TITLE_INDENT = 2, LOG_INDENT = 4 };

static const char *const cause_fields[] = { "at_us", "from", "to", "text", NULL };
static const char *const refusal_fields[] = { "door", "who", "count", "last_us", NULL };
static const char *const false_term_fields[] = { "text", "level", "why", "origin", NULL };
static const char *const socket_fields[] = { "kind", "address", "name", "open", "problem", NULL };
static const char *const term_fields[] = { "key", "text", "level", "why", "origin", NULL };

static const Column columns[] = {
	{ "name", NULL, "Name", CELL_TEXT },
	{ "description", NULL, "Description", CELL_TEXT },
	{ "type", NULL, "Type", CELL_TEXT },
	{ "state", NULL, "State", CELL_STATE },
	{ "since_us", NULL, "Since", CELL_TIME },
	{ "cause", NULL, "Cause", CELL_TEXT },
	{ "causes", NULL, "Causes", CELL_STRUCTS, cause_fields },
	{ "refused", NULL, "Refused", CELL_NUMBER },
	{ "refusals", NULL, "Refusals", CELL_STRUCTS, refusal_fields },
	{ "wanted", NULL, "Wanted", CELL_BOOL },
	{ "want_reason", NULL, "WantReason", CELL_TEXT },
	{ "wanted_by", NULL, "WantedBy", CELL_TEXT },
	{ "admin", NULL, "Admin", CELL_TEXT },
	{ "policy", NULL, "Activation", CELL_TEXT },
	{ "policy_origin", NULL, "ActivationOrigin", CELL_TEXT },
	{ "policy_is_default", NULL, "ActivationIsDefault", CELL_BOOL },
	{ "policy_reason", NULL, "PolicyReason", CELL_TEXT },
	{ "in_runlevel", NULL, "InRunlevel", CELL_BOOL },
	{ "runlevel_origin", NULL, "RunlevelOrigin", CELL_TEXT },
	{ "pid", NULL, "MainPid", CELL_OPTIONAL },
	{ "cgroup", NULL, "ControlGroup", CELL_TEXT },
	{ "invocation", NULL, "Invocation", CELL_OPTIONAL },
	{ "restarts", NULL, "Restarts", CELL_NUMBER },
	{ "result", NULL, "Result", CELL_TEXT },
	{ "status_text", NULL, "StatusText", CELL_TEXT },
	{ "resource_problem", NULL, "ResourceProblem", CELL_TEXT },
	{ "health", NULL, "Health", CELL_TEXT },
	{ "health_text", NULL, "HealthText", CELL_TEXT },
	{ "false_terms", NULL, "FalseTerms", CELL_STRUCTS, false_term_fields },
	{ "terms", NULL, "Terms", CELL_STRUCTS, term_fields },
	{ "listens", NULL, "Sockets", CELL_STRUCTS, socket_fields },
	{ "dependents", NULL, "Dependents", CELL_STRINGS },
	{ "started_at_us", NULL, "StartedAt", CELL_TIME },
	{ "ready_at_us", NULL, "ReadyAt", CELL_TIME },
	{ "ready_duration_us", NULL, "ReadyDuration", CELL_DURATION },
	{ "backoff_until_us", NULL, "BackoffUntil", CELL_TIME },
	{ "problem", NULL, "Problem", CELL_TEXT },
	{ "source_file", NULL, "SourceFile", CELL_TEXT },
	{ "file_state", NULL, "FileState", CELL_TEXT },
};

/* Prints a field of the record, unless it is empty. */
static void field_text(Output *output, const char *label, GVariant *s, const char *property)
{
	const char *text = record_text(s, property);

	if (*text)
		output_field(output, label, text);
}

/* Prints the health only for services with a health check, because "unknown" is not information. */
static void field_health(Output *output, GVariant *s)
{
	const char *health = record_text(s, "Health");
	const char *why = record_text(s, "HealthText");
	g_autofree char *text = g_strdup_printf("%s%s%s", health, *why ? ": " : "", why);

	if (strcmp(health, "unknown") != 0)
		output_field(output, "Health", text);
}

/*
 * Prints the field only if the kernel has killed a process of the service, or has refused it a new
 * process.
 */
static void field_lack(Output *output, const char *label, GVariant *s,
		       char *(*describe)(const char *cgroup))
{
	g_autofree char *lack = describe(record_text(s, "ControlGroup"));

	if (lack)
		output_field(output, label, lack);
}

static void print_title(Output *output, GVariant *s)
{
	const char *state = record_text(s, "State");
	const bool is_never = strcmp(record_text(s, "Activation"), "never") == 0;
	g_autofree char *title =
		g_strdup_printf("%s - %s", record_text(s, "Name"), record_text(s, "Description"));

	fprintf(output->out, "%s%s%s ", output_colour(output, state, is_never),
		output_symbol(output, state, is_never), output_colour_end(output));
	output_paragraph(output, TITLE_INDENT, title);
}

/* The file, with a remark if the service was not started from its present contents. */
static void field_file(Context *context, GVariant *s)
{
	static const struct {
		const char *state;
		const char *text;
		const char *verb;
	} rows[] = {
		{ "changed", "changed since the service was started", "restart" },
		{ "gone", "gone, so the service is not started again", "stop" },
		{ "invalid", "has an error now, so its earlier settings stay in force", "explain" },
	};

	Output *output = &context->output;
	g_autofree char *unread = unread_change(context, record_text(s, "Name"));
	g_autofree char *remark =
		unread ? g_strdup_printf("%s has changed since svcd read it (svcctl reload-files)",
					 unread) :
			 NULL;

	field_text(output, "File", s, "SourceFile");
	output_field(output, "", remark);
	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autofree char *text = NULL;

		if (strcmp(rows[i].state, record_text(s, "FileState")) != 0)
			continue;
		text = g_strdup_printf("%s (svcctl %s %s)", rows[i].text, rows[i].verb,
				       record_text(s, "Name"));
		output_field(output, "", text);
	}
}

/* "in the runlevel", "needed by upper", "no"; a new string. */
static char *want_text(GVariant *s)
{
	const char *reason = record_text(s, "WantReason");
	const char *by = record_text(s, "WantedBy");

	if (!record_number(s, "Wanted"))
		return g_strdup("no");
	if (g_str_has_prefix(reason, "wanted "))
		reason += strlen("wanted ");
	return g_strdup_printf("%s%s%s", reason, *by ? " by " : "", by);
}

/*
 * Do other fields show why the service runs or waits? They list its terms and the services that
 * want it. Otherwise the last event is shown as the reason.
 */
static bool is_why_elsewhere(GVariant *s)
{
	g_autoptr(GVariant)
		terms = g_variant_lookup_value(s, "FalseTerms", G_VARIANT_TYPE("a(ssss)"));

	if (strcmp(record_text(s, "State"), "waiting") == 0)
		return terms && g_variant_n_children(terms) > 0;
	return state_is_up(record_text(s, "State")) && record_number(s, "Wanted");
}

static void print_state(Output *output, GVariant *s)
{
	g_autofree char *since = output_format_since(output, (int64_t)record_number(s, "Since"));
	const uint64_t took_us = record_number(s, "ReadyDuration");
	g_autofree char *took = text_format_duration((int64_t)took_us);
	g_autofree char *text = g_strdup_printf("%s since %s%s%s", record_text(s, "State"), since,
						took_us > 0 ? ", start took " : "",
						took_us > 0 ? took : "");

	output_field(output, "State", text);
	if (!is_why_elsewhere(s))
		field_text(output, "Why", s, "Cause");
	field_text(output, "Problem", s, "Problem");
	field_text(output, "Not stopped", s, "StopProblem");
}

static void print_policy(Output *output, GVariant *s)
{
	const bool is_by_runlevel = record_number(s, "InRunlevel") &&
				    strcmp(record_text(s, "Activation"), "boot") == 0;
	const char *origin = record_text(s, is_by_runlevel ? "RunlevelOrigin" : "ActivationOrigin");
	g_autofree char *policy = g_strdup_printf(
		"%s (%s%s)", record_text(s, "Activation"),
		record_number(s, "ActivationIsDefault") ? "no policy names it; " : "", origin);
	g_autofree char *wanted = want_text(s);

	output_field(output, "Policy", policy);
	field_text(output, "Reason", s, "PolicyReason");
	output_field(output, "Wanted", wanted);
}

/* The requests that policy has refused since the boot, with their users. */
static void print_refusals(Output *output, GVariant *s)
{
	g_autoptr(GVariant)
		refusals = g_variant_lookup_value(s, "Refusals", G_VARIANT_TYPE("a(ssut)"));
	const unsigned total = (unsigned)record_number(s, "Refused");
	g_autofree char *requests = output_count(total, "request");
	g_autofree char *head = g_strdup_printf("%s since the boot", requests);
	const char *door, *caller;
	guint32 count;
	guint64 last_us;

	if (total == 0)
		return;
	output_field(output, "Refused", head);
	for (gsize i = 0; refusals && i < g_variant_n_children(refusals); i++) {
		g_autofree char *at = NULL;
		g_autofree char *line = NULL;

		g_variant_get_child(refusals, i, "(&s&sut)", &door, &caller, &count, &last_us);
		at = output_format_time(output, (int64_t)last_us);
		line = g_strdup_printf("%u by %s: %s, last %s", count, door, caller, at);
		output_field(output, "", line);
	}
}

static void print_terms(Output *output, GVariant *s)
{
	g_autoptr(GVariant) terms = g_variant_lookup_value(s, "Terms", G_VARIANT_TYPE("a(sssss)"));
	GVariantIter iter;
	const char *key, *text, *level, *why, *origin;
	const char *previous = "";

	if (!terms)
		return;
	g_variant_iter_init(&iter, terms);
	while (g_variant_iter_next(&iter, "(&s&s&s&s&s)", &key, &text, &level, &why, &origin)) {
		const bool shows_why = *why && strcmp(level, "true") != 0;
		g_autofree char *line = g_strdup_printf(
			"%s is %s%s%s", text, level, shows_why ? ": " : "", shows_why ? why : "");

		output_field(output, strcmp(previous, key) == 0 ? "" : key, line);
		previous = key;
	}
}

static void print_sockets(Output *output, GVariant *s)
{
	g_autoptr(GVariant)
		sockets = g_variant_lookup_value(s, "Sockets", G_VARIANT_TYPE("a(sssbs)"));
	const char *kind, *address, *name, *problem;
	gboolean is_open;

	for (gsize i = 0; sockets && i < g_variant_n_children(sockets); i++) {
		g_autofree char *line = NULL;

		g_variant_get_child(sockets, i, "(&s&s&sb&s)", &kind, &address, &name, &is_open,
				    &problem);
		if (*problem)
			line = g_strdup_printf("%s (%s): %s", address, kind, problem);
		else
			line = g_strdup_printf("%s (%s%s)", address, kind,
					       is_open ? "" : ", closed");
		output_field(output, i == 0 ? "Listens on" : "", line);
	}
}

static void print_dependents(Output *output, GVariant *s)
{
	const Column column = { "dependents", NULL, "Dependents", CELL_STRINGS };
	g_autofree char *names = cell_text(output, s, &column);

	if (*names)
		output_field(output, "Needed by", names);
}

/* "pid 614, 4 tasks, 18.2 MiB, cpu 1.3 s"; values that the kernel does not report are left out */
static void print_use(Output *output, GVariant *s)
{
	const char *cgroup = record_text(s, "ControlGroup");
	const int64_t tasks = cgroup_number(cgroup, "pids.current", NULL);
	const int64_t tasks_max = cgroup_number(cgroup, "pids.max", NULL);
	const int64_t memory = cgroup_number(cgroup, "memory.current", NULL);
	const int64_t cpu_us = cgroup_number(cgroup, "cpu.stat", "usage_usec");
	g_autoptr(GString) line = g_string_new(NULL);

	if (record_number(s, "MainPid") == 0)
		return;
	g_string_append_printf(line, "pid %u", (unsigned)record_number(s, "MainPid"));
	if (tasks >= 0)
		g_string_append_printf(line, ", %d tasks", (int)tasks);
	if (tasks >= 0 && tasks_max >= 0)
		g_string_append_printf(line, " of %d", (int)tasks_max);
	if (memory >= 0)
		g_string_append_printf(line, ", %.1f MiB", (double)memory / (1024 * 1024));
	if (cpu_us >= 0) {
		g_autofree char *cpu = text_format_duration(cpu_us);

		g_string_append_printf(line, ", cpu %s", cpu);
	}
	if (record_number(s, "Restarts") > 0) {
		g_autofree char *times =
			output_count((unsigned)record_number(s, "Restarts"), "time");

		g_string_append_printf(line, ", restarted %s", times);
	}
	output_field(output, "Process", line->str);
}

static void print_processes(Output *output, GVariant *s, const GPtrArray *processes, bool is_user)
{
	const char *cgroup = record_text(s, "ControlGroup");

	if (*cgroup)
		output_field(output, "Group", cgroup);
	else if (processes->len > 0)
		output_field(output, "Group",
			     is_user ?
				     "none that you may write to: only the main process is known" :
				     "none: without cgroup v2 only the main process is known");
	for (guint i = 0; i < processes->len; i++) {
		const Process *process = g_ptr_array_index(processes, i);
		const char *branch = process->is_last ? (output->is_ascii ? "`-" : "└─") :
							(output->is_ascii ? "|-" : "├─");
		g_autofree char *line = g_strdup_printf("%*s%s %d %s", (int)process->depth * 3, "",
							branch, (int)process->pid,
							process->command);

		output_field(output, "", line);
	}
	if (processes->len >= PROCESSES_SHOWN)
		output_field(output, "", "... and more");
}

static void print_history(Output *output, GVariant *s)
{
	g_autoptr(GVariant) causes = g_variant_lookup_value(s, "Causes", G_VARIANT_TYPE("a(tsss)"));
	const gsize first = is_why_elsewhere(s) ? 0 : 1; /* the newest one is shown as Why */
	guint64 at_us;
	const char *from, *to, *text;

	for (gsize i = first; causes && i < MIN(g_variant_n_children(causes), STATUS_CAUSES); i++) {
		g_autofree char *at = NULL;
		g_autofree char *line = NULL;

		g_variant_get_child(causes, i, "(t&s&s&s)", &at_us, &from, &to, &text);
		at = output_format_time(output, (int64_t)at_us);
		line = strcmp(from, to) == 0 ?
			       g_strdup_printf("%s: %s", at, text) :
			       g_strdup_printf("%s: %s -> %s: %s", at, from, to, text);
		output_field(output, i == first ? "History" : "", line);
	}
}

static void print_log(Output *output, const char *name, bool is_user, const GPtrArray *lines)
{
	if (lines->len == 0)
		return;
	output_line(output, "  Last output (svcctl %slog %s)", is_user ? "--user " : "", name);
	for (guint i = 0; i < lines->len; i++)
		output_headline_at(output, LOG_INDENT, g_ptr_array_index(lines, i));
}

static void add_json(JsonArray *array, GVariant *s, const GPtrArray *processes,
		     const GPtrArray *lines)
{
	JsonNode *node = record_to_json(s, columns, G_N_ELEMENTS(columns));
	JsonArray *list = json_array_new();
	JsonArray *output_lines = json_array_new();

	for (guint i = 0; i < processes->len; i++) {
		const Process *process = g_ptr_array_index(processes, i);
		g_autofree char *command = g_utf8_make_valid(process->command, -1);
		JsonObject *object = json_object_new();

		json_object_set_int_member(object, "pid", process->pid);
		json_object_set_int_member(object, "parent", process->parent);
		json_object_set_string_member(object, "command", command);
		json_array_add_object_element(list, object);
	}
	for (guint i = 0; i < lines->len; i++) {
		g_autofree char *line = g_utf8_make_valid(g_ptr_array_index(lines, i), -1);

		json_array_add_string_element(output_lines, line);
	}
	json_object_set_array_member(json_node_get_object(node), "processes", list);
	json_object_set_array_member(json_node_get_object(node), "output", output_lines);
	json_array_add_element(array, node);
}

static void print_status(Context *context, GVariant *s, JsonArray *array)
{
	Output *output = &context->output;
	const char *name = record_text(s, "Name");
	g_autofree char *directory = log_directory(context);
	g_autoptr(GPtrArray) processes = processes_of_cgroup(record_text(s, "ControlGroup"),
							     (pid_t)record_number(s, "MainPid"),
							     proc_directory(), PROCESSES_SHOWN);
	g_autoptr(GPtrArray) lines = log_tail(directory, name, STATUS_LOG_LINES, NULL);

	add_json(array, s, processes, lines);
	if (output->is_json)
		return;
	print_title(output, s);
	print_state(output, s);
	print_policy(output, s);
	print_refusals(output, s);
	print_terms(output, s);
	print_sockets(output, s);
	print_dependents(output, s);
	field_text(output, "Status", s, "StatusText");
	field_health(output, s);
	field_text(output, "Limits", s, "ResourceProblem");
	field_lack(output, "Limits", s, describe_task_limit);
	field_lack(output, "Memory", s, describe_lack_of_memory);
	field_text(output, "Last exit", s, "Result");
	print_use(output, s);
	print_processes(output, s, processes, context->options.is_user);
	field_file(context, s);
	print_history(output, s);
	print_log(output, name, context->options.is_user, lines);
}

bool cmd_status(Context *context, GError **error)
{
	g_auto(GStrv) names = NULL;
	JsonArray *array;
	bool done = true;

	if (context->n_names == 0) {
		context->output.verb = "overview";
		return cmd_overview(context, error);
	}
	names = expand_names(context, error);
	if (!names)
		return false;
	array = json_array_new();
	for (size_t i = 0; names[i] && done; i++) {
		g_autoptr(GVariant) service = client_service(context->client, names[i], error);

		if (!service) {
			context_advise(context, *error, names[i]);
			done = false;
			continue;
		}
		if (i > 0)
			output_line(&context->output, "%s", "");
		print_status(context, service, array);
		if (!state_is_up(record_text(service, "State")))
			context->exit = EXIT_CODE_NO;
	}
	/* A failure takes precedence over a service that is off. */
	if (!done)
		context->exit = EXIT_CODE_DONE;
	output_set_array(&context->output, array);
	return done;
}
