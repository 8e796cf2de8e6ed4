/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * conditions, wait: the conditions that svcd knows, and waiting for one of them.
 */
#include "config.h"

#include <fnmatch.h>
#include <string.h>

#include "base/errors.h"
#include "base/text.h"
#include "model/key.h"
#include "svcctl/svcctl.h"

/* --- conditions --- */

static const char *const condition_fields[] = { "Key",     "Level",  "Why",     "Since",
						"Waiting", "Others", "Instead", NULL };
static const Column condition_columns[] = {
	{ "condition", "CONDITION", "Key", CELL_TEXT },
	{ "level", "LEVEL", "Level", CELL_TEXT },
	{ "since_us", "SINCE", "Since", CELL_TIME },
	{ "waiting", "WAITING", "Waiting", CELL_STRINGS },
	{ "others", NULL, "Others", CELL_STRINGS },
	{ "instead", NULL, "Instead", CELL_TEXT },
	{ "why", "WHY", "Why", CELL_TEXT },
};

GPtrArray *get_conditions(Context *context, GError **error)
{
	return get_records(context, "ListConditions", NULL, "(a(ssstasass))", condition_fields,
			   error);
}

static bool is_requested(const Context *context, GVariant *record)
{
	const char *level = context->options.level;

	if (level && strcmp(level, record_text(record, "Level")) != 0)
		return false;
	for (unsigned i = 0; i < context->n_names; i++) {
		if (fnmatch(context->names[i], record_text(record, "Key"), 0) == 0)
			return true;
	}
	return context->n_names == 0;
}

/* A table shows the reason for the level and the alternatives in one column. Takes @record. */
static GVariant *join_why(GVariant *record)
{
	g_autoptr(GVariant) own = record;
	const char *why = record_text(record, "Why");
	const char *alternatives = record_text(record, "Instead");
	g_autofree char *both =
		g_strconcat(why, *why && *alternatives ? "; " : "", alternatives, NULL);
	GVariantDict dict;

	g_variant_dict_init(&dict, record);
	g_variant_dict_insert(&dict, "Why", "s", both);
	return g_variant_ref_sink(g_variant_dict_end(&dict));
}

static bool check_level(const char *level, GError **error)
{
	Level value;

	return !level || level_from_name(level, &value) ||
	       fail_ctl(error, CTL_ERROR_USAGE, "--level takes true, false or unknown, not \"%s\"",
			level);
}

bool cmd_conditions(Context *context, GError **error)
{
	g_autoptr(GPtrArray) all =
		check_level(context->options.level, error) ? get_conditions(context, error) : NULL;
	g_autoptr(GPtrArray) shown = records_new();

	for (guint i = 0; all && i < all->len; i++) {
		GVariant *record = g_variant_ref(g_ptr_array_index(all, i));

		if (!is_requested(context, record))
			g_variant_unref(record);
		else
			g_ptr_array_add(shown, context->output.is_json ? record : join_why(record));
	}
	if (!all ||
	    !output_table(&context->output, condition_columns, G_N_ELEMENTS(condition_columns),
			  shown, context->options.columns, error))
		return false;
	if (shown->len == 0 && context->n_names > 0)
		output_confirm(
			&context->output,
			"no service uses such a condition; to check one: svcctl wait CONDITION "
			"--timeout 0");
	return true;
}

/* --- wait --- */

/* The time that a provider gets for its first answer if the user does not wait. */
#define FIRST_ANSWER_US G_USEC_PER_SEC

typedef struct AwaitedCondition {
	const char *text; /* as given on the command line */
	char *condition; /* owned */
	bool is_negated;
	Level level; /* as last reported */
	char *why; /* owned */
	int64_t begun_us;
} AwaitedCondition;

static void awaited_condition_clear(AwaitedCondition *awaited)
{
	g_free(awaited->condition);
	g_free(awaited->why);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(AwaitedCondition, awaited_condition_clear)

static bool awaited_condition_init(AwaitedCondition *awaited, const char *text, GError **error)
{
	const char *bare = *text == '!' ? text + 1 : text;

	*awaited = (AwaitedCondition){ .text = text,
				       .is_negated = *text == '!',
				       .level = LEVEL_UNKNOWN,
				       .begun_us = g_get_monotonic_time() };
	if (!g_utf8_validate(text, -1, NULL))
		return fail_ctl(error, CTL_ERROR_USAGE, "a condition must be valid UTF-8");
	awaited->condition = strchr(bare, ':') ? g_strdup(bare) :
						 g_strconcat("service:", bare, NULL);
	return true;
}

static bool awaited_is_true(const AwaitedCondition *awaited)
{
	return awaited->level == (awaited->is_negated ? LEVEL_FALSE : LEVEL_TRUE);
}

/*
 * A repeated call does not add a second watch. It also renews the watch after the manager was
 * replaced.
 */
static bool awaited_look(AwaitedCondition *awaited, Client *client, GError **error)
{
	g_autoptr(GVariant) reply =
		client_get_manager(client, "WatchCondition",
				   g_variant_new("(sb)", awaited->condition, TRUE), "(ss)", error);
	const char *level;

	if (!reply)
		return false;
	g_clear_pointer(&awaited->why, g_free);
	g_variant_get(reply, "(&ss)", &level, &awaited->why);
	if (!level_from_name(level, &awaited->level))
		awaited->level = LEVEL_UNKNOWN;
	return true;
}

static void awaited_to_json(const AwaitedCondition *awaited, Output *output)
{
	JsonObject *object = json_object_new();

	json_object_set_string_member(object, "condition", awaited->condition);
	json_object_set_boolean_member(object, "negated", awaited->is_negated);
	json_object_set_string_member(object, "level", level_name(awaited->level));
	if (awaited->why && *awaited->why)
		json_object_set_string_member(object, "why", awaited->why);
	else
		json_object_set_null_member(object, "why");
	json_object_set_int_member(object, "waited_us", g_get_monotonic_time() - awaited->begun_us);
	output_set_object(output, object);
}

/*
 * The alternatives ("labels present: EFI"), which svcd reports only while the condition is watched;
 * "" if there are none. A new string.
 */
static char *awaited_alternatives(const AwaitedCondition *awaited, Context *context)
{
	g_autoptr(GPtrArray) records = get_conditions(context, NULL);
	g_autofree char *problem = NULL;
	const char *key;
	KeyPrefix prefix;

	if (!key_parse(awaited->condition, &prefix, &key, &problem))
		return g_strdup("");
	for (guint i = 0; records && i < records->len; i++) {
		if (strcmp(record_text(g_ptr_array_index(records, i), "Key"), key) == 0)
			return g_strdup(record_text(g_ptr_array_index(records, i), "Instead"));
	}
	return g_strdup("");
}

static bool awaited_fail(const AwaitedCondition *awaited, Context *context, GError **error)
{
	const char *why = awaited->why ? awaited->why : "";
	g_autofree char *quoted = g_shell_quote(awaited->condition);
	g_autofree char *alternatives = awaited_alternatives(awaited, context);
	g_autofree char *both =
		g_strconcat(why, *why && *alternatives ? "; " : "", alternatives, NULL);

	if (strncmp(awaited->condition, "service:", 8) == 0)
		context_hint(context, "svcctl explain %s", awaited->condition + 8);
	else
		context_hint(context, "svcctl monitor %s", quoted);
	return fail_ctl(error,
			context->options.has_no_wait ? CTL_ERROR_NOT_TRUE : CTL_ERROR_TIMED_OUT,
			"%s is %s%s%s%s%s", awaited->condition,
			context->options.has_no_wait ? "" : "still ", level_name(awaited->level),
			*both ? " (" : "", both, *both ? ")" : "");
}

/*
 * Waits until the condition is true, or the time limit is reached. Returns: false if svcd cannot be
 * reached.
 */
static bool awaited_wait(AwaitedCondition *awaited, Context *context, GError **error)
{
	const int64_t patience_us = context->options.has_no_wait ? FIRST_ANSWER_US :
								   context->timeout_us;
	const int64_t deadline_us = awaited->begun_us + patience_us;
	bool is_answered;

	if (!client_listen(context->client, error))
		return false;
	do {
		if (!awaited_look(awaited, context->client, error))
			return false;
		is_answered = context->options.has_no_wait && awaited->level != LEVEL_UNKNOWN;
	} while (!awaited_is_true(awaited) && !is_answered &&
		 client_wait(context->client, deadline_us));
	return true;
}

/* A busy svcd counts as a timeout of the condition. An absent svcd is an error at once. */
static bool take_lateness(AwaitedCondition *awaited, const Context *context, GError **problem)
{
	if (context->options.has_no_wait || !client_was_late(context->client))
		return false;
	g_free(awaited->why);
	awaited->why = g_strdup((*problem)->message);
	awaited->level = LEVEL_UNKNOWN;
	g_clear_error(problem);
	return true;
}

bool cmd_wait(Context *context, GError **error)
{
	g_auto(AwaitedCondition) awaited = { 0 };
	g_autoptr(GError) problem = NULL;

	if (!awaited_condition_init(&awaited, context->names[0], error))
		return false;
	if (!awaited_wait(&awaited, context, &problem) &&
	    !take_lateness(&awaited, context, &problem)) {
		context_advise(context, problem, strchr(awaited.text, ':') ? NULL : awaited.text);
		g_propagate_error(error, g_steal_pointer(&problem));
		return false;
	}
	awaited_to_json(&awaited, &context->output);
	if (!awaited_is_true(&awaited))
		return awaited_fail(&awaited, context, error);
	output_confirm(&context->output, "%s is %s", awaited.condition, level_name(awaited.level));
	return true;
}
