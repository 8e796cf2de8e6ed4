/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * is: answers one question about services, for scripts. The state is printed as one token per
 * service; the exit code is the answer.
 */
#include "config.h"

#include <string.h>

#include "base/errors.h"
#include "svcctl/svcctl.h"

static bool is_in_state(GVariant *s, const char *token)
{
	return strcmp(record_text(s, "State"), token) == 0;
}

static bool is_up(GVariant *s, const char *token)
{
	(void)token;
	return state_is_up(record_text(s, "State"));
}

/*
 * Does the service wait for a condition that is not true, or does an error in its file keep it off?
 */
static bool is_blocked(GVariant *s, const char *token)
{
	g_autoptr(GVariant) terms = g_variant_lookup_value(s, "FalseTerms", NULL);

	(void)token;
	return *record_text(s, "Problem") ||
	       (is_in_state(s, "waiting") && terms && g_variant_n_children(terms) > 0);
}

static bool has_flag(GVariant *s, const char *property)
{
	return record_number(s, property) > 0;
}

static bool is_settled(GVariant *s, const char *token)
{
	(void)token;
	return has_flag(s, "Settled");
}

static bool is_wanted(GVariant *s, const char *token)
{
	(void)token;
	return has_flag(s, "Wanted");
}

static bool has_policy(GVariant *s, const char *token)
{
	return strcmp(record_text(s, "Activation"), token) == 0;
}

/* Does the runlevel start the service? That is the purpose of "svcctl enable". */
static bool is_enabled(GVariant *s, const char *token)
{
	(void)token;
	return has_policy(s, "boot") && has_flag(s, "InRunlevel");
}

static bool is_healthy(GVariant *s, const char *token)
{
	return strcmp(record_text(s, "Health"), token) == 0;
}

static const struct {
	const char *token;
	bool (*holds)(GVariant *service, const char *token);
	const char *property; /* the property to print; NULL: yes or no */
} questions[] = {
	{ "up", is_up, "State" },
	{ "ready", is_in_state, "State" },
	{ "done", is_in_state, "State" },
	{ "failed", is_in_state, "State" },
	{ "starting", is_in_state, "State" },
	{ "stopping", is_in_state, "State" },
	{ "waiting", is_in_state, "State" },
	{ "backoff", is_in_state, "State" },
	{ "idle", is_in_state, "State" },
	{ "blocked", is_blocked, "State" },
	{ "settled", is_settled, "State" },
	{ "wanted", is_wanted, NULL },
	{ "enabled", is_enabled, "Activation" },
	{ "boot", has_policy, "Activation" },
	{ "on-demand", has_policy, "Activation" },
	{ "manual", has_policy, "Activation" },
	{ "never", has_policy, "Activation" },
	{ "healthy", is_healthy, "Health" },
	{ "unhealthy", is_healthy, "Health" },
};

char *states_text(const char *separator)
{
	g_autoptr(GString) arguments = g_string_new(NULL);

	for (size_t i = 0; i < G_N_ELEMENTS(questions); i++)
		g_string_append_printf(arguments, "%s%s", i > 0 ? separator : "",
				       questions[i].token);
	return g_string_free(g_steal_pointer(&arguments), FALSE);
}

static int find_question(const char *token, GError **error)
{
	g_autofree char *all = NULL;

	for (size_t i = 0; i < G_N_ELEMENTS(questions); i++) {
		if (strcmp(questions[i].token, token) == 0)
			return (int)i;
	}
	all = states_text(", ");
	fail_ctl(error, CTL_ERROR_USAGE,
		 "is: \"%s\" is not a state of a service; the states are %s", token, all);
	return -1;
}

/* Prints the answer, and adds it to @array. Returns: is it yes? */
static bool answer(Context *context, GVariant *service, int question, JsonArray *array)
{
	const bool holds = questions[question].holds(service, questions[question].token);
	const char *property = questions[question].property;
	const char *token = property ? record_text(service, property) : holds ? "yes" : "no";
	JsonObject *object = json_object_new();

	output_confirm(&context->output, "%s", *token ? token : "unknown");
	json_object_set_string_member(object, "name", record_text(service, "Name"));
	json_object_set_string_member(object, "question", questions[question].token);
	json_object_set_boolean_member(object, "answer", holds);
	json_object_set_string_member(object, "word", *token ? token : "unknown");
	json_array_add_object_element(array, object);
	return holds;
}

bool cmd_is(Context *context, GError **error)
{
	const int question = find_question(context->names[0], error);
	g_auto(GStrv) names = NULL;
	JsonArray *array;
	bool done = true;

	context->names++;
	context->n_names--;
	names = question >= 0 ? expand_names(context, error) : NULL;
	if (!names)
		return false;
	array = json_array_new();
	for (size_t i = 0; names[i] && done; i++) {
		g_autoptr(GVariant) service = client_service(context->client, names[i], error);

		done = service != NULL;
		if (!done)
			context_advise(context, *error, names[i]);
		else if (!answer(context, service, question, array))
			context->exit = EXIT_CODE_NO;
	}
	/* A missing service takes precedence over a negative answer. */
	if (!done)
		context->exit = EXIT_CODE_DONE;
	output_set_array(&context->output, array);
	return done;
}
