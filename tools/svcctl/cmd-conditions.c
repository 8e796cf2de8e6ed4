/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * conditions, wait: what svcd sees of the world, and waiting for a part of it.
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
	g_autoptr(GVariant) reply =
		client_ask_manager(context->client, "ListConditions", NULL, "(a(ssstasass))", error);
	g_autoptr(GVariant) array = reply ? g_variant_get_child_value(reply, 0) : NULL;
	GPtrArray *records;

	if (!array)
		return NULL;
	records = records_new();
	for (gsize i = 0; i < g_variant_n_children(array); i++)
		g_ptr_array_add(records, record_from_tuple(g_variant_get_child_value(array, i), condition_fields));
	return records;
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

/* A line of a table has one place for what is said of the level, and for what there is instead. Takes @record. */
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
	return all && output_table(&context->output, condition_columns, G_N_ELEMENTS(condition_columns), shown,
				   context->options.columns, error);
}
