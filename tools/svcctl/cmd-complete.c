/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * complete: possible continuations of an svcctl command line. The scripts in tools/completions
 * know nothing about svcctl's verbs and options.
 *
 * One line per candidate; where the shell shows descriptions, a tab and the description follow. A
 * candidate that ends in "/", "=" or ":" is incomplete. There are no errors: unavailable candidates
 * are left out.
 */
#include "config.h"

#include <string.h>

#include "model/service-keys.h"
#include "svcctl/arguments.h"
#include "svcctl/completions.h"
#include "svcctl/saved-boot.h"

/* Users do not wait longer for a completion. */
#define PATIENCE_US (2 * G_USEC_PER_SEC)

static const char signals[] = "HUP INT QUIT USR1 USR2 TERM KILL CONT STOP WINCH ALRM ABRT";
static const char activations[] = "boot on-demand manual never";
static const char states[] = "ready done starting stopping backoff waiting failed idle";

/* The arguments before the one that is being completed. */
typedef struct Typed {
	const Verb *verb; /* NULL: none yet, or an unknown one */
	GPtrArray *arguments; /* of the verb; borrowed */
	const char *awaiting; /* the option that takes the next argument as its value, or NULL */
	const char *root; /* of --root, or NULL */
	bool is_user; /* --user */
	bool is_help; /* "help" stands in place of the verb */
	bool has_ended; /* "--" was given: no more options */
} Typed;

typedef void (*AddFunc)(Completions *c, Context *context, const Typed *typed);

/* --- arguments of verbs --- */

static void add_any(Completions *c, Context *context, const Typed *typed)
{
	completions_add_services(c, context, SERVICES_ANY);
}

static void add_off(Completions *c, Context *context, const Typed *typed)
{
	completions_add_services(c, context, SERVICES_OFF);
}

static void add_running(Completions *c, Context *context, const Typed *typed)
{
	completions_add_services(c, context, SERVICES_RUNNING);
}

static void add_failed(Completions *c, Context *context, const Typed *typed)
{
	completions_add_services(c, context, SERVICES_FAILED);
}

static void add_is(Completions *c, Context *context, const Typed *typed)
{
	g_autofree char *arguments = states_text(" ");

	if (typed->arguments->len == 0)
		completions_add_tokens(c, arguments);
	else
		completions_add_services(c, context, SERVICES_ANY);
}

static void add_set(Completions *c, Context *context, const Typed *typed)
{
	if (typed->arguments->len > 0)
		completions_add_tokens(c, activations);
	completions_add_services(c, context, SERVICES_ANY);
}

static void add_edit(Completions *c, Context *context, const Typed *typed)
{
	if (typed->arguments->len == 0) {
		completions_add_services(c, context, SERVICES_ANY);
		return;
	}
	for (const ServiceKey *key = service_keys(); key->name; key++) {
		g_autofree char *token = g_strconcat(key->name, "=", NULL);

		completions_add(c, token, NULL);
	}
}

/*
 * A colon marks a condition. Without a colon, services and the prefixes of conditions are offered,
 * so that svcd gets one call only.
 */
static void add_condition_or_service(Completions *c, Context *context, const Typed *typed)
{
	if (strchr(c->begin, ':')) {
		completions_add_conditions(c, context);
		return;
	}
	completions_add_services(c, context, SERVICES_ANY);
	completions_add_tokens(c, "network: path: dbus: flag: label: mounted: device: service:");
}

static void add_conditions(Completions *c, Context *context, const Typed *typed)
{
	completions_add_conditions(c, context);
}

static void add_shipped_policies(Completions *c, Context *context, const Typed *typed)
{
	g_autofree char *path =
		g_build_filename(context_root(context), SVCD_LIBDIR "/policy-examples", NULL);
	g_autoptr(GDir) directory = g_dir_open(path, 0, NULL);
	const char *name;

	while (directory && (name = g_dir_read_name(directory))) {
		g_autofree char *token = g_str_has_suffix(name, ".policy") ?
						 g_strndup(name, strlen(name) - 7) :
						 NULL;

		if (token)
			completions_add(c, token, NULL);
	}
}

static void add_policy(Completions *c, Context *context, const Typed *typed)
{
	if (typed->arguments->len == 1 &&
	    strcmp(g_ptr_array_index(typed->arguments, 0), "presets") == 0)
		add_shipped_policies(c, context, typed);
	if (typed->arguments->len > 0)
		return;
	completions_add_tokens(c, "log presets");
	completions_add_services(c, context, SERVICES_ANY);
}

static void add_boot(Completions *c, Context *context, const Typed *typed)
{
	if (typed->arguments->len == 0)
		completions_add_tokens(c, "blame chain compare dot list plot show");
	else if (strcmp(g_ptr_array_index(typed->arguments, 0), "chain") == 0)
		completions_add_services(c, context, SERVICES_ANY);
}

static void add_flag(Completions *c, Context *context, const Typed *typed)
{
	if (typed->arguments->len == 0)
		completions_add_tokens(c, "list set clear");
	else
		completions_add_flags(c, context,
				      strcmp(g_ptr_array_index(typed->arguments, 0), "clear") == 0);
}

static void add_runlevel(Completions *c, Context *context, const Typed *typed)
{
	completions_add_runlevels(c, context);
}

static void add_service_and_policy_files(Completions *c, Context *context, const Typed *typed)
{
	completions_add_files(c, ".svc");
	completions_add_files(c, ".policy");
}

static void add_unit_files(Completions *c, Context *context, const Typed *typed)
{
	completions_add_files(c, "");
}

static void add_nothing(Completions *c, Context *context, const Typed *typed)
{
}

/* Verbs with arguments other than services. */
static const struct {
	const char *verb;
	AddFunc add;
} rows[] = {
	{ "start", add_off },
	{ "stop", add_running },
	{ "reload", add_running },
	{ "ps", add_running },
	{ "clear", add_failed },
	{ "signal", add_running },
	{ "is", add_is },
	{ "set", add_set },
	{ "edit", add_edit },
	{ "conditions", add_conditions },
	{ "wait", add_condition_or_service },
	{ "monitor", add_condition_or_service },
	{ "policy", add_policy },
	{ "boot", add_boot },
	{ "flag", add_flag },
	{ "runlevel", add_runlevel },
	{ "check", add_service_and_policy_files },
	{ "import", add_unit_files },
	{ "complete", add_nothing },
};

/*
 * Arguments that were given already are not offered again: "start a" continues with other services.
 */
static void add_arguments(Completions *c, Context *context, const Typed *typed)
{
	AddFunc add = add_any;

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		if (strcmp(rows[i].verb, typed->verb->name) == 0)
			add = rows[i].add;
	}
	if (typed->arguments->len < typed->verb->max_names)
		add(c, context, typed);
}

/* --- options --- */

/* The numbers of the recorded boots, and -1 for the boot before this one. */
static void add_boots(Completions *c)
{
	g_autoptr(GArray) numbers = boots_list(boots_directory());

	completions_add(c, "-1", NULL);
	for (guint i = 0; i < numbers->len; i++) {
		g_autofree char *number =
			g_strdup_printf("%u", g_array_index(numbers, unsigned, i));

		completions_add(c, number, NULL);
	}
}

static void add_values(Completions *c, Context *context, const char *option)
{
	static const struct {
		const char *option;
		const char *arguments;
	} values[] = {
		{ "state", states },
		{ "level", "true false unknown" },
		{ "color", "auto always never" },
		{ "json", "pretty" },
		{ "shell", "bash zsh fish" },
		{ "lines", "all" },
		{ "signal", signals },
		{ "restart", "no on-failure always" },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(values); i++) {
		if (strcmp(values[i].option, option) == 0)
			completions_add_tokens(c, values[i].arguments);
	}
	if (strcmp(option, "runlevel") == 0)
		completions_add_runlevels(c, context);
	else if (strcmp(option, "boot") == 0)
		add_boots(c);
	else if (strcmp(option, "property") == 0)
		completions_add_properties(c);
	else if (strcmp(option, "root") == 0 || strcmp(option, "output") == 0)
		completions_add_files(c, NULL);
}

static void add_option(void *data, const char *name, const char *help, bool takes_value)
{
	g_autofree char *token = g_strconcat("--", name, NULL);

	(void)takes_value;
	completions_add(data, token, help);
}

/* Adds the option that selects @verb. */
static void completions_add_choice(Completions *c, const Verb *verb)
{
	const char *option = strrchr(verb_typed(verb), ' ');

	completions_add(c, option + 1, verb->summary);
}

/* For "--state=fa": adds the option's values, each with the option in front. */
static void add_attached_values(Completions *c, Context *context)
{
	const char *equal = strchr(c->begin, '=');
	g_autofree char *option = g_strndup(c->begin + 2, (gsize)(equal - c->begin) - 2);
	g_auto(Completions) values = { 0 };

	completions_init(&values, equal + 1, c->root);
	add_values(&values, context, option);
	for (guint i = 0; i < values.found->len; i++) {
		const Completion *value = g_ptr_array_index(values.found, i);
		g_autofree char *token = g_strdup_printf("--%s=%s", option, value->token);

		completions_add(c, token, value->text);
	}
}

/* --- the command line --- */

static const Verb *find_verb(const Context *context, const char *token)
{
	const Verb *found = NULL;

	for (unsigned i = 0; i < context->n_verbs; i++) {
		const Verb *verb = &context->verbs[i];

		if (verb->of)
			continue;
		if (strcmp(verb->name, token) == 0)
			return verb;
		if (g_str_has_prefix(verb->name, token)) {
			if (found)
				return NULL;
			found = verb;
		}
	}
	return found;
}

/* "list --processes" has a row of its own. */
static const Verb *find_variant(const Context *context, const Verb *verb, const char *token)
{
	g_autofree char *option =
		g_strndup(token + strspn(token, "-"), strcspn(token + strspn(token, "-"), "="));

	for (unsigned i = 0; verb && i < context->n_verbs; i++) {
		const Verb *other = &context->verbs[i];
		g_auto(GStrv) names = g_strsplit(other->by ? other->by : "", " ", -1);

		if (g_strcmp0(other->of, verb->name) == 0 &&
		    g_strv_contains((const char *const *)names, option))
			return other;
	}
	return verb;
}

static void take_token(Context *context, Typed *typed, const char *token)
{
	const char *option = typed->awaiting;

	typed->awaiting = NULL;
	if (option) {
		typed->root = strcmp(option, "root") == 0 ? token : typed->root;
	} else if (!typed->has_ended && strcmp(token, "--") == 0) {
		typed->has_ended = true;
	} else if (!typed->has_ended && *token == '-') {
		typed->awaiting = arguments_awaiting(token);
		typed->verb = find_variant(context, typed->verb, token);
		typed->root = g_str_has_prefix(token, "--root=") ? token + strlen("--root=") :
								   typed->root;
		typed->is_user = typed->is_user || strcmp(token, "--user") == 0;
	} else if (typed->verb) {
		g_ptr_array_add(typed->arguments, (gpointer)token);
	} else if (strcmp(token, "help") == 0 && !typed->is_help) {
		typed->is_help = true;
	} else {
		typed->verb = find_verb(context, token);
	}
}

static void add_verbs(Completions *c, const Context *context)
{
	for (unsigned i = 0; i < context->n_verbs; i++) {
		if (!context->verbs[i].of)
			completions_add(c, context->verbs[i].name, context->verbs[i].summary);
	}
	completions_add(c, "help", "how to use svcctl");
}

static void add_all(Completions *c, Context *context, const Typed *typed)
{
	const char *begin = c->begin;

	if (typed->awaiting) {
		add_values(c, context, typed->awaiting);
	} else if (!typed->has_ended && g_str_has_prefix(begin, "--") && strchr(begin, '=')) {
		add_attached_values(c, context);
	} else if (!typed->has_ended && *begin == '-') {
		if (typed->verb)
			arguments_foreach_option(typed->verb, add_option, c);
		for (unsigned i = 0; typed->verb && i < context->n_verbs; i++) {
			if (g_strcmp0(context->verbs[i].of, typed->verb->name) == 0)
				completions_add_choice(c, &context->verbs[i]);
		}
		arguments_foreach_option(NULL, add_option, c);
	} else if (!typed->verb) {
		add_verbs(c, context);
	} else if (!typed->is_help) {
		add_arguments(c, context, typed);
	}
}

/* --- the answer --- */

static bool is_given(const Typed *typed, const char *token)
{
	for (guint i = 0; i < typed->arguments->len; i++) {
		if (strcmp(g_ptr_array_index(typed->arguments, i), token) == 0)
			return true;
	}
	return false;
}

static void add_json(JsonArray *array, const Completion *completion)
{
	JsonObject *object = json_object_new();

	json_object_set_string_member(object, "word", completion->token);
	json_object_set_string_member(object, "description", completion->text);
	json_array_add_object_element(array, object);
}

static void print_completions(Context *context, const Completions *c, const Typed *typed)
{
	g_autoptr(GHashTable) message = g_hash_table_new(g_str_hash, g_str_equal);
	const bool with_text = g_strcmp0(context->options.shell, "bash") != 0;
	JsonArray *array = json_array_new();

	for (guint i = 0; i < c->found->len; i++) {
		const Completion *completion = g_ptr_array_index(c->found, i);

		if (is_given(typed, completion->token) ||
		    !g_hash_table_add(message, completion->token))
			continue;
		if (context->output.is_json)
			add_json(array, completion);
		else
			fprintf(context->output.out,
				with_text && *completion->text ? "%s\t%s\n" : "%s\n",
				completion->token, completion->text);
	}
	output_set_array(&context->output, array);
}

bool cmd_complete(Context *context, GError **error)
{
	static const char *const shells[] = { "bash", "zsh", "fish", NULL };
	g_autoptr(GPtrArray) arguments = g_ptr_array_new();
	const char *last = context->n_names > 0 ? context->names[context->n_names - 1] : "";
	Typed typed = { .arguments = arguments };
	g_auto(Completions) completions = { 0 };

	if (context->options.shell && !g_strv_contains(shells, context->options.shell))
		return fail_ctl(error, CTL_ERROR_USAGE,
				"--shell takes bash, zsh or fish, not \"%s\"",
				context->options.shell);
	client_free(context->client);
	context->client = client_new(PATIENCE_US);
	for (unsigned i = 0; i + 1 < context->n_names; i++)
		take_token(context, &typed, context->names[i]);
	if (typed.is_user) {
		context->options.is_user = true;
		client_use_own(context->client);
	}
	completions_init(&completions, last, typed.root);
	add_all(&completions, context, &typed);
	print_completions(context, &completions, &typed);
	return true;
}
