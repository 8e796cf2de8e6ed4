/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * flag, runlevel, poweroff, reboot, halt, reload-files, reexec, version: the machine as a whole.
 */
#include "config.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/errors.h"
#include "bus/names.h"
#include "svcctl/dry-run.h"
#include "svcctl/end-later.h"
#include "svcctl/logins.h"
#include "svcctl/policy-change.h"

/* The interval between two checks for a new manager. */
enum { NEXT_MANAGER_US = 20000 };

static void set_object(Output *output, JsonObject *object)
{
	output_set_data(output, json_node_init_object(json_node_alloc(), object));
	json_object_unref(object);
}

/* Calls a method that changes something; @done is the confirmation. */
static bool change(Context *context, const char *method, GVariant *args, const char *done,
		   GError **error)
{
	g_autoptr(GVariant) reply = client_change(context->client, method, args, "()", error);

	if (!reply)
		return false;
	output_confirm(&context->output, "%s", done);
	set_object(&context->output, json_object_new());
	return true;
}

/* --- flags --- */

static bool list_flags(Context *context, GError **error)
{
	g_autoptr(GVariant) manager =
		client_properties(context->client, OBJECT_PATH_MANAGER, INTERFACE_MANAGER, error);
	g_auto(GStrv) names = NULL;
	JsonArray *array;

	if (!manager)
		return false;
	if (!g_variant_lookup(manager, "Flags", "^as", &names))
		names = g_new0(char *, 1);
	array = json_array_new();
	for (size_t i = 0; names[i]; i++) {
		output_line(&context->output, "%s", names[i]);
		json_array_add_string_element(array, names[i]);
	}
	if (!names[0])
		output_confirm(&context->output, "no flag is set");
	output_set_array(&context->output, array);
	return true;
}

static bool set_flags(Context *context, bool value, GError **error)
{
	if (context->n_names < 2)
		return fail_ctl(error, CTL_ERROR_USAGE, "flag %s: which flag?", context->names[0]);
	for (unsigned i = 1; i < context->n_names; i++) {
		const char *name = context->names[i];
		g_autofree char *done =
			g_strdup_printf("flag:%s is %s", name, value ? "true" : "false");

		if (!g_utf8_validate(name, -1, NULL))
			return fail(error, SVCD_ERROR_INVALID_ARGUMENT,
				    "the name of a flag must be valid UTF-8");
		if (!change(context, "SetFlag", g_variant_new("(sb)", name, (gboolean)value), done,
			    error))
			return false;
	}
	return true;
}

bool cmd_flag(Context *context, GError **error)
{
	const char *token = context->n_names > 0 ? context->names[0] : "list";

	if (strcmp(token, "list") == 0)
		return list_flags(context, error);
	if (strcmp(token, "set") == 0 || strcmp(token, "clear") == 0)
		return set_flags(context, strcmp(token, "set") == 0, error);
	return fail_ctl(error, CTL_ERROR_USAGE, "flag: \"%s\" is not list, set or clear", token);
}

/* --- runlevels --- */

static bool show_runlevel(Context *context, GError **error)
{
	g_autoptr(GVariant) manager =
		client_properties(context->client, OBJECT_PATH_MANAGER, INTERFACE_MANAGER, error);
	const char *previous;
	JsonObject *object;

	if (!manager)
		return false;
	previous = record_text(manager, "PreviousRunlevel");
	output_line(&context->output, "%s %s", *previous ? previous : "N",
		    record_text(manager, "Runlevel"));
	object = json_object_new();
	json_object_set_string_member(object, "runlevel", record_text(manager, "Runlevel"));
	if (*previous)
		json_object_set_string_member(object, "previous", previous);
	else
		json_object_set_null_member(object, "previous");
	set_object(&context->output, object);
	return true;
}

static bool forecast_runlevel(Context *context, const char *name, GError **error)
{
	g_autoptr(Configuration) configuration = context_load(context, NULL, 0);
	const char *runlevel = policy_find_runlevel(configuration->policy, name);

	if (!runlevel)
		return fail(error, SVCD_ERROR_INVALID_ARGUMENT, "there is no runlevel \"%s\"",
			    name);
	dry_run_runlevel(context, runlevel);
	return true;
}

static void print_effects(Context *context, const Forecast *forecast)
{
	if (!forecast_is_empty(forecast) && forecast_is_shown(context, forecast))
		forecast_print(&context->output, forecast, true);
}

static bool change_runlevel(Context *context, const char *name, GError **error)
{
	g_autofree char *done = g_strdup_printf("the runlevel is now %s", name);
	g_autoptr(Configuration) configuration = context_load(context, NULL, 0);
	const char *runlevel = policy_find_runlevel(configuration->policy, name);
	g_autoptr(Forecast) forecast =
		policy_forecast(context, &(ForecastChange){ .runlevel = runlevel }, NULL, NULL);

	if (!change(context, "SetRunlevel", g_variant_new("(s)", name), done, error))
		return false;
	print_effects(context, forecast);
	return true;
}

bool cmd_runlevel(Context *context, GError **error)
{
	if (context->n_names == 1 && context->options.is_dry_run)
		return forecast_runlevel(context, context->names[0], error);
	if (context->options.is_dry_run || context->options.root)
		return fail_ctl(error, CTL_ERROR_USAGE,
				"runlevel: --dry-run needs a runlevel, and --root needs --dry-run");
	if (context->n_names == 0)
		return show_runlevel(context, error);
	if (!g_utf8_validate(context->names[0], -1, NULL))
		return fail(error, SVCD_ERROR_INVALID_ARGUMENT,
			    "the name of a runlevel must be valid UTF-8");
	return change_runlevel(context, context->names[0], error);
}

/* --- the end, files, programs --- */

/*
 * RequestKind in daemon/protocol/protocol.h defines what these signals mean to PID 1. Without a
 * manager PID 1 shuts down the machine alone.
 */
static bool query_pid1(Context *context)
{
	const char *verb = context->verb->name;
	const int number = SIGRTMIN + (strcmp(verb, "halt") == 0     ? 3 :
				       strcmp(verb, "poweroff") == 0 ? 4 :
								       5);

	if (context->options.is_user || !client_pid1_is_svcd(NULL) || kill(1, number) < 0)
		return false;
	output_confirm(&context->output,
		       "%s: the manager does not answer, so a signal was sent to PID 1", verb);
	set_object(&context->output, json_object_new());
	return true;
}

/* A script is not asked for confirmation. */
static bool request_for_others(Context *context, GError **error)
{
	g_autoptr(GPtrArray) others =
		isatty(STDIN_FILENO) && !context->options.is_user ? logins_of_others() : NULL;
	char answer[16] = "";

	if (!others || others->len == 0)
		return true;
	for (guint i = 0; i < others->len; i++) {
		g_autofree char *text = login_text(g_ptr_array_index(others, i));

		fprintf(context->output.err, "%s is logged in: %s\n",
			i == 0 ? "Another user" : "Another", text);
	}
	fprintf(context->output.err, "%s anyway? [y/N] ", context->verb->name);
	(void)fflush(context->output.err); /* a terminal */
	if (fgets(answer, sizeof answer, stdin) && (answer[0] == 'y' || answer[0] == 'Y'))
		return true;
	context_hint(context, "Without the question: svcctl %s --force", verb_typed(context->verb));
	return fail_ctl(error, CTL_ERROR_FAILED, "%s was cancelled", context->verb->name);
}

bool cmd_end_machine(Context *context, GError **error)
{
	g_autofree char *done =
		g_strdup_printf("%s: services are being stopped", context->verb->name);
	GError *problem = NULL;

	if (context->options.is_dry_run) {
		dry_run_runlevel(context, strcmp(context->verb->name, "reboot") == 0 ? "6" : "0");
		return true;
	}
	if (context->options.is_cancel)
		return end_later_cancel(context, error);
	if (context->options.at)
		return end_later_begin(context, error);
	if (!context->options.is_forced && !request_for_others(context, error))
		return false;
	/*
	 * If there is little to stop, the final TERM to all processes comes before svcctl has
	 * printed the confirmation.
	 */
	(void)signal(SIGTERM, SIG_IGN); /* cannot fail, because this signal can be ignored */
	if (change(context, "Shutdown", g_variant_new("(s)", context->verb->name), done, &problem))
		return true;
	if (error_is_ctl(problem, CTL_ERROR_UNREACHABLE) && query_pid1(context)) {
		g_error_free(problem);
		return true;
	}
	g_propagate_error(error, problem);
	return false;
}

static unsigned count_errors(const GPtrArray *diagnostics)
{
	unsigned n = 0;

	for (guint i = 0; i < diagnostics->len; i++)
		n += strcmp(record_text(g_ptr_array_index(diagnostics, i), "level"), "error") == 0;
	return n;
}

/*
 * Prints the services that still run with an earlier version of their file, for people; their names
 * are added to @array.
 */
static void print_changed(Output *output, const GPtrArray *services, JsonArray *array)
{
	g_autoptr(GString) names = g_string_new(NULL);

	for (guint i = 0; i < services->len; i++) {
		GVariant *service = g_ptr_array_index(services, i);

		if (strcmp(record_text(service, "FileState"), "changed") != 0)
			continue;
		g_string_append_printf(names, " %s", record_text(service, "Name"));
		json_array_add_string_element(array, record_text(service, "Name"));
	}
	if (names->len > 0)
		output_confirm(output,
			       "To apply the changed files to running services: svcctl restart%s",
			       names->str);
}

/* The result of the load. A file with an error is not in force, so the verb has not succeeded. */
static bool report_files(Context *context, const GPtrArray *services, const GPtrArray *diagnostics,
			 const Forecast *forecast, GError **error)
{
	const unsigned n_errors = count_errors(diagnostics);
	g_autofree char *count = output_count(services->len, "service");
	JsonObject *object = json_object_new();
	JsonArray *changed = json_array_new();

	if (!context->output.is_quiet)
		print_diagnostics(context, diagnostics);
	print_effects(context, forecast);
	print_changed(&context->output, services, changed);
	json_object_set_int_member(object, "services", services->len);
	json_object_set_array_member(object, "changed", changed);
	forecast_to_json(forecast, object);
	json_object_set_member(object, "diagnostics", diagnostics_to_json(diagnostics));
	set_object(&context->output, object);
	if (n_errors > 0)
		return fail(error, SVCD_ERROR_INVALID_CONFIGURATION,
			    "%u error%s found; files with errors keep their last good version",
			    n_errors, n_errors == 1 ? " was" : "s were");
	output_confirm(&context->output, "%s and the policy were read, no errors", count);
	return true;
}

/*
 * svcd answers the request before the load is finished, because the generators run in their own
 * process. svcctl reads files only after the load: a process can hold a directory, and then its
 * readers hang. Only svcd's reader has a time limit.
 */
bool cmd_reload_files(Context *context, GError **error)
{
	g_autoptr(PolicyPresent) present = NULL;
	g_autoptr(Forecast) forecast = NULL;
	const int64_t since_us = g_get_monotonic_time();
	g_autoptr(GVariant) reply = NULL;
	g_autoptr(GPtrArray) services = NULL;
	g_autoptr(GPtrArray) diagnostics = NULL;

	if (context->options.is_dry_run)
		return dry_run_files(context, error);
	present = policy_present_new(context);
	if (!client_watch(context->client, error))
		return false;
	reply = policy_request_read(context, error);
	if (!reply || !policy_wait_until_read(context, since_us, error))
		return false;
	forecast = policy_forecast_files(present, true, NULL);
	services = get_services_with(context, "Name FileState", error);
	diagnostics = services ? get_diagnostics(context, error) : NULL;
	return diagnostics && report_files(context, services, diagnostics, forecast, error);
}

static GVariant *get_manager(Context *context, GError **error)
{
	return client_properties(context->client, OBJECT_PATH_MANAGER, INTERFACE_MANAGER, error);
}

/*
 * The manager after the one with @pid, or NULL. The old one is about to exit, and answers until
 * then.
 */
static GVariant *wait_for_next_manager(Context *context, uint64_t pid, GError **error)
{
	const int64_t deadline_us = g_get_monotonic_time() + context->timeout_us;

	for (;;) {
		g_autoptr(GVariant) manager = get_manager(context, error);

		if (!manager || record_number(manager, "ManagerPid") != pid)
			return g_steal_pointer(&manager);
		if (g_get_monotonic_time() >= deadline_us) {
			fail_ctl(error, CTL_ERROR_TIMED_OUT,
				 "svcd has not restarted its programs yet");
			return NULL;
		}
		g_usleep(NEXT_MANAGER_US);
	}
}

bool cmd_reexec(Context *context, GError **error)
{
	g_autoptr(GVariant) before = get_manager(context, error);
	g_autoptr(GVariant) reply = NULL;
	g_autoptr(GVariant) after = NULL;

	if (!before)
		return false;
	if (context->options.has_no_wait)
		return change(context, "Reexec", NULL, "svcd is restarting its programs", error);
	reply = client_change(context->client, "Reexec", NULL, "()", error);
	after = reply ? wait_for_next_manager(context, record_number(before, "ManagerPid"), error) :
			NULL;
	if (!after)
		return false;
	if (*record_text(after, "ReexecProblem"))
		return fail_ctl(error, CTL_ERROR_FAILED, "%s", record_text(after, "ReexecProblem"));
	output_confirm(&context->output, "svcd has restarted its programs");
	set_object(&context->output, json_object_new());
	return true;
}

bool cmd_version(Context *context, GError **error)
{
	g_autoptr(GVariant) manager = get_manager(context, error);
	JsonObject *object = json_object_new();

	output_line(&context->output, "svcctl %s", PACKAGE_VERSION);
	json_object_set_string_member(object, "svcctl", PACKAGE_VERSION);
	if (manager) {
		output_line(&context->output, "svcd %s", record_text(manager, "Version"));
		json_object_set_string_member(object, "svcd", record_text(manager, "Version"));
	}
	set_object(&context->output, object);
	return manager != NULL;
}
