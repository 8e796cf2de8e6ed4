/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Dry run: forecasts of requests, for people and as JSON.
 */
#include "config.h"

#include "svcctl/dry-run.h"

#include <string.h>

#include "base/errors.h"
#include "svcctl/logins.h"
#include "svcctl/policy-change.h"

static void print_logins(Output *output, JsonObject *object)
{
	g_autoptr(GPtrArray) logins = logins_list();
	JsonArray *array = json_array_new();

	for (guint i = 0; i < logins->len; i++) {
		const Login *login = g_ptr_array_index(logins, i);
		g_autofree char *text = login_text(login);
		JsonObject *member = json_object_new();

		output_field(output, i == 0 ? "Logged in" : "", text);
		json_object_set_string_member(member, "user", login->user);
		json_object_set_string_member(member, "line", login->line);
		json_array_add_object_element(array, member);
	}
	if (logins->len == 0)
		output_field(output, "Logged in", "nobody");
	json_object_set_array_member(object, "logged_in", array);
}

/* Takes @object. */
static void finish(Context *context, const Forecast *forecast, bool is_certain, JsonObject *object)
{
	forecast_print(&context->output, forecast, is_certain);
	output_confirm(&context->output, "  Dry run: nothing was changed");
	json_object_set_boolean_member(object, "dry_run", TRUE);
	json_object_set_boolean_member(object, "svcd_running", is_certain);
	forecast_to_json(forecast, object);
	output_set_data(&context->output, json_node_init_object(json_node_alloc(), object));
	json_object_unref(object);
}

/* The manager refuses to stop services that others need. */
static bool check_dependents(Context *context, const char *name, GError **error)
{
	g_autoptr(GVariant) service = client_service(context->client, name, error);
	g_auto(GStrv) names = NULL;
	g_autofree char *list = NULL;

	if (!service)
		return false;
	if (context->options.with_dependents ||
	    !g_variant_lookup(service, "Dependents", "^as", &names) || !names[0])
		return true;
	list = g_strjoinv(", ", names);
	context_hint(context, "To stop them as well: svcctl stop %s --with-dependents", name);
	return fail(error, SVCD_ERROR_BUSY, "%s would not be stopped: %s %s it: %s", name,
		    names[1] ? "these running services" : "a running service",
		    names[1] ? "need" : "needs", list);
}

bool dry_run_request(Context *context, RequestVerb verb, GError **error)
{
	g_autofree const char **names = g_new0(const char *, context->n_names + 1);
	g_autoptr(Forecast) forecast = NULL;
	GError *refusal = NULL;
	bool is_running;

	for (unsigned i = 0; i < context->n_names; i++) {
		if (!g_utf8_validate(context->names[i], -1, NULL))
			return fail(error, SVCD_ERROR_NO_SUCH_SERVICE,
				    "the name of a service must be valid UTF-8");
		if (verb == REQUEST_VERB_STOP &&
		    !check_dependents(context, context->names[i], error))
			return false;
		names[i] = context->names[i];
	}
	forecast = policy_forecast(context, &(ForecastChange){ .verb = verb, .names = names },
				   &is_running, &refusal);
	if (refusal) {
		context_advise(context, refusal, context->n_names == 1 ? names[0] : NULL);
		g_propagate_error(error, refusal);
		return false;
	}
	output_line(&context->output, "%s%s", context->verb->name,
		    is_running ? "" : ", as if the machine had booted into its default runlevel");
	finish(context, forecast, is_running, json_object_new());
	return true;
}

bool dry_run_files(Context *context, GError **error)
{
	g_autoptr(PolicyPresent) present = policy_present_new(context);
	bool is_running;
	g_autoptr(Forecast) forecast = policy_forecast_files(present, false, &is_running);
	g_autoptr(Configuration) files = context_load(context, NULL, 0);
	const unsigned n_errors = diag_list_count_errors(files->diags);

	for (unsigned i = 0; i < diag_list_length(files->diags); i++) {
		const Diagnostic *diagnostic = diag_list_get(files->diags, i);
		g_autofree char *text = diag_format(diagnostic);

		if (diagnostic->level == DIAG_ERROR)
			output_line(&context->output, "%s", text);
	}
	finish(context, forecast, is_running, json_object_new());
	return n_errors == 0 || fail(error, SVCD_ERROR_INVALID_CONFIGURATION,
				     "%u error%s found; files with errors would keep their last "
				     "good version",
				     n_errors, n_errors == 1 ? " was" : "s were");
}

void dry_run_runlevel(Context *context, const char *runlevel)
{
	const bool is_verb = strcmp(context->verb->name, "runlevel") == 0;
	const bool is_end = strcmp(runlevel, "0") == 0 || strcmp(runlevel, "6") == 0;
	JsonObject *object = json_object_new();
	bool is_running;
	g_autoptr(Forecast) forecast = policy_forecast(
		context, &(ForecastChange){ .runlevel = runlevel }, &is_running, NULL);

	output_line(&context->output, "%s%s%s%s", context->verb->name, is_verb ? " " : "",
		    is_verb ? runlevel : "",
		    is_running ? "" : ", from the runlevel that the machine boots into");
	json_object_set_string_member(object, "runlevel", runlevel);
	if (is_end)
		print_logins(&context->output, object);
	finish(context, forecast, is_running, object);
}
