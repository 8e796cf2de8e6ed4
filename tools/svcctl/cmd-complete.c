/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * complete: possible continuations of an svcctl command line. The scripts in tools/completions
 * contain no knowledge of their own.
 *
 * One line per candidate; where the shell shows descriptions, a tab and the description follow. A
 * candidate that ends in "/", "=" or ":" is incomplete. There are no errors: unavailable candidates
 * are left out.
 */
#include "config.h"

#include <string.h>

#include "model/service-keys.h"
#include "svcctl/arguments.h"
#include "svcctl/candidates.h"

/* Users do not wait longer for a completion. */
#define PATIENCE_US (2 * G_USEC_PER_SEC)

static const char signals[] = "HUP INT QUIT USR1 USR2 TERM KILL CONT STOP WINCH ALRM ABRT";
static const char activations[] = "boot on-demand manual never";
static const char states[] = "ready done starting stopping backoff waiting failed idle";

/* The arguments before the one that is completed. */
typedef struct Typed {
	const Verb *verb;     /* NULL: none yet, or an unknown one */
	GPtrArray *arguments; /* of the verb; borrowed */
	const char *awaiting; /* the option that takes the next argument as its value, or NULL */
	const char *root;     /* of --root, or NULL */
	bool is_user;         /* --user */
	bool is_help;         /* "help" stands in place of the verb */
	bool has_ended;       /* "--" was given: no more options */
} Typed;

typedef void (*AddFunc)(Candidates *c, Context *context, const Typed *typed);

/* --- arguments of verbs --- */

static void add_any(Candidates *c, Context *context, const Typed *typed)
{
	candidates_add_services(c, context, SERVICES_ANY);
}

static void add_off(Candidates *c, Context *context, const Typed *typed)
{
	candidates_add_services(c, context, SERVICES_OFF);
}

static void add_running(Candidates *c, Context *context, const Typed *typed)
{
	candidates_add_services(c, context, SERVICES_RUNNING);
}

static void add_failed(Candidates *c, Context *context, const Typed *typed)
{
	candidates_add_services(c, context, SERVICES_FAILED);
}

static void add_is(Candidates *c, Context *context, const Typed *typed)
{
	g_autofree char *words = is_words(" ");

	if (typed->arguments->len == 0)
		candidates_add_words(c, words);
	else
		candidates_add_services(c, context, SERVICES_ANY);
}

static void add_set(Candidates *c, Context *context, const Typed *typed)
{
	if (typed->arguments->len > 0)
		candidates_add_words(c, activations);
	candidates_add_services(c, context, SERVICES_ANY);
}

static void add_edit(Candidates *c, Context *context, const Typed *typed)
{
	if (typed->arguments->len == 0) {
		candidates_add_services(c, context, SERVICES_ANY);
		return;
	}
	for (const ServiceKey *key = service_keys(); key->name; key++) {
		g_autofree char *word = g_strconcat(key->name, "=", NULL);

		candidates_add(c, word, NULL);
	}
}

/*
 * A colon marks a condition. Without one, services and the prefixes of conditions are offered, so
 * that svcd gets one call only.
 */
static void add_condition_or_service(Candidates *c, Context *context, const Typed *typed)
{
	if (strchr(c->begin, ':')) {
		candidates_add_conditions(c, context);
		return;
	}
	candidates_add_services(c, context, SERVICES_ANY);
	candidates_add_words(c, "network: path: dbus: flag: label: mounted: device: service:");
}

static void add_conditions(Candidates *c, Context *context, const Typed *typed)
{
	candidates_add_conditions(c, context);
}

static void add_shipped_policies(Candidates *c, Context *context, const Typed *typed)
{
	g_autofree char *path = g_build_filename(context_root(context), SVCD_LIBDIR "/policy-examples", NULL);
	g_autoptr(GDir) directory = g_dir_open(path, 0, NULL);
	const char *name;

	while (directory && (name = g_dir_read_name(directory))) {
		g_autofree char *word = g_str_has_suffix(name, ".policy") ? g_strndup(name, strlen(name) - 7) : NULL;

		if (word)
			candidates_add(c, word, NULL);
	}
}

static void add_policy(Candidates *c, Context *context, const Typed *typed)
{
	if (typed->arguments->len == 1 && strcmp(g_ptr_array_index(typed->arguments, 0), "presets") == 0)
		add_shipped_policies(c, context, typed);
	if (typed->arguments->len > 0)
		return;
	candidates_add_words(c, "log presets recover");
	candidates_add_services(c, context, SERVICES_ANY);
}

static void add_boot(Candidates *c, Context *context, const Typed *typed)
{
	if (typed->arguments->len == 0)
		candidates_add_words(c, "blame chain dot");
	else if (strcmp(g_ptr_array_index(typed->arguments, 0), "chain") == 0)
		candidates_add_services(c, context, SERVICES_ANY);
}

static void add_flag(Candidates *c, Context *context, const Typed *typed)
{
	if (typed->arguments->len == 0)
		candidates_add_words(c, "list set clear");
	else
		candidates_add_flags(c, context, strcmp(g_ptr_array_index(typed->arguments, 0), "clear") == 0);
}

static void add_runlevel(Candidates *c, Context *context, const Typed *typed)
{
	candidates_add_runlevels(c, context);
}

static void add_service_and_policy_files(Candidates *c, Context *context, const Typed *typed)
{
	candidates_add_files(c, ".svc");
	candidates_add_files(c, ".policy");
}

static void add_unit_files(Candidates *c, Context *context, const Typed *typed)
{
	candidates_add_files(c, "");
}

static void add_nothing(Candidates *c, Context *context, const Typed *typed)
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
	{ "top", add_running },
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
static void add_arguments(Candidates *c, Context *context, const Typed *typed)
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

static void add_values(Candidates *c, Context *context, const char *option)
{
	static const struct {
		const char *option;
		const char *words;
	} values[] = {
		{ "state", states },
		{ "level", "true false unknown" },
		{ "color", "auto always never" },
		{ "json", "pretty" },
		{ "sort", "cpu memory name" },
		{ "shell", "bash zsh fish" },
		{ "lines", "all" },
		{ "signal", signals },
		{ "restart", "no on-failure always" },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(values); i++) {
		if (strcmp(values[i].option, option) == 0)
			candidates_add_words(c, values[i].words);
	}
	if (strcmp(option, "runlevel") == 0)
		candidates_add_runlevels(c, context);
	else if (strcmp(option, "property") == 0)
		candidates_add_properties(c);
	else if (strcmp(option, "root") == 0 || strcmp(option, "output") == 0)
		candidates_add_files(c, NULL);
}

static void add_option(void *data, const char *name, const char *help, bool takes_value)
{
	g_autofree char *word = g_strconcat("--", name, NULL);

	(void)takes_value;
	candidates_add(data, word, help);
}

/* The option that selects @verb. */
static void candidates_add_choice(Candidates *c, const Verb *verb)
{
	const char *option = strrchr(verb_typed(verb), ' ');

	candidates_add(c, option + 1, verb->summary);
}

/* "--state=fa": its values, each with the option in front. */
static void add_attached_values(Candidates *c, Context *context)
{
	const char *equal = strchr(c->begin, '=');
	g_autofree char *option = g_strndup(c->begin + 2, (gsize)(equal - c->begin) - 2);
	g_auto(Candidates) values = { 0 };

	candidates_init(&values, equal + 1, c->root);
	add_values(&values, context, option);
	for (guint i = 0; i < values.found->len; i++) {
		const Candidate *value = g_ptr_array_index(values.found, i);
		g_autofree char *word = g_strdup_printf("--%s=%s", option, value->word);

		candidates_add(c, word, value->text);
	}
}

/* --- the command line --- */

static const Verb *find_verb(const Context *context, const char *word)
{
	const Verb *found = NULL;

	for (unsigned i = 0; i < context->n_verbs; i++) {
		const Verb *verb = &context->verbs[i];

		if (verb->of)
			continue;
		if (strcmp(verb->name, word) == 0)
			return verb;
		if (g_str_has_prefix(verb->name, word)) {
			if (found)
				return NULL;
			found = verb;
		}
	}
	return found;
}

/* "list --processes" has a row of its own. */
static const Verb *find_variant(const Context *context, const Verb *verb, const char *word)
{
	g_autofree char *option = g_strndup(word + strspn(word, "-"), strcspn(word + strspn(word, "-"), "="));

	for (unsigned i = 0; verb && i < context->n_verbs; i++) {
		const Verb *other = &context->verbs[i];
		g_auto(GStrv) names = g_strsplit(other->by ? other->by : "", " ", -1);

		if (g_strcmp0(other->of, verb->name) == 0 && g_strv_contains((const char *const *)names, option))
			return other;
	}
	return verb;
}

static void take_word(Context *context, Typed *typed, const char *word)
{
	const char *option = typed->awaiting;

	typed->awaiting = NULL;
	if (option) {
		typed->root = strcmp(option, "root") == 0 ? word : typed->root;
	} else if (!typed->has_ended && strcmp(word, "--") == 0) {
		typed->has_ended = true;
	} else if (!typed->has_ended && *word == '-') {
		typed->awaiting = arguments_awaiting(word);
		typed->verb = find_variant(context, typed->verb, word);
		typed->root = g_str_has_prefix(word, "--root=") ? word + strlen("--root=") : typed->root;
		typed->is_user = typed->is_user || strcmp(word, "--user") == 0;
	} else if (typed->verb) {
		g_ptr_array_add(typed->arguments, (gpointer)word);
	} else if (strcmp(word, "help") == 0 && !typed->is_help) {
		typed->is_help = true;
	} else {
		typed->verb = find_verb(context, word);
	}
}

static void add_verbs(Candidates *c, const Context *context)
{
	for (unsigned i = 0; i < context->n_verbs; i++) {
		if (!context->verbs[i].of)
			candidates_add(c, context->verbs[i].name, context->verbs[i].summary);
	}
	candidates_add(c, "help", "how to use svcctl");
}

static void add_all(Candidates *c, Context *context, const Typed *typed)
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
				candidates_add_choice(c, &context->verbs[i]);
		}
		arguments_foreach_option(NULL, add_option, c);
	} else if (!typed->verb) {
		add_verbs(c, context);
	} else if (!typed->is_help) {
		add_arguments(c, context, typed);
	}
}

/* --- the answer --- */

static bool is_given(const Typed *typed, const char *word)
{
	for (guint i = 0; i < typed->arguments->len; i++) {
		if (strcmp(g_ptr_array_index(typed->arguments, i), word) == 0)
			return true;
	}
	return false;
}

static void add_json(JsonArray *array, const Candidate *candidate)
{
	JsonObject *object = json_object_new();

	json_object_set_string_member(object, "word", candidate->word);
	json_object_set_string_member(object, "description", candidate->text);
	json_array_add_object_element(array, object);
}

static void print_candidates(Context *context, const Candidates *c, const Typed *typed)
{
	g_autoptr(GHashTable) said = g_hash_table_new(g_str_hash, g_str_equal);
	const bool with_text = g_strcmp0(context->options.shell, "bash") != 0;
	JsonArray *array = json_array_new();

	for (guint i = 0; i < c->found->len; i++) {
		const Candidate *candidate = g_ptr_array_index(c->found, i);

		if (is_given(typed, candidate->word) || !g_hash_table_add(said, candidate->word))
			continue;
		if (context->output.is_json)
			add_json(array, candidate);
		else
			fprintf(context->output.out, with_text && *candidate->text ? "%s\t%s\n" : "%s\n", candidate->word,
				candidate->text);
	}
	output_set_array(&context->output, array);
}

bool cmd_complete(Context *context, GError **error)
{
	static const char *const shells[] = { "bash", "zsh", "fish", NULL };
	g_autoptr(GPtrArray) arguments = g_ptr_array_new();
	const char *last = context->n_names > 0 ? context->names[context->n_names - 1] : "";
	Typed typed = { .arguments = arguments };
	g_auto(Candidates) candidates = { 0 };

	if (context->options.shell && !g_strv_contains(shells, context->options.shell))
		return fail_ctl(error, CTL_ERROR_USAGE, "--shell takes bash, zsh or fish, not \"%s\"", context->options.shell);
	client_free(context->client);
	context->client = client_new(PATIENCE_US);
	for (unsigned i = 0; i + 1 < context->n_names; i++)
		take_word(context, &typed, context->names[i]);
	if (typed.is_user) {
		context->options.is_user = true;
		client_use_own(context->client);
	}
	candidates_init(&candidates, last, typed.root);
	add_all(&candidates, context, &typed);
	print_candidates(context, &candidates, &typed);
	return true;
}
