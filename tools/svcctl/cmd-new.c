/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * new: a service file for a command, checked before it is written.
 */
#include "config.h"

#include <pwd.h>
#include <string.h>

#include "base/errors.h"
#include "config/search-path.h"
#include "model/name.h"
#include "svcctl/policy-change.h"

/*
 * The first argument as an absolute path, the others unchanged; quoted as Exec= reads them. A new
 * string, NULL with @error.
 */
static char *command_text(const Context *context, GError **error)
{
	g_autofree char *program = g_find_program_in_path(context->names[1]);
	g_autofree char *absolute = program ? g_canonicalize_filename(program, NULL) : NULL;
	g_autoptr(GString) text = g_string_new(NULL);

	if (!absolute) {
		fail(error, SVCD_ERROR_INVALID_ARGUMENT, "there is no program %s",
		     context->names[1]);
		return NULL;
	}
	for (unsigned i = 1; i < context->n_names; i++) {
		const char *token = i == 1 ? absolute : context->names[i];
		g_autofree char *quoted = strpbrk(token, " \t'\"\\") || !*token ?
						  g_shell_quote(token) :
						  g_strdup(token);

		if (strpbrk(token, "\n\r") || !g_utf8_validate(token, -1, NULL)) {
			fail(error, SVCD_ERROR_INVALID_ARGUMENT,
			     "a line of a service file cannot contain a line break, or text that "
			     "is not UTF-8");
			return NULL;
		}
		g_string_append_printf(text, "%s%s", i > 1 ? " " : "", quoted);
	}
	return g_string_free(g_steal_pointer(&text), FALSE);
}

static void add_key(GString *text, const char *key, const char *value)
{
	if (value)
		g_string_append_printf(text, "%s=%s\n", key, value);
}

/* One line per condition: all of them must be true. */
static void add_conditions(GString *text, const char *key, const char *arguments)
{
	g_auto(GStrv) conditions = g_strsplit(arguments ? arguments : "", " ", -1);

	for (char **condition = conditions; *condition; condition++) {
		if (**condition)
			add_key(text, key, *condition);
	}
}

static char *file_text(const Context *context, GError **error)
{
	const Options *options = &context->options;
	g_autofree char *command = command_text(context, error);
	g_autoptr(GString) text = g_string_new("[Service]\n");

	if (!command)
		return NULL;
	add_key(text, "Description", options->description);
	add_key(text, "Exec", command);
	add_key(text, "User", options->run_as);
	add_key(text, "Restart", options->restart ? options->restart : "on-failure");
	if (options->when || options->hold)
		g_string_append(text, "\n[Conditions]\n");
	add_conditions(text, "When", options->when);
	add_conditions(text, "While", options->hold);
	return g_string_free(g_steal_pointer(&text), FALSE);
}

static bool check_new(Context *context, const char *name, GError **error)
{
	const char *const names[] = { name, NULL };
	g_autoptr(Configuration) configuration = context_load(context, names, 0);
	const ServiceDef *def = service_set_find(configuration->set, name);
	g_autofree char *problem = NULL;

	if (!name_check_service(name, &problem))
		return fail(error, SVCD_ERROR_INVALID_ARGUMENT, "%s", problem);
	if (context->options.run_as && !getpwnam(context->options.run_as))
		return fail(error, SVCD_ERROR_INVALID_ARGUMENT, "there is no user %s",
			    context->options.run_as);
	if (!def)
		return true;
	context_hint(context, "svcctl edit %s", name);
	return fail(error, SVCD_ERROR_INVALID_ARGUMENT, "there is a service %s already: %s", name,
		    def->origin.file);
}

static void print_written(Context *context, const char *name, const char *path, const char *text,
			  const Outcome *outcome)
{
	Output *output = &context->output;
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
	JsonObject *object = json_object_new();

	output_confirm(output, "%s: %s", name, path);
	for (char **line = lines; *line && line[1]; line++)
		output_confirm(output, "  %s", *line);
	outcome_print(context, outcome);
	if (!context->options.run_as && !context->options.is_user)
		output_confirm(output,
			       "  It runs as root; --run-as USER makes it run as another user");
	if (outcome->is_written)
		output_confirm(output, "  Now: svcctl start %s   At every boot: svcctl enable %s",
			       name, name);
	json_object_set_string_member(object, "name", name);
	json_object_set_string_member(object, "file", path);
	outcome_to_json(outcome, context, object);
	output_set_object(output, object);
}

bool cmd_new(Context *context, GError **error)
{
	const char *name = context->names[0];
	g_autofree char *directory = search_path_config(context->options.is_user);
	g_autofree char *path = NULL;
	g_autofree char *text = NULL;
	g_autoptr(Change) change = NULL;
	g_auto(Outcome) outcome = { 0 };
	bool is_done = false;

	if (!g_utf8_validate(name, -1, NULL))
		return fail(error, SVCD_ERROR_INVALID_ARGUMENT,
			    "the name of a service must be valid UTF-8");
	if (!policy_hand_over(context, &is_done, error) || is_done)
		return is_done;
	text = check_new(context, name, error) ? file_text(context, error) : NULL;
	if (!text)
		return false;
	path = g_strdup_printf("%s/services.d/%s.svc", directory, name);
	change = policy_change_new(context);
	if (!change_set_file(change, path, text, error) ||
	    !policy_change_commit(context, change, NULL, &outcome, error))
		return false;
	print_written(context, name, path, text, &outcome);
	return true;
}
