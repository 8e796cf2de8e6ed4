/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * overview, list, explain: looking at all services, and at reasons.
 */
#include "config.h"

#include <fnmatch.h>
#include <string.h>

#include "base/diag.h"
#include "base/errors.h"
#include "base/text.h"
#include "bus/names.h"
#include "svcctl/svcctl.h"

static const char *const term_fields[] = { "text", "level", "why", "origin", NULL };

static const Column list_columns[] = {
	{ "name", "NAME", "Name", CELL_TEXT },
	{ "state", "STATE", "State", CELL_STATE },
	{ "since_us", NULL, "Since", CELL_TIME },
	{ "policy", "POLICY", "Activation", CELL_TEXT },
	{ "policy_origin", NULL, "ActivationOrigin", CELL_TEXT },
	{ "policy_is_default", NULL, "ActivationIsDefault", CELL_BOOL },
	{ "pid", "PID", "MainPid", CELL_OPTIONAL },
	{ "invocation", NULL, "Invocation", CELL_OPTIONAL },
	{ "restarts", NULL, "Restarts", CELL_NUMBER },
	{ "type", NULL, "Type", CELL_TEXT },
	{ "wanted", NULL, "Wanted", CELL_BOOL },
	{ "want_reason", NULL, "WantReason", CELL_TEXT },
	{ "wanted_by", NULL, "WantedBy", CELL_TEXT },
	{ "cause", NULL, "Cause", CELL_TEXT },
	{ "result", NULL, "Result", CELL_TEXT },
	{ "false_terms", NULL, "FalseTerms", CELL_STRUCTS, term_fields },
	{ "ready_duration_us", NULL, "ReadyDuration", CELL_DURATION },
	{ "problem", NULL, "Problem", CELL_TEXT },
	{ "description", "DESCRIPTION", "Description", CELL_TEXT },
};

bool state_is_up(const char *state)
{
	return strcmp(state, "ready") == 0 || strcmp(state, "done") == 0;
}

static void unref_record(gpointer record)
{
	g_variant_unref(record);
}

static GPtrArray *records_new(void)
{
	return g_ptr_array_new_with_free_func(unref_record);
}

GPtrArray *ask_services(Context *context, GError **error)
{
	g_autoptr(GVariant) reply = client_ask_manager(context->client, "ListServices", NULL, "(aa{sv})", error);
	g_autoptr(GVariant) array = reply ? g_variant_get_child_value(reply, 0) : NULL;
	GPtrArray *records;

	if (!array)
		return NULL;
	records = records_new();
	for (gsize i = 0; i < g_variant_n_children(array); i++)
		g_ptr_array_add(records, g_variant_get_child_value(array, i));
	return records;
}

static bool is_pattern(const char *name)
{
	return strpbrk(name, "*?[") != NULL;
}

char **expand_names(Context *context, GError **error)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GPtrArray) records = NULL;

	for (unsigned i = 0; i < context->n_names; i++) {
		const guint before = names->len;

		if (!is_pattern(context->names[i])) {
			g_ptr_array_add(names, g_strdup(context->names[i]));
			continue;
		}
		if (!records)
			records = ask_services(context, error);
		if (!records)
			return NULL;
		for (guint k = 0; k < records->len; k++) {
			const char *name = record_text(g_ptr_array_index(records, k), "Name");

			if (fnmatch(context->names[i], name, 0) == 0)
				g_ptr_array_add(names, g_strdup(name));
		}
		if (names->len == before) {
			fail(error, SVCD_ERROR_NO_SUCH_SERVICE, "no service matches %s", context->names[i]);
			return NULL;
		}
	}
	g_ptr_array_add(names, NULL);
	return (char **)g_ptr_array_free(g_steal_pointer(&names), FALSE);
}

/* --- list --- */

static bool matches_any(const Context *context, const char *name)
{
	for (unsigned i = 0; i < context->n_names; i++) {
		if (fnmatch(context->names[i], name, 0) == 0)
			return true;
	}
	return context->n_names == 0;
}

/* What is off and nobody wants is left out, unless it is asked for. */
static bool is_listed(const Context *context, GVariant *record)
{
	const char *state = record_text(record, "State");

	if (!matches_any(context, record_text(record, "Name")))
		return false;
	if (context->options.state)
		return strcmp(context->options.state, state) == 0;
	return context->options.is_all || context->n_names > 0 || strcmp(state, "idle") != 0 ||
	       record_number(record, "Wanted") || *record_text(record, "Problem");
}

bool cmd_list(Context *context, GError **error)
{
	g_autoptr(GPtrArray) records = ask_services(context, error);
	g_autoptr(GPtrArray) listed = records_new();

	if (!records)
		return false;
	for (guint i = 0; i < records->len; i++) {
		GVariant *record = g_ptr_array_index(records, i);

		if (is_listed(context, record))
			g_ptr_array_add(listed, g_variant_ref(record));
	}
	if (!output_table(&context->output, list_columns, G_N_ELEMENTS(list_columns), listed,
			  context->options.columns, error))
		return false;
	if (listed->len == 0 && context->n_names > 0)
		return fail(error, SVCD_ERROR_NO_SUCH_SERVICE, "no service matches %s", context->names[0]);
	if (!context->options.columns && listed->len < records->len && context->n_names == 0 && !context->options.state)
		output_confirm(&context->output, "%u more are off: svcctl list --all", records->len - listed->len);
	return true;
}

/* --- explain --- */

static const char *const reason_fields[] = { "depth", "kind", "service", "text", NULL };
static const Column reason_columns[] = {
	{ "depth", NULL, "depth", CELL_NUMBER },
	{ "kind", NULL, "kind", CELL_TEXT },
	{ "service", NULL, "service", CELL_TEXT },
	{ "text", NULL, "text", CELL_TEXT },
};

/* The label in front of a reason; that of a run of equal ones is shown once. */
static const struct {
	const char *kind;
	const char *label;
} reason_labels[] = {
	{ "state", "" }, { "why", "Why" }, { "cause", "Last" }, { "impact", "Impact" }, { "next", "Next" },
};

static const char *reason_label(const char *kind)
{
	for (size_t i = 0; i < G_N_ELEMENTS(reason_labels); i++) {
		if (strcmp(reason_labels[i].kind, kind) == 0)
			return reason_labels[i].label;
	}
	return "";
}

static void print_reason(Output *output, GVariant *reason, GVariant *service, const char *previous_kind)
{
	const char *kind = record_text(reason, "kind");
	const char *text = record_text(reason, "text");
	const unsigned depth = (unsigned)record_number(reason, "depth");

	if (strcmp(kind, "state") == 0 && depth == 0) {
		const char *state = record_text(service, "State");
		const bool is_never = strcmp(record_text(service, "Activation"), "never") == 0;
		g_autofree char *escaped = text_escape_terminal(text);

		fprintf(output->out, "%s%s%s %s\n", output_colour(output, state, is_never),
			output_symbol(output, state, is_never), output_colour_end(output), escaped);
		return;
	}
	/* Deeper states are sentences of the tree above them. */
	output_field_deep(output, depth, strcmp(kind, previous_kind) == 0 ? "" : reason_label(kind), text);
}

static GPtrArray *ask_reasons(Context *context, const char *name, GError **error)
{
	g_autoptr(GVariant) reply = client_ask_manager(context->client, "Explain", g_variant_new("(s)", name),
						       "(a(usss))", error);
	g_autoptr(GVariant) array = reply ? g_variant_get_child_value(reply, 0) : NULL;
	GPtrArray *reasons;

	if (!array)
		return NULL;
	reasons = records_new();
	for (gsize i = 0; i < g_variant_n_children(array); i++)
		g_ptr_array_add(reasons, record_from_tuple(g_variant_get_child_value(array, i), reason_fields));
	return reasons;
}

/* Prints, or adds an object to @array. */
static bool explain_one(Context *context, const char *name, JsonArray *array, GError **error)
{
	Output *output = &context->output;
	g_autoptr(GVariant) service = client_service(context->client, name, error);
	g_autoptr(GPtrArray) reasons = service ? ask_reasons(context, name, error) : NULL;
	const char *previous = "";
	JsonObject *object;
	JsonArray *list;

	if (!reasons)
		return false;
	for (guint i = 0; i < reasons->len && !output->is_json; i++) {
		GVariant *reason = g_ptr_array_index(reasons, i);

		print_reason(output, reason, service, previous);
		previous = record_text(reason, "kind");
	}
	object = json_object_new();
	list = json_array_new();
	for (guint i = 0; i < reasons->len; i++)
		json_array_add_element(list, record_to_json(g_ptr_array_index(reasons, i), reason_columns,
							    G_N_ELEMENTS(reason_columns)));
	json_object_set_string_member(object, "name", record_text(service, "Name"));
	json_object_set_string_member(object, "state", record_text(service, "State"));
	json_object_set_array_member(object, "reasons", list);
	json_array_add_object_element(array, object);
	return true;
}

static const char *const diagnostic_fields[] = { "level", "file", "line", "service", "text", NULL };
static const Column diagnostic_columns[] = {
	{ "level", NULL, "level", CELL_TEXT },
	{ "file", NULL, "file", CELL_TEXT },
	{ "line", NULL, "line", CELL_OPTIONAL },
	{ "service", NULL, "service", CELL_TEXT },
	{ "text", NULL, "text", CELL_TEXT },
};

/* The manager's complaints about files, as records. */
static GPtrArray *ask_diagnostics(Context *context, GError **error)
{
	g_autoptr(GVariant) reply = client_ask_manager(context->client, "Diagnostics", NULL, "(a(ssuss))", error);
	g_autoptr(GVariant) array = reply ? g_variant_get_child_value(reply, 0) : NULL;
	GPtrArray *records;

	if (!array)
		return NULL;
	records = records_new();
	for (gsize i = 0; i < g_variant_n_children(array); i++)
		g_ptr_array_add(records, record_from_tuple(g_variant_get_child_value(array, i), diagnostic_fields));
	return records;
}

static void print_diagnostics(Context *context, const GPtrArray *records)
{
	for (guint i = 0; i < records->len; i++) {
		GVariant *record = g_ptr_array_index(records, i);
		const char *file = record_text(record, "file");
		DiagLevel level = DIAG_ERROR;
		const Diagnostic diagnostic = {
			.level = diag_level_from_name(record_text(record, "level"), &level) ? level : DIAG_ERROR,
			.origin = { *file ? file : NULL, (unsigned)record_number(record, "line") },
			.text = (char *)record_text(record, "text"),
		};
		g_autofree char *line = diag_format(&diagnostic);

		output_line(&context->output, "%s", line);
	}
}

static JsonNode *records_to_array(const GPtrArray *records, const Column *columns, unsigned n_columns)
{
	JsonArray *array = json_array_new();
	JsonNode *node;

	for (guint i = 0; i < records->len; i++)
		json_array_add_element(array, record_to_json(g_ptr_array_index(records, i), columns, n_columns));
	node = json_node_init_array(json_node_alloc(), array);
	json_array_unref(array);
	return node;
}

/* Names of all that is not as wanted; a new strv. */
static char **ask_not_as_wanted(Context *context, GError **error)
{
	g_autoptr(GVariant) reply = client_ask_manager(context->client, "NotAsWanted", NULL, "(as)", error);
	char **names = NULL;

	if (reply)
		g_variant_get(reply, "(^as)", &names);
	return names;
}

static bool explain_everything(Context *context, GError **error)
{
	g_auto(GStrv) names = ask_not_as_wanted(context, error);
	g_autoptr(GPtrArray) diagnostics = names ? ask_diagnostics(context, error) : NULL;
	JsonArray *array;
	JsonObject *object;
	JsonNode *node;

	if (!diagnostics)
		return false;
	array = json_array_new();
	for (size_t i = 0; names[i]; i++) {
		g_autoptr(GError) problem = NULL;

		/* One that went away in between is no news. */
		if (!explain_one(context, names[i], array, &problem) &&
		    !g_error_matches(problem, SVCD_ERROR_DOMAIN, SVCD_ERROR_NO_SUCH_SERVICE)) {
			json_array_unref(array);
			g_propagate_error(error, g_steal_pointer(&problem));
			return false;
		}
		output_line(&context->output, "%s", "");
	}
	if (diagnostics->len > 0)
		output_line(&context->output, "Files that svcd complains about:");
	print_diagnostics(context, diagnostics);
	if (!names[0] && diagnostics->len == 0)
		output_line(&context->output, "Everything is as wanted.");
	object = json_object_new();
	json_object_set_array_member(object, "services", array);
	json_object_set_member(object, "diagnostics", records_to_array(diagnostics, diagnostic_columns,
								       G_N_ELEMENTS(diagnostic_columns)));
	node = json_node_init_object(json_node_alloc(), object);
	json_object_unref(object);
	output_set_data(&context->output, node);
	return true;
}

bool cmd_explain(Context *context, GError **error)
{
	g_auto(GStrv) names = NULL;
	JsonArray *array;
	JsonNode *node;
	bool done = true;

	if (context->n_names == 0)
		return explain_everything(context, error);
	names = expand_names(context, error);
	if (!names)
		return false;
	array = json_array_new();
	for (size_t i = 0; names[i] && done; i++) {
		if (i > 0)
			output_line(&context->output, "%s", "");
		done = explain_one(context, names[i], array, error);
		if (!done)
			context_advise(context, *error, names[i]);
	}
	node = json_node_init_array(json_node_alloc(), array);
	json_array_unref(array);
	output_set_data(&context->output, node);
	return done;
}

/* --- overview --- */

typedef struct Counts {
	unsigned total, up, moving, waiting, off, failed, never;
} Counts;

static Counts count_services(const GPtrArray *records)
{
	Counts counts = { .total = records->len };

	for (guint i = 0; i < records->len; i++) {
		GVariant *record = g_ptr_array_index(records, i);
		const char *state = record_text(record, "State");

		if (state_is_up(state))
			counts.up++;
		else if (strcmp(state, "failed") == 0)
			counts.failed++;
		else if (strcmp(state, "waiting") == 0)
			counts.waiting++;
		else if (strcmp(state, "idle") != 0)
			counts.moving++;
		else if (strcmp(record_text(record, "Activation"), "never") == 0)
			counts.never++;
		else
			counts.off++;
	}
	return counts;
}

static const char *separator(const Output *output)
{
	return output->is_ascii ? ", " : " · ";
}

static void print_count(const Output *output, GString *line, unsigned count, const char *word)
{
	if (count > 0)
		g_string_append_printf(line, "%s%u %s", line->len > 0 ? separator(output) : "", count, word);
}

static void print_counts(Output *output, const Counts *counts)
{
	g_autoptr(GString) line = g_string_new(NULL);

	print_count(output, line, counts->up, "up");
	print_count(output, line, counts->moving, "changing");
	print_count(output, line, counts->waiting, "waiting");
	print_count(output, line, counts->off, "off");
	print_count(output, line, counts->failed, "failed");
	print_count(output, line, counts->never, "never");
	output_line(output, "  %u services: %s", counts->total, line->len > 0 ? line->str : "none");
}

/* "boot finished in 6.4 s, up 2 h 11 min" */
static char *boot_sentence(const Output *output, GVariant *manager)
{
	const int64_t begun_us = (int64_t)record_number(manager, "BootStartedAt");
	const int64_t finished_us = (int64_t)record_number(manager, "BootFinishedAt");
	g_autofree char *up = text_format_duration(MAX(output->now_us - begun_us, 0));
	g_autofree char *took = text_format_duration(MAX(finished_us - begun_us, 0));

	if (record_number(manager, "ShuttingDown"))
		return g_strdup_printf("shutting down, up %s", up);
	if (!record_number(manager, "BootFinished"))
		return g_strdup_printf("booting for %s", up);
	return g_strdup_printf("boot finished in %s, up %s", took, up);
}

static void print_broken(Context *context, const GPtrArray *records)
{
	for (guint i = 0; i < records->len; i++) {
		GVariant *record = g_ptr_array_index(records, i);
		const char *name = record_text(record, "Name");
		const char *state = record_text(record, "State");
		g_autofree char *since = NULL;

		if (strcmp(state, "failed") != 0 && strcmp(state, "backoff") != 0)
			continue;
		since = output_format_time(&context->output, (int64_t)record_number(record, "Since"));
		output_line(&context->output, "%s", "");
		output_line(&context->output, "%s %s: %s %s: %s", output_symbol(&context->output, state, false), name,
			    state, since, record_text(record, "Cause"));
		output_line(&context->output, "  svcctl explain %s", name);
	}
}

static const Column manager_columns[] = {
	{ "version", NULL, "Version", CELL_TEXT },
	{ "runlevel", NULL, "Runlevel", CELL_TEXT },
	{ "previous_runlevel", NULL, "PreviousRunlevel", CELL_TEXT },
	{ "boot_finished", NULL, "BootFinished", CELL_BOOL },
	{ "boot_started_at_us", NULL, "BootStartedAt", CELL_TIME },
	{ "boot_finished_at_us", NULL, "BootFinishedAt", CELL_TIME },
	{ "at_rest", NULL, "AtRest", CELL_BOOL },
	{ "shutting_down", NULL, "ShuttingDown", CELL_BOOL },
	{ "generation", NULL, "Generation", CELL_NUMBER },
	{ "manager_pid", NULL, "ManagerPid", CELL_OPTIONAL },
	{ "manager_started_at_us", NULL, "ManagerStartedAt", CELL_TIME },
	{ "virtualization", NULL, "Virtualization", CELL_TEXT },
	{ "tainted", NULL, "Tainted", CELL_STRINGS },
};

static void overview_to_json(Output *output, GVariant *manager, const Counts *counts, const GPtrArray *diagnostics)
{
	JsonNode *node = record_to_json(manager, manager_columns, G_N_ELEMENTS(manager_columns));
	JsonObject *object = json_node_get_object(node);
	JsonObject *numbers = json_object_new();

	json_object_set_int_member(numbers, "total", counts->total);
	json_object_set_int_member(numbers, "up", counts->up);
	json_object_set_int_member(numbers, "changing", counts->moving);
	json_object_set_int_member(numbers, "waiting", counts->waiting);
	json_object_set_int_member(numbers, "off", counts->off);
	json_object_set_int_member(numbers, "failed", counts->failed);
	json_object_set_int_member(numbers, "never", counts->never);
	json_object_set_object_member(object, "services", numbers);
	json_object_set_int_member(object, "diagnostics", diagnostics->len);
	output_set_data(output, node);
}

/* "BEFORE n words AFTER", if there is something to count. */
static void print_number(Output *output, const char *before, unsigned n, const char *word, const char *after)
{
	g_autofree char *count = output_count(n, word);

	if (n > 0)
		output_line(output, "  %s%s%s", before, count, after);
}

bool cmd_overview(Context *context, GError **error)
{
	Output *output = &context->output;
	g_autoptr(GVariant) manager = client_properties(context->client, OBJECT_PATH_MANAGER, INTERFACE_MANAGER, error);
	g_autoptr(GPtrArray) records = manager ? ask_services(context, error) : NULL;
	g_autoptr(GPtrArray) diagnostics = records ? ask_diagnostics(context, error) : NULL;
	g_autoptr(GVariant) tainted = NULL;
	g_autofree char *boot = NULL;
	Counts counts;

	if (!diagnostics)
		return false;
	counts = count_services(records);
	overview_to_json(output, manager, &counts, diagnostics);
	boot = boot_sentence(output, manager);
	output_line(output, "svcd %s%srunlevel %s%s%s", record_text(manager, "Version"), separator(output),
		    record_text(manager, "Runlevel"), separator(output), boot);
	print_counts(output, &counts);
	print_number(output, "the manager was replaced ", (unsigned)record_number(manager, "Generation"), "time",
		     " since the boot");
	tainted = g_variant_lookup_value(manager, "Tainted", G_VARIANT_TYPE_STRING_ARRAY);
	for (gsize i = 0; tainted && i < g_variant_n_children(tainted); i++) {
		const char *sentence;

		g_variant_get_child(tainted, i, "&s", &sentence);
		output_line(output, "  %s", sentence);
	}
	print_number(output, "", diagnostics->len, "complaint", " about files: svcctl explain");
	print_broken(context, records);
	return true;
}
