/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * list --timers: the due: conditions in use, with the next time and the last success.
 */
#include "config.h"

#include <fnmatch.h>
#include <time.h>

#include "base/text.h"
#include "base/time-zone.h"
#include "bus/names.h"
#include "svcctl/svcctl.h"

static const char *const timer_fields[] = { "Key", "Service", "Next", "Last", NULL };
static const Column timer_columns[] = {
	{ "name", "NAME", "Service", CELL_TEXT },
	{ "next_us", NULL, "Next", CELL_OPTIONAL },
	{ "next", "NEXT", "NextText", CELL_TEXT },
	{ "last_us", NULL, "Last", CELL_OPTIONAL },
	{ "last", "LAST", "LastText", CELL_TEXT },
	{ "left", "LEFT", "Left", CELL_TEXT },
	{ "condition", "CONDITION", "Key", CELL_TEXT },
};

/* "Mon 2026-11-30 00:00:00" in local time, in English like the reasons; "" for 0. A new string. */
static char *format_time(uint64_t us)
{
	const time_t at = (time_t)(us / G_USEC_PER_SEC);
	struct tm local;

	return us > 0 && localtime_r(&at, &local) ? time_zone_format(NULL, at + local.tm_gmtoff) :
						    g_strdup("");
}

static char *format_left(uint64_t next_us, int64_t now_us)
{
	if (next_us == 0)
		return g_strdup("");
	return (int64_t)next_us <= now_us ? g_strdup("due") :
					    text_format_duration((int64_t)next_us - now_us);
}

/* Adds the columns that are text. Takes @record. */
static GVariant *add_texts(GVariant *record, int64_t now_us)
{
	g_autoptr(GVariant) own = record;
	const uint64_t next_us = record_number(record, "Next");
	g_autofree char *next = format_time(next_us);
	g_autofree char *last = format_time(record_number(record, "Last"));
	g_autofree char *left = format_left(next_us, now_us);
	GVariantDict dict;

	g_variant_dict_init(&dict, record);
	g_variant_dict_insert(&dict, "NextText", "s", next);
	g_variant_dict_insert(&dict, "LastText", "s", last);
	g_variant_dict_insert(&dict, "Left", "s", left);
	return g_variant_ref_sink(g_variant_dict_end(&dict));
}

static bool is_requested(const Context *context, GVariant *record)
{
	for (unsigned i = 0; i < context->n_names; i++) {
		if (fnmatch(context->names[i], record_text(record, "Service"), 0) == 0)
			return true;
	}
	return context->n_names == 0;
}

/* The next one first, and those without a next time last. */
static int compare_next(gconstpointer a, gconstpointer b)
{
	const uint64_t x = record_number(*(GVariant *const *)a, "Next") - 1;
	const uint64_t y = record_number(*(GVariant *const *)b, "Next") - 1;

	return x < y ? -1 : x > y;
}

bool cmd_timers(Context *context, GError **error)
{
	g_autoptr(GVariant) reply = client_get(context->client, OBJECT_PATH_SERVICES,
					       INTERFACE_SERVICES, "ListTimers", NULL,
					       "(a(sstt))", error);
	g_autoptr(GPtrArray) all = reply ? records_from_reply(reply, timer_fields) : NULL;
	g_autoptr(GPtrArray) shown = records_new();
	const int64_t now_us = g_get_real_time();

	for (guint i = 0; all && i < all->len; i++) {
		GVariant *record = g_ptr_array_index(all, i);

		if (is_requested(context, record))
			g_ptr_array_add(shown, add_texts(g_variant_ref(record), now_us));
	}
	g_ptr_array_sort(shown, compare_next);
	if (!all || !output_table(&context->output, timer_columns, G_N_ELEMENTS(timer_columns),
				  shown, context->options.columns, error))
		return false;
	if (shown->len == 0)
		output_confirm(&context->output, "no service has a condition due:");
	return true;
}
