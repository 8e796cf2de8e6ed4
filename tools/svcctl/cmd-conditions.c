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

static const char *const condition_fields[] = { "Key", "Level", "Why", "Since", "Waiting", "Others", "Instead", NULL };
static const Column condition_columns[] = {
	{ "condition", "CONDITION", "Key", CELL_TEXT },
	{ "level", "LEVEL", "Level", CELL_TEXT },
	{ "since_us", "SINCE", "Since", CELL_TIME },
	{ "waiting", "WAITING", "Waiting", CELL_STRINGS },
	{ "others", NULL, "Others", CELL_STRINGS },
	{ "instead", NULL, "Instead", CELL_TEXT },
	{ "why", "WHY", "Why", CELL_TEXT },
};

GPtrArray *ask_conditions(Context *context, GError **error)
{
	return ask_records(context, "ListConditions", NULL, "(a(ssstasass))", condition_fields, error);
}

static bool is_asked_for(const Context *context, GVariant *record)
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

/* A table has one column for the reason of the level and for the alternatives. Takes @record. */
static GVariant *join_why(GVariant *record)
{
	g_autoptr(GVariant) own = record;
	const char *why = record_text(record, "Why");
	const char *instead = record_text(record, "Instead");
	g_autofree char *both = g_strconcat(why, *why && *instead ? "; " : "", instead, NULL);
	GVariantDict dict;

	g_variant_dict_init(&dict, record);
	g_variant_dict_insert(&dict, "Why", "s", both);
	return g_variant_ref_sink(g_variant_dict_end(&dict));
}

static bool check_level(const char *level, GError **error)
{
	Level value;

	return !level || level_from_name(level, &value) ||
	       fail_ctl(error, CTL_ERROR_USAGE, "--level takes true, false or unknown, not \"%s\"", level);
}

bool cmd_conditions(Context *context, GError **error)
{
	g_autoptr(GPtrArray) all = check_level(context->options.level, error) ? ask_conditions(context, error) : NULL;
	g_autoptr(GPtrArray) shown = records_new();

	for (guint i = 0; all && i < all->len; i++) {
		GVariant *record = g_variant_ref(g_ptr_array_index(all, i));

		if (!is_asked_for(context, record))
			g_variant_unref(record);
		else
			g_ptr_array_add(shown, context->output.is_json ? record : join_why(record));
	}
	if (!all || !output_table(&context->output, condition_columns, G_N_ELEMENTS(condition_columns), shown,
				  context->options.columns, error))
		return false;
	if (shown->len == 0 && context->n_names > 0)
		output_confirm(&context->output, "no service looks at such a condition; svcctl wait CONDITION --timeout 0 does");
	return true;
}

/* --- wait --- */

/* How long a provider has to answer if the user does not wait. */
#define FIRST_ANSWER_US G_USEC_PER_SEC

typedef struct Wish {
	const char *text; /* as given on the command line */
	char *condition;  /* owned */
	bool is_negated;
	Level level;      /* as last reported */
	char *why;        /* owned */
	int64_t begun_us;
} Wish;

static void wish_clear(Wish *wish)
{
	g_free(wish->condition);
	g_free(wish->why);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Wish, wish_clear)

static bool wish_init(Wish *wish, const char *text, GError **error)
{
	const char *bare = *text == '!' ? text + 1 : text;

	*wish = (Wish){ .text = text, .is_negated = *text == '!', .level = LEVEL_UNKNOWN,
			.begun_us = g_get_monotonic_time() };
	if (!g_utf8_validate(text, -1, NULL))
		return fail_ctl(error, CTL_ERROR_USAGE, "a condition cannot contain such bytes");
	wish->condition = strchr(bare, ':') ? g_strdup(bare) : g_strconcat("service:", bare, NULL);
	return true;
}

static bool wish_is_true(const Wish *wish)
{
	return wish->level == (wish->is_negated ? LEVEL_FALSE : LEVEL_TRUE);
}

/*
 * A repeated call does not add a second watch. It also renews the watch after the manager was
 * replaced.
 */
static bool wish_look(Wish *wish, Client *client, GError **error)
{
	g_autoptr(GVariant) reply = client_ask_manager(client, "WatchCondition", g_variant_new("(sb)", wish->condition, TRUE),
						       "(ss)", error);
	const char *level;

	if (!reply)
		return false;
	g_clear_pointer(&wish->why, g_free);
	g_variant_get(reply, "(&ss)", &level, &wish->why);
	if (!level_from_name(level, &wish->level))
		wish->level = LEVEL_UNKNOWN;
	return true;
}

static void wish_to_json(const Wish *wish, Output *output)
{
	JsonObject *object = json_object_new();

	json_object_set_string_member(object, "condition", wish->condition);
	json_object_set_boolean_member(object, "negated", wish->is_negated);
	json_object_set_string_member(object, "level", level_name(wish->level));
	if (wish->why && *wish->why)
		json_object_set_string_member(object, "why", wish->why);
	else
		json_object_set_null_member(object, "why");
	json_object_set_int_member(object, "waited_us", g_get_monotonic_time() - wish->begun_us);
	output_set_data(output, json_node_init_object(json_node_alloc(), object));
	json_object_unref(object);
}

/*
 * The alternatives ("labels present: EFI"), which svcd reports only while the condition is watched;
 * "" if there are none. A new string.
 */
static char *wish_instead(const Wish *wish, Context *context)
{
	g_autoptr(GPtrArray) records = ask_conditions(context, NULL);
	g_autofree char *problem = NULL;
	const char *key;
	KeyPrefix prefix;

	if (!key_parse(wish->condition, &prefix, &key, &problem))
		return g_strdup("");
	for (guint i = 0; records && i < records->len; i++) {
		if (strcmp(record_text(g_ptr_array_index(records, i), "Key"), key) == 0)
			return g_strdup(record_text(g_ptr_array_index(records, i), "Instead"));
	}
	return g_strdup("");
}

static bool wish_fail(const Wish *wish, Context *context, GError **error)
{
	const char *why = wish->why ? wish->why : "";
	g_autofree char *quoted = g_shell_quote(wish->condition);
	g_autofree char *instead = wish_instead(wish, context);
	g_autofree char *both = g_strconcat(why, *why && *instead ? "; " : "", instead, NULL);

	if (strncmp(wish->condition, "service:", 8) == 0)
		context_hint(context, "svcctl explain %s", wish->condition + 8);
	else
		context_hint(context, "svcctl monitor %s", quoted);
	return fail_ctl(error, context->options.has_no_wait ? CTL_ERROR_NOT_TRUE : CTL_ERROR_TIMED_OUT, "%s is %s%s%s%s%s",
			wish->condition, context->options.has_no_wait ? "" : "still ", level_name(wish->level),
			*both ? " (" : "", both, *both ? ")" : "");
}

/* Until it is true, or the time limit is reached. Returns: false if svcd cannot be reached. */
static bool wish_wait(Wish *wish, Context *context, GError **error)
{
	const int64_t patience_us = context->options.has_no_wait ? FIRST_ANSWER_US : context->timeout_us;
	const int64_t deadline_us = wish->begun_us + patience_us;
	bool is_answered;

	if (!client_listen(context->client, error))
		return false;
	do {
		if (!wish_look(wish, context->client, error))
			return false;
		is_answered = context->options.has_no_wait && wish->level != LEVEL_UNKNOWN;
	} while (!wish_is_true(wish) && !is_answered && client_wait(context->client, deadline_us));
	return true;
}

/* A busy svcd counts as a timeout of the condition. An absent svcd is an error at once. */
static bool take_lateness(Wish *wish, const Context *context, GError **problem)
{
	if (context->options.has_no_wait || !client_was_late(context->client))
		return false;
	g_free(wish->why);
	wish->why = g_strdup((*problem)->message);
	wish->level = LEVEL_UNKNOWN;
	g_clear_error(problem);
	return true;
}

bool cmd_wait(Context *context, GError **error)
{
	g_auto(Wish) wish = { 0 };
	g_autoptr(GError) problem = NULL;

	if (!wish_init(&wish, context->names[0], error))
		return false;
	if (!wish_wait(&wish, context, &problem) && !take_lateness(&wish, context, &problem)) {
		context_advise(context, problem, strchr(wish.text, ':') ? NULL : wish.text);
		g_propagate_error(error, g_steal_pointer(&problem));
		return false;
	}
	wish_to_json(&wish, &context->output);
	if (!wish_is_true(&wish))
		return wish_fail(&wish, context, error);
	output_confirm(&context->output, "%s is %s", wish.condition, level_name(wish.level));
	return true;
}
