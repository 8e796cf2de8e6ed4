/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Policy change: implementation; the header describes the purpose.
 */
#include "config.h"

#include "svcctl/policy-change.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/errors.h"
#include "base/text.h"
#include "bus/names.h"
#include "svcctl/in-force.h"

void outcome_clear(Outcome *outcome)
{
	g_clear_pointer(&outcome->forecast, forecast_free);
	g_clear_pointer(&outcome->warning, g_free);
}

/* --- permission --- */

static bool is_own_tree(const Context *context)
{
	return context->options.root != NULL;
}

/* The helper's exit code and output become those of this process, JSON included. */
static void print_helper(Context *context, uint32_t code, const char *text)
{
	fputs(text,
	      code == 0 || context->output.is_json ? context->output.out : context->output.err);
	context->exit = (ExitCode)code;
	context->output.is_stream = true; /* the helper printed the document */
}

/*
 * The verb comes first, as ChangePolicy requires; on the command line options may stand before it.
 */
static GVariant *arguments_for_helper(const Context *context)
{
	/* the verb, perhaps shortened: the argument before the first name */
	const char *typed = context->names[-1];
	GVariantBuilder builder;

	g_variant_builder_init(&builder, G_VARIANT_TYPE_STRING_ARRAY);
	g_variant_builder_add(&builder, "s", context->verb->name);
	for (char **argument = context->arguments; *argument; argument++) {
		if (*argument != typed)
			g_variant_builder_add(&builder, "s", *argument);
	}
	return g_variant_new("(as)", &builder);
}

bool policy_hand_over(Context *context, bool *ret_is_done, GError **error)
{
	g_autoptr(GVariant) reply = NULL;
	const char *text;
	uint32_t code;

	*ret_is_done = false;
	for (char **argument = context->arguments; *argument; argument++) {
		if (!g_utf8_validate(*argument, -1, NULL))
			return fail_ctl(error, CTL_ERROR_USAGE, "policy must be valid UTF-8");
	}
	if (geteuid() == 0 || context_owns_files(context) || context->options.is_dry_run)
		return true;
	reply = client_change(context->client, "ChangePolicy", arguments_for_helper(context),
			      "(us)", error);
	if (!reply)
		return false;
	g_variant_get(reply, "(u&s)", &code, &text);
	print_helper(context, code, text);
	*ret_is_done = true;
	return true;
}

/* --- the present state of the machine --- */

/* The total wait for levels that are unknown at first because no service uses them. */
#define LEVELS_LIMIT_US G_USEC_PER_SEC

/* The data of the level function. */
typedef struct World {
	Context *context;
	int64_t deadline_us; /* for levels that are still unknown */
	GHashTable *levels; /* key -> Level + 1; NULL: svcd does not answer */
} World;

static bool path_is_true(const char *root, const char *argument)
{
	static const struct {
		const char *kind;
		GFileTest test;
	} kinds[] = { { "exec:", G_FILE_TEST_IS_EXECUTABLE },
		      { "dir:", G_FILE_TEST_IS_DIR },
		      { "nonempty:", G_FILE_TEST_EXISTS } };

	for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
		if (g_str_has_prefix(argument, kinds[i].kind)) {
			g_autofree char *path =
				g_build_filename(root, argument + strlen(kinds[i].kind), NULL);

			return g_file_test(path, kinds[i].test);
		}
	}
	g_autofree char *path = g_build_filename(root, argument, NULL);
	return g_file_test(path, G_FILE_TEST_EXISTS);
}

/*
 * For a machine that does not run: paths are looked up, no flag is set, and the kernel's command
 * line is empty. Other conditions count as true.
 */
static Level guess_level(const World *world, KeyPrefix prefix, const char *key)
{
	const char *root = world->context->options.root ? world->context->options.root : "/";

	switch (prefix) {
	case KEY_PATH:
		return path_is_true(root, key_argument(key)) ? LEVEL_TRUE : LEVEL_FALSE;
	case KEY_KERNEL:
	case KEY_VIRTUAL:
	case KEY_FLAG:
		return LEVEL_FALSE;
	case KEY_SERVICE:
	case KEY_SETTLED:
	case KEY_ACTIVE:
	case KEY_HEALTHY:
	case KEY_FACILITY:
	case KEY_INSTALLED: /* a package that services wait for counts as set up */
	case KEY_MOUNTED:
	case KEY_DBUS:
	case KEY_DBUS_PROPERTY:
	case KEY_NETWORK:
	case KEY_LABEL:
	case KEY_UUID:
	case KEY_DEVICE:
	case KEY_UDEV:
	case KEY_DUE:
	case KEY_TIME:
	case KEY_COUNT:
		break;
	}
	return LEVEL_TRUE;
}

static Level watch_level(Client *client, const char *key)
{
	g_autoptr(GVariant) reply = client_get_manager(
		client, "WatchCondition", g_variant_new("(sb)", key, TRUE), "(ss)", NULL);
	const char *name = "unknown";
	const char *why;
	Level level = LEVEL_UNKNOWN;

	if (reply)
		g_variant_get(reply, "(&s&s)", &name, &why);
	return level_from_name(name, &level) ? level : LEVEL_UNKNOWN;
}

/* The level of a condition that no service uses yet. */
static Level get_level(const World *world, const char *key)
{
	Client *client = world->context->client;
	Level level = client_listen(client, NULL) ? watch_level(client, key) : LEVEL_UNKNOWN;

	while (level == LEVEL_UNKNOWN && client_wait(client, world->deadline_us))
		level = watch_level(client, key);
	return level;
}

static Level on_level(void *data, KeyPrefix prefix, const char *key)
{
	const World *world = data;
	const gpointer level = world->levels ? g_hash_table_lookup(world->levels, key) : NULL;

	if (!world->levels)
		return guess_level(world, prefix, key);
	return level ? (Level)(GPOINTER_TO_INT(level) - 1) : get_level(world, key);
}

static GHashTable *get_levels(Context *context, GError **error)
{
	g_autoptr(GPtrArray) records = get_conditions(context, error);
	GHashTable *levels;

	if (!records)
		return NULL;
	levels = g_hash_table_new(g_str_hash, g_str_equal);
	for (guint i = 0; i < records->len; i++) {
		GVariant *record = g_ptr_array_index(records, i);
		Level level;

		if (level_from_name(record_text(record, "Level"), &level))
			g_hash_table_insert(levels,
					    (gpointer)g_intern_string(record_text(record, "Key")),
					    GINT_TO_POINTER(level + 1));
	}
	return levels;
}

static GPtrArray *get_present_services(Context *context, GError **error)
{
	g_autoptr(GPtrArray) records = get_services(context, error);
	GPtrArray *services;

	if (!records)
		return NULL;
	services = g_ptr_array_new_with_free_func(
		(GDestroyNotify)(void (*)(void))present_service_free);
	for (guint i = 0; i < records->len; i++) {
		GVariant *record = g_ptr_array_index(records, i);
		PresentService *service = g_new0(PresentService, 1);

		service->name = g_strdup(record_text(record, "Name"));
		service->lost_file = g_strdup(record_text(record, "LostFile"));
		service->is_wanted = record_number(record, "Wanted") != 0;
		service->is_settled = record_number(record, "Settled") != 0;
		/* An unknown name from another version of svcd is ignored. */
		(void)service_state_from_name(record_text(record, "State"), &service->state);
		(void)service_type_from_name(record_text(record, "Type"), &service->type);
		(void)health_from_name(record_text(record, "Health"), &service->health);
		(void)admin_want_from_name(record_text(record, "Admin"), &service->admin);
		service->admin_at_us = (int64_t)record_number(record, "AdminAt");
		g_ptr_array_add(services, service);
	}
	return services;
}

/*
 * The requested instances of templates, and the present ones, because an instance that an admin has
 * started stays.
 */
static char **list_instances(const GPtrArray *services, const char *const *requested)
{
	GPtrArray *names = g_ptr_array_new();

	/* the loader ignores a name that is not an instance */
	for (size_t i = 0; requested && requested[i]; i++)
		g_ptr_array_add(names, g_strdup(requested[i]));
	for (guint i = 0; services && i < services->len; i++) {
		const PresentService *service = g_ptr_array_index(services, i);

		if (strchr(service->name, '@'))
			g_ptr_array_add(names, g_strdup(service->name));
	}
	g_ptr_array_add(names, NULL);
	return (char **)g_ptr_array_free(names, FALSE);
}

struct PolicyPresent {
	World world;
	GPtrArray *services; /* PresentService *; NULL: no svcd runs here */
	char *runlevel;
	Bundle *in_force; /* NULL: it cannot be read, so the files on the disk are used */
};

static Bundle *get_in_force(Context *context, char **ret_runlevel)
{
	g_autoptr(GVariant) manager =
		client_properties(context->client, OBJECT_PATH_MANAGER, INTERFACE_MANAGER, NULL);

	if (manager && ret_runlevel)
		*ret_runlevel = g_strdup(record_text(manager, "Runlevel"));
	return manager ? in_force_read(manager) : NULL;
}

PolicyPresent *policy_present_new(Context *context)
{
	PolicyPresent *present = g_new0(PolicyPresent, 1);

	present->world.context = context;
	if (is_own_tree(context) || !context->client)
		return present;
	present->in_force = get_in_force(context, &present->runlevel);
	present->services = present->runlevel ? get_present_services(context, NULL) : NULL;
	present->world.levels = present->services ? get_levels(context, NULL) : NULL;
	if (!present->world.levels)
		g_clear_pointer(&present->services, g_ptr_array_unref);
	return present;
}

void policy_present_free(PolicyPresent *present)
{
	if (!present)
		return;
	g_clear_pointer(&present->world.levels, g_hash_table_unref);
	g_clear_pointer(&present->services, g_ptr_array_unref);
	bundle_free(present->in_force);
	g_free(present->runlevel);
	g_free(present);
}

static Forecast *forecast_from(PolicyPresent *present, const ForecastChange *change, GError **error)
{
	Context *context = present->world.context;
	ForecastChange shifted = *change;
	g_auto(GStrv) instances = list_instances(present->services, change->names);
	g_autoptr(Configuration) before =
		context_load_in_force(context, (const char *const *)instances, present->in_force);
	const Present now = { .runlevel = present->services ? present->runlevel : NULL,
			      .services = present->services,
			      .level = on_level,
			      .data = &present->world };
	g_autofree char *boot = NULL;

	present->world.deadline_us = g_get_monotonic_time() + LEVELS_LIMIT_US;
	/* A machine that does not run boots into the runlevel that the new files set. */
	if (!present->services && change->after && !change->runlevel)
		shifted.runlevel = boot =
			g_strdup(policy_default_runlevel(change->after->policy, NULL));
	return forecast_new(&now, before, &shifted, error);
}

Forecast *policy_forecast_files(PolicyPresent *present, bool are_read, bool *ret_is_running)
{
	Context *context = present->world.context;
	g_auto(GStrv) instances = list_instances(present->services, NULL);
	g_autoptr(Bundle) read = are_read ? get_in_force(context, NULL) : NULL;
	g_autoptr(Configuration)
		after = context_load_in_force(context, (const char *const *)instances, read);

	if (ret_is_running)
		*ret_is_running = present->services != NULL;
	return forecast_from(present, &(ForecastChange){ .after = after }, NULL);
}

Forecast *policy_forecast(Context *context, const ForecastChange *change, bool *ret_is_running,
			  GError **error)
{
	g_autoptr(PolicyPresent) present = policy_present_new(context);

	if (ret_is_running)
		*ret_is_running = present->services != NULL;
	return forecast_from(present, change, error);
}

/* --- checking and writing --- */

Change *policy_change_new(const Context *context)
{
	const bool is_until_reboot = context->options.is_until_reboot;
	Change *change = context->options.is_user ?
				 change_new_user(is_until_reboot) :
				 change_new(context_root(context), is_until_reboot);

	change_set_overlay(change, context->overlay);
	return change;
}

bool policy_change_check(const Context *context, const Change *change, Configuration **ret_preview,
			 GError **error)
{
	g_autofree char *kernel = context_kernel_cmdline(context);
	g_autoptr(DiagList) problems = NULL;
	g_autoptr(Configuration) preview = change_preview(change, kernel, &problems);

	for (unsigned i = 0; i < diag_list_length(problems); i++) {
		const Diagnostic *problem = diag_list_get(problems, i);
		g_autofree char *sentence = diag_format(problem);

		if (problem->level == DIAG_ERROR)
			return fail(error, SVCD_ERROR_INVALID_CONFIGURATION,
				    "nothing was written: %s", sentence);
	}
	if (ret_preview)
		*ret_preview = g_steal_pointer(&preview);
	return true;
}

static uid_t author(const Context *context)
{
	uint64_t uid;

	if (context->options.helper_for &&
	    text_parse_uint(context->options.helper_for, 10, UINT32_MAX - 1, &uid))
		return (uid_t)uid;
	return getuid();
}

/*
 * The call is repeated if the connection was lost: the same manager may still run without having
 * received the call. Reading twice does no harm.
 */
GVariant *policy_request_read(Context *context, GError **error)
{
	return client_get_manager(context->client, "ReloadFiles", NULL, "()", error);
}

/* A manager that started meanwhile may not know the request, so it is sent once more. */
static bool query_new_manager(Context *context, GVariant *manager, int64_t *since_us,
			      GError **error)
{
	const int64_t started_us = (int64_t)record_number(manager, "ManagerStartedAt");
	g_autoptr(GVariant) reply = NULL;

	if (started_us <= *since_us)
		return true;
	*since_us = started_us;
	reply = policy_request_read(context, error);
	return reply != NULL;
}

bool policy_wait_until_read(Context *context, int64_t since_us, GError **error)
{
	const int64_t deadline_us = g_get_monotonic_time() + context->timeout_us;
	int64_t requested_us = since_us;

	for (;;) {
		g_autoptr(GVariant) manager = client_properties(
			context->client, OBJECT_PATH_MANAGER, INTERFACE_MANAGER, error);

		if (!manager)
			return false;
		if ((int64_t)record_number(manager, "FilesReadAt") >= since_us)
			return true;
		if ((int64_t)record_number(manager, "FilesFailedAt") >= since_us)
			return fail(
				error, SVCD_ERROR_FAILED,
				"svcd could not read its files again, and the earlier files remain "
				"in force: %s",
				record_text(manager, "FilesProblem"));
		if (!query_new_manager(context, manager, &requested_us, error))
			return false;
		if (!client_wait(context->client, deadline_us))
			return fail_ctl(error, CTL_ERROR_TIMED_OUT,
					"svcd has not read its files again yet");
	}
}

bool policy_let_svcd_read(Context *context, bool *ret_is_running, GError **error)
{
	const int64_t since_us = g_get_monotonic_time();
	g_autoptr(GVariant) reply = NULL;
	g_autoptr(GError) problem = NULL;

	*ret_is_running = false;
	if (is_own_tree(context))
		return true;
	if (client_watch(context->client, &problem))
		reply = policy_request_read(context, &problem);
	if (!reply && error_is_ctl(problem, CTL_ERROR_UNREACHABLE))
		return true;
	if (!reply) {
		g_propagate_prefixed_error(error, g_steal_pointer(&problem),
					   "the change is written, but ");
		return false;
	}
	*ret_is_running = true;
	if (policy_wait_until_read(context, since_us, error))
		return true;
	g_prefix_error(error, "the change is written, but ");
	return false;
}

static bool write_change(Context *context, Change *change, Outcome *outcome, GError **error)
{
	g_autofree char *line = context_command_line(context);
	const ChangeAuthor by = { .uid = author(context), .command = line };

	if (!change_apply(change, &by, &outcome->number, error))
		return false;
	outcome->is_written = true;
	outcome->warning = g_strdup(change_warning(change));
	return policy_let_svcd_read(context, &outcome->is_running, error);
}

/* svcd has read the files, so they decide what it starts and stops now. */
static bool clear_all(Context *context, const GPtrArray *names, GError **error)
{
	for (guint i = 0; i < names->len; i++) {
		g_autoptr(GVariant)
			reply = client_change(context->client, "Clear",
					      g_variant_new("(s)", g_ptr_array_index(names, i)),
					      "()", error);

		if (!reply)
			return false;
	}
	return true;
}

bool policy_change_commit(Context *context, Change *change, const GPtrArray *cleared, Outcome *ret,
			  GError **error)
{
	g_autoptr(Configuration) preview = NULL;
	g_autofree const char **names = g_new0(const char *, (cleared ? cleared->len : 0) + 1);

	for (guint i = 0; cleared && i < cleared->len; i++)
		names[i] = g_ptr_array_index(cleared, i);
	*ret = (Outcome){ .is_changed = !change_is_empty(change),
			  .is_cleared = cleared && cleared->len > 0 };
	if (!ret->is_changed && !ret->is_cleared)
		return true;
	if (!policy_change_check(context, change, &preview, error))
		return false;
	/* A service without a file cannot be cleared, and need not be. */
	ret->forecast =
		policy_forecast(context,
				&(ForecastChange){ .after = ret->is_changed ? preview : NULL,
						   .verb = REQUEST_VERB_CLEAR,
						   .names = names },
				&ret->is_running, NULL);
	if (context->options.is_dry_run)
		return true;
	return (!ret->is_changed || write_change(context, change, ret, error)) &&
	       (!ret->is_cleared || clear_all(context, cleared, error));
}

/* --- reports --- */

static void print_names(Output *output, const char *label, const GPtrArray *names)
{
	g_autoptr(GString) text = g_string_new(NULL);

	for (guint i = 0; i < names->len; i++)
		g_string_append_printf(text, "%s%s", i > 0 ? " " : "",
				       (const char *)g_ptr_array_index(names, i));
	if (names->len > 0)
		output_field(output, label, text->str);
}

void forecast_print(Output *output, const Forecast *forecast, bool is_certain)
{
	print_names(output, "Stops", forecast->stops);
	print_names(output, "Starts", forecast->starts);
	print_names(output, "Restarts", forecast->restarts);
	print_names(output, "Will wait", forecast->waits);
	if (forecast->n_absent > 0) {
		g_autofree char *count = output_count(forecast->n_absent, "service");
		g_autofree char *text = g_strdup_printf(
			"%s, because %s not installed or cannot run on this machine", count,
			forecast->n_absent == 1 ? "it is" : "they are");

		output_field(output, "Left out", text);
	}
	if (forecast_is_empty(forecast))
		output_field(output, "Effect",
			     is_certain ? "nothing stops or starts" :
					  "nothing stops or starts, as far as is known");
}

bool forecast_is_shown(const Context *context, const Forecast *forecast)
{
	return !context->output.is_quiet || forecast->stops->len + forecast->restarts->len > 0;
}

static void names_to_json(JsonObject *object, const char *member, const GPtrArray *names)
{
	JsonArray *array = json_array_new();

	for (guint i = 0; i < names->len; i++)
		json_array_add_string_element(array, g_ptr_array_index(names, i));
	json_object_set_array_member(object, member, array);
}

void forecast_to_json(const Forecast *forecast, JsonObject *object)
{
	names_to_json(object, "stops", forecast->stops);
	names_to_json(object, "starts", forecast->starts);
	names_to_json(object, "restarts", forecast->restarts);
	names_to_json(object, "waits", forecast->waits);
}

static void print_written(Context *context, const Outcome *outcome)
{
	Output *output = &context->output;

	if (context->options.is_dry_run)
		output_confirm(output, "  Dry run: nothing was written");
	else if (!outcome->is_written)
		output_confirm(output, "  Nothing to write: the files already contain this");
	else if (outcome->number > 0)
		output_confirm(output,
			       "  Written as step %" G_GUINT64_FORMAT
			       " (undo: svcctl undo %" G_GUINT64_FORMAT ")",
			       outcome->number, outcome->number);
	else
		output_confirm(output, "  Written%s",
			       context->options.is_until_reboot ? ", until the next boot" : "");
	if (outcome->warning)
		output_line(output, "  It cannot be undone by number: %s", outcome->warning);
	if (outcome->is_written && !outcome->is_running && !is_own_tree(context))
		output_confirm(
			output,
			"  svcd does not run here: the change takes effect at the next boot");
}

void outcome_print(Context *context, const Outcome *outcome)
{
	if (!outcome->is_changed && !outcome->is_cleared) {
		output_confirm(&context->output,
			       "  Nothing to change: the files already contain this");
		return;
	}
	if (context->options.is_dry_run ||
	    (outcome->is_running && forecast_is_shown(context, outcome->forecast)))
		forecast_print(&context->output, outcome->forecast, outcome->is_running);
	if (context->options.is_dry_run && !outcome->is_running)
		output_confirm(
			&context->output,
			"  Computed for a boot into the default runlevel with all devices and "
			"networks "
			"present");
	print_written(context, outcome);
}

void outcome_to_json(const Outcome *outcome, const Context *context, JsonObject *object)
{
	json_object_set_boolean_member(object, "changed", outcome->is_changed);
	json_object_set_boolean_member(object, "written", outcome->is_written);
	json_object_set_boolean_member(object, "dry_run", context->options.is_dry_run);
	json_object_set_boolean_member(object, "svcd_running", outcome->is_running);
	if (outcome->number > 0)
		json_object_set_int_member(object, "step", (gint64)outcome->number);
	else
		json_object_set_null_member(object, "step");
	if (outcome->forecast)
		forecast_to_json(outcome->forecast, object);
}
