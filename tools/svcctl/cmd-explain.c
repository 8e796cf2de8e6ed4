/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * explain: the reasons for a state, in the manager's sentences, and the errors in files.
 */
#include "config.h"

#include <string.h>

#include "base/diag.h"
#include "base/errors.h"
#include "base/text.h"
#include "bus/names.h"
#include "svcctl/log-tail.h"
#include "svcctl/processes.h"
#include "svcctl/svcctl.h"

static const char *const reason_fields[] = { "depth", "kind", "service", "text", NULL };
static const Column reason_columns[] = {
	{ "depth", NULL, "depth", CELL_NUMBER },
	{ "kind", NULL, "kind", CELL_TEXT },
	{ "service", NULL, "service", CELL_TEXT },
	{ "text", NULL, "text", CELL_TEXT },
};

/* The label in front of a reason; consecutive equal labels are printed once. */
static const struct {
	const char *kind;
	const char *label;
} reason_labels[] = {
	{ "state", "" },        { "why", "Why" },      { "limits", "Limits" },
	{ "memory", "Memory" }, { "words", "Output" }, { "cause", "Last" },
	{ "impact", "Impact" }, { "next", "Next" },    { "file", "File" },
};

static const char *reason_label(const char *kind)
{
	for (size_t i = 0; i < G_N_ELEMENTS(reason_labels); i++) {
		if (strcmp(reason_labels[i].kind, kind) == 0)
			return reason_labels[i].label;
	}
	return "";
}

static void print_reason(Output *output, GVariant *reason, GVariant *service,
			 const char *previous_kind)
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
	if (strcmp(kind, "state") == 0) {
		output_headline_deep(output, depth, text);
		return;
	}
	output_field_deep(output, depth, strcmp(kind, previous_kind) == 0 ? "" : reason_label(kind),
			  text);
}

/*
 * Adds --user to the commands in the reasons. The manager does not know that they are for the
 * user's own svcd.
 */
static void name_user(GPtrArray *reasons)
{
	for (guint i = 0; i < reasons->len; i++) {
		GVariant *reason = g_ptr_array_index(reasons, i);
		g_autofree char *line = context_command_of_user(record_text(reason, "text"));
		GVariantDict dict;

		if (strcmp(record_text(reason, "kind"), "next") != 0)
			continue;
		g_variant_dict_init(&dict, reason);
		record_add_text(&dict, "text", line);
		g_variant_unref(reason);
		reasons->pdata[i] = g_variant_ref_sink(g_variant_dict_end(&dict));
	}
}

static GPtrArray *get_reasons(Context *context, const char *name, GError **error)
{
	GPtrArray *reasons = get_records(context, "Explain", g_variant_new("(s)", name),
					 "(a(usss))", reason_fields, error);

	if (reasons && context->options.is_user)
		name_user(reasons);
	return reasons;
}

static void add_before_cause(GPtrArray *reasons, const char *service, const char *kind,
			     const char *text)
{
	guint at = 0;

	while (at < reasons->len &&
	       strcmp(record_text(g_ptr_array_index(reasons, at), "kind"), "cause") != 0)
		at++;
	g_ptr_array_insert(reasons, (gint)at,
			   record_from_tuple(g_variant_new("(usss)", 0, kind, service, text),
					     reason_fields));
}

/*
 * Adds the service's last output after the reason for a failure, because it usually explains more
 * than the exit status.
 */
static void add_summary(const Context *context, GPtrArray *reasons, GVariant *service)
{
	const char *state = record_text(service, "State");
	const char *name = record_text(service, "Name");
	g_autofree char *directory = log_directory(context);
	g_autoptr(GPtrArray) lines = NULL;
	g_autofree char *arguments = NULL;

	if (strcmp(state, "failed") != 0 && strcmp(state, "backoff") != 0)
		return;
	lines = log_tail(directory, name, 1, NULL);
	if (lines->len == 0)
		return;
	arguments = g_utf8_make_valid(g_ptr_array_index(lines, 0), -1);
	add_before_cause(reasons, name, "words", arguments);
}

static void add_lack(GPtrArray *reasons, GVariant *service, const char *kind,
		     char *(*describe)(const char *cgroup))
{
	g_autofree char *lack = describe(record_text(service, "ControlGroup"));
	g_autofree char *sentence = lack ? g_strconcat(lack, ".", NULL) : NULL;

	if (sentence)
		add_before_cause(reasons, record_text(service, "Name"), kind, sentence);
}

static const char *const diagnostic_fields[] = { "level", "file", "line", "service", "text", NULL };
static const Column diagnostic_columns[] = {
	{ "level", NULL, "level", CELL_TEXT },   { "file", NULL, "file", CELL_TEXT },
	{ "line", NULL, "line", CELL_OPTIONAL }, { "service", NULL, "service", CELL_TEXT },
	{ "text", NULL, "text", CELL_TEXT },
};

GPtrArray *get_diagnostics(Context *context, GError **error)
{
	return get_records(context, "Diagnostics", NULL, "(a(ssuss))", diagnostic_fields, error);
}

char *diagnostic_sentence(GVariant *record)
{
	const char *file = record_text(record, "file");
	DiagLevel level = DIAG_ERROR;
	const Diagnostic diagnostic = {
		.level = diag_level_from_name(record_text(record, "level"), &level) ? level :
										      DIAG_ERROR,
		.origin = { *file ? file : NULL, (unsigned)record_number(record, "line") },
		.text = (char *)record_text(record, "text"),
	};

	return diag_format(&diagnostic);
}

void print_diagnostics(Context *context, const GPtrArray *records)
{
	for (guint i = 0; i < records->len; i++) {
		g_autofree char *line = diagnostic_sentence(g_ptr_array_index(records, i));

		output_line(&context->output, "%s", line);
	}
}

JsonNode *diagnostics_to_json(const GPtrArray *records)
{
	JsonArray *array = json_array_new();
	JsonNode *node;

	for (guint i = 0; i < records->len; i++)
		json_array_add_element(array, record_to_json(g_ptr_array_index(records, i),
							     diagnostic_columns,
							     G_N_ELEMENTS(diagnostic_columns)));
	node = json_node_init_array(json_node_alloc(), array);
	json_array_unref(array);
	return node;
}

/* Does a reason of the service name the file of @diagnostic? */
static bool is_named(GPtrArray *reasons, GVariant *diagnostic)
{
	const char *file = record_text(diagnostic, "file");

	for (guint i = 0; i < reasons->len && *file; i++) {
		if (strstr(record_text(g_ptr_array_index(reasons, i), "text"), file))
			return true;
	}
	return false;
}

/*
 * The service's own file is part of the manager's reasons. A policy file with an error is not part
 * of them, because its last version without errors is used.
 */
static void add_policy_errors(GPtrArray *reasons, GVariant *service, const GPtrArray *diagnostics)
{
	const char *name = record_text(service, "Name");

	for (guint i = 0; i < diagnostics->len; i++) {
		GVariant *diagnostic = g_ptr_array_index(diagnostics, i);
		g_autofree char *sentence = NULL;

		if (strcmp(record_text(diagnostic, "level"), "error") != 0 ||
		    !g_str_has_suffix(record_text(diagnostic, "file"), ".policy") ||
		    (strcmp(record_text(diagnostic, "service"), name) != 0 &&
		     !is_named(reasons, diagnostic)))
			continue;
		sentence = diagnostic_sentence(diagnostic);
		add_before_cause(reasons, name, "file", sentence);
	}
}

/* Prints the reasons for the state of @name, or adds them to @array. */
static bool explain_one(Context *context, const char *name, const GPtrArray *diagnostics,
			JsonArray *array, GError **error)
{
	Output *output = &context->output;
	g_autoptr(GVariant) service = client_service(context->client, name, error);
	g_autoptr(GPtrArray) reasons = service ? get_reasons(context, name, error) : NULL;
	const char *previous = "";
	JsonObject *object;
	JsonArray *list;

	if (!reasons)
		return false;
	add_lack(reasons, service, "memory", describe_lack_of_memory);
	add_lack(reasons, service, "limits", describe_task_limit);
	add_summary(context, reasons, service);
	add_policy_errors(reasons, service, diagnostics);
	for (guint i = 0; i < reasons->len && !output->is_json; i++) {
		GVariant *reason = g_ptr_array_index(reasons, i);

		print_reason(output, reason, service, previous);
		previous = record_text(reason, "kind");
	}
	object = json_object_new();
	list = json_array_new();
	for (guint i = 0; i < reasons->len; i++)
		json_array_add_element(list,
				       record_to_json(g_ptr_array_index(reasons, i), reason_columns,
						      G_N_ELEMENTS(reason_columns)));
	json_object_set_string_member(object, "name", record_text(service, "Name"));
	json_object_set_string_member(object, "state", record_text(service, "State"));
	json_object_set_array_member(object, "reasons", list);
	json_array_add_object_element(array, object);
	return true;
}

/* Names of all services that are not in their wanted state; a new strv. */
static char **get_not_as_wanted(Context *context, GError **error)
{
	g_autoptr(GVariant) manager =
		client_properties(context->client, OBJECT_PATH_MANAGER, INTERFACE_MANAGER, error);
	char **names = NULL;

	if (manager && !g_variant_lookup(manager, "NotAsWanted", "^as", &names))
		fail(error, SVCD_ERROR_FAILED,
		     "svcd does not report which services are not in the wanted state");
	return names;
}

static bool explain_everything(Context *context, GError **error)
{
	g_auto(GStrv) names = get_not_as_wanted(context, error);
	g_autoptr(GPtrArray) diagnostics = names ? get_diagnostics(context, error) : NULL;
	JsonArray *array;
	JsonObject *object;

	if (!diagnostics)
		return false;
	array = json_array_new();
	for (size_t i = 0; names[i]; i++) {
		g_autoptr(GError) problem = NULL;

		/* A service that disappeared in between is skipped. */
		if (!explain_one(context, names[i], diagnostics, array, &problem) &&
		    !g_error_matches(problem, SVCD_ERROR_DOMAIN, SVCD_ERROR_NO_SUCH_SERVICE)) {
			json_array_unref(array);
			g_propagate_error(error, g_steal_pointer(&problem));
			return false;
		}
		output_line(&context->output, "%s", "");
	}
	if (diagnostics->len > 0)
		output_line(&context->output, "Files with errors or warnings:");
	print_diagnostics(context, diagnostics);
	if (!names[0] && diagnostics->len == 0)
		output_line(&context->output,
			    "All services are in the wanted state, and no file has errors or "
			    "warnings.");
	object = json_object_new();
	json_object_set_array_member(object, "services", array);
	json_object_set_member(object, "diagnostics", diagnostics_to_json(diagnostics));
	output_set_object(&context->output, object);
	return true;
}

bool cmd_explain(Context *context, GError **error)
{
	g_auto(GStrv) names = NULL;
	g_autoptr(GPtrArray) diagnostics = NULL;
	JsonArray *array;
	bool done = true;

	if (context->n_names == 0)
		return explain_everything(context, error);
	names = expand_names(context, error);
	diagnostics = names ? get_diagnostics(context, error) : NULL;
	if (!diagnostics)
		return false;
	array = json_array_new();
	for (size_t i = 0; names[i] && done; i++) {
		if (i > 0)
			output_line(&context->output, "%s", "");
		done = explain_one(context, names[i], diagnostics, array, error);
		if (!done)
			context_advise(context, *error, names[i]);
	}
	output_set_array(&context->output, array);
	return done;
}
