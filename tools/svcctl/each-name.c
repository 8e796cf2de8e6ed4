/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Each name: the common part of the verbs that change services. It handles names one by one, and
 * combines the results.
 */
#include "config.h"

#include "svcctl/svcctl.h"

static const Column result_columns[] = {
	{ "name", NULL, "Name", CELL_TEXT },
	{ "state", NULL, "State", CELL_STATE },
	{ "pid", NULL, "MainPid", CELL_OPTIONAL },
	{ "result", NULL, "Result", CELL_TEXT },
	{ "cause", NULL, "Cause", CELL_TEXT },
	{ "false_terms", NULL, "FalseTerms", CELL_STRUCTS,
	  (const char *const[]){ "text", "level", "why", "origin", NULL } },
};

JsonNode *result_to_json(const char *name, GVariant *record, const GError *error, const char *hint)
{
	JsonNode *node;
	JsonObject *object;

	if (record) {
		node = record_to_json(record, result_columns, G_N_ELEMENTS(result_columns));
		object = json_node_get_object(node);
	} else {
		g_autofree char *valid = g_utf8_make_valid(name, -1);

		object = json_object_new();
		json_object_set_string_member(object, "name", valid);
		node = object_to_node(object);
	}
	if (error)
		json_object_set_member(object, "error", output_error_to_json(error, hint));
	return node;
}

ExitCode join_codes(ExitCode before, ExitCode now, unsigned index)
{
	if (index == 0)
		return now;
	return before == now ? now : EXIT_CODE_FAILED;
}

/*
 * A verb that changes services accepts a pattern only with --all-matching, because a pattern may
 * match more services than intended.
 */
static bool refuse_patterns(Context *context, char *const *names, GError **error)
{
	g_autofree char *list = g_strjoinv(", ", (char **)names);

	context_hint(context, "To %s all of them, add --all-matching", context->verb->name);
	return fail_ctl(error, CTL_ERROR_USAGE, "%s: the pattern matches %u services: %s",
			context->verb->name, g_strv_length((char **)names), list);
}

bool replace_patterns(Context *context, GError **error)
{
	char **names;

	if (!has_patterns(context))
		return true;
	names = expand_names(context, error);
	if (!names)
		return false;
	context->expanded = names;
	if (!context->options.all_matching)
		return refuse_patterns(context, names, error);
	context->names = names;
	context->n_names = g_strv_length(names);
	return true;
}

bool for_each_name(Context *context, NameFunc action, GError **error)
{
	g_autoptr(GError) kept = NULL;
	JsonArray *array = json_array_new();
	JsonNode *node;

	for (unsigned i = 0; i < context->n_names; i++) {
		g_autoptr(GVariant) record = NULL;

		if (kept && !context->output.is_json)
			output_print_error(&context->output, kept, context->hint);
		g_clear_error(&kept);
		g_clear_pointer(&context->hint, g_free);
		if (!action(context, context->names[i], &record, &kept))
			context_advise(context, kept, context->names[i]);
		context->exit = join_codes(context->exit, exit_code_of(kept), i);
		json_array_add_element(array, result_to_json(context->names[i], record, kept,
							     context->hint));
	}
	node = json_node_init_array(json_node_alloc(), array);
	json_array_unref(array);
	output_set_data(&context->output, node);
	if (!kept)
		return true;
	g_propagate_error(error, g_steal_pointer(&kept));
	return false;
}
