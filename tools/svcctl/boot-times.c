/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Boot times: an array, a table by name, and functions that walk over both.
 */
#include "config.h"

#include "svcctl/boot-times.h"

#include <string.h>

#include "base/text.h"

struct BootTimes {
	GVariant *array;
	GArray *all; /* BootTime */
	GHashTable *by_name; /* name -> BootTime */
};

BootTimes *boot_times_new(GVariant *array)
{
	BootTimes *times = g_new0(BootTimes, 1);
	GVariantIter iter;
	BootTime t;

	times->array = g_variant_ref(array);
	times->all = g_array_new(FALSE, FALSE, sizeof(BootTime));
	times->by_name = g_hash_table_new(g_str_hash, g_str_equal);
	g_variant_iter_init(&iter, array);
	while (g_variant_iter_next(&iter, "(&stttt&s&s&s)", &t.name, &t.wanted_us, &t.allowed_us,
				   &t.started_us, &t.over_us, &t.result, &t.last, &t.by))
		g_array_append_val(times->all, t);
	for (guint i = 0; i < times->all->len; i++) {
		BootTime *time = &g_array_index(times->all, BootTime, i);

		g_hash_table_insert(times->by_name, (gpointer)time->name, time);
	}
	return times;
}

void boot_times_free(BootTimes *times)
{
	if (!times)
		return;
	g_hash_table_unref(times->by_name);
	g_array_unref(times->all);
	g_variant_unref(times->array);
	g_free(times);
}

unsigned boot_times_count(const BootTimes *times)
{
	return times->all->len;
}

const BootTime *boot_times_get(const BootTimes *times, unsigned i)
{
	return &g_array_index(times->all, BootTime, i);
}

const BootTime *boot_times_find(const BootTimes *times, const char *name)
{
	return g_hash_table_lookup(times->by_name, name);
}

int64_t boot_time_own(const BootTime *time, int64_t now_us)
{
	if (time->started_us == 0)
		return 0;
	return MAX((time->over_us > 0 ? time->over_us : now_us) - time->started_us, 0);
}

int64_t boot_time_waited(const BootTime *time, int64_t now_us)
{
	const int64_t until_us = time->started_us > 0 ? time->started_us :
				 time->over_us > 0    ? time->over_us :
							now_us;

	return MAX(until_us - time->wanted_us, 0);
}

const BootTime *boot_times_last(const BootTimes *times)
{
	const BootTime *last = NULL;

	for (guint i = 0; i < times->all->len; i++) {
		const BootTime *time = boot_times_get(times, i);

		if (time->over_us > 0 && (!last || time->over_us > last->over_us))
			last = time;
	}
	return last;
}

static gint compare_own(gconstpointer a, gconstpointer b, gpointer data)
{
	const BootTime *left = *(const BootTime *const *)a;
	const BootTime *right = *(const BootTime *const *)b;
	const int64_t now_us = *(const int64_t *)data;
	const int64_t difference_us = boot_time_own(right, now_us) - boot_time_own(left, now_us);

	if (difference_us != 0)
		return difference_us > 0 ? 1 : -1;
	return strcmp(left->name, right->name);
}

GPtrArray *boot_times_by_own(const BootTimes *times, int64_t now_us)
{
	GPtrArray *sorted = g_ptr_array_new();

	for (guint i = 0; i < times->all->len; i++)
		g_ptr_array_add(sorted, (gpointer)boot_times_get(times, i));
	g_ptr_array_sort_with_data(sorted, compare_own, &now_us);
	return sorted;
}

/* --- the chain --- */

/*
 * The start that this one waited for; NULL: it waited for nothing, or for a condition that is not a
 * start.
 */
static const BootTime *previous(const BootTimes *times, const BootTime *time)
{
	const BootTime *by = *time->by && time->started_us > 0 ? boot_times_find(times, time->by) :
								 NULL;

	/*
	 * A start that was over before the wait began, or was not over when the wait ended, cannot
	 * have ended the wait.
	 */
	return by && by->over_us > 0 && by->over_us <= time->started_us &&
			       by->over_us > time->wanted_us ?
		       by :
		       NULL;
}

GPtrArray *boot_times_chain(const BootTimes *times, const BootTime *end)
{
	GPtrArray *chain = g_ptr_array_new();

	/*
	 * Each start was over before the next one began, so none appears twice. The limit guards
	 * against wrong data from the other process.
	 */
	for (const BootTime *time = end; time && chain->len < times->all->len;
	     time = previous(times, time))
		g_ptr_array_insert(chain, 0, (gpointer)time);
	return chain;
}

/* --- dot --- */

/* Quoted as the DOT language requires; a new string. */
static char *quote(const char *text)
{
	g_autoptr(GString) out = g_string_new("\"");

	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			g_string_append_c(out, '\\');
		g_string_append_c(out, *text);
	}
	g_string_append_c(out, '"');
	return g_string_free(g_steal_pointer(&out), FALSE);
}

static void append_node(GString *out, const BootTime *time, int64_t begun_us, int64_t now_us)
{
	g_autofree char *name = quote(time->name);
	g_autofree char *at = text_format_duration(MAX(time->started_us - begun_us, 0));
	g_autofree char *own = text_format_duration(boot_time_own(time, now_us));

	/* "\n" within the quotes is the line end of the DOT language. */
	g_string_append_printf(out, "\t%s [label=%.*s\\n", name, (int)strlen(name) - 1, name);
	if (time->started_us > 0)
		g_string_append_printf(out, "%s, from %s on\"", own, at);
	else
		g_string_append(out, "not started\"");
	g_string_append_printf(out, "%s];\n",
			       strcmp(time->result, "failed") == 0 ? ", color=red" : "");
}

static void append_edge(GString *out, const BootTimes *times, const BootTime *time,
			bool is_in_chain)
{
	const bool is_service = boot_times_find(times, time->by) != NULL;
	g_autofree char *from = quote(is_service ? time->by : time->last);
	g_autofree char *to = quote(time->name);
	g_autofree char *label = quote(time->last);
	g_autofree char *waited = text_format_duration(boot_time_waited(time, time->started_us));

	if (!is_service)
		g_string_append_printf(out, "\t%s [shape=ellipse, style=dashed];\n", from);
	g_string_append_printf(out, "\t%s -> %s [label=%.*s, %s\"%s];\n", from, to,
			       (int)strlen(label) - 1, label, waited,
			       is_in_chain ? ", penwidth=3" : "");
}

char *boot_times_dot(const BootTimes *times, int64_t begun_us, int64_t now_us)
{
	g_autoptr(GPtrArray) chain = boot_times_chain(times, boot_times_last(times));
	g_autoptr(GString)
		out = g_string_new("digraph boot {\n\trankdir=LR;\n\tnode [shape=box];\n");

	for (guint i = 0; i < times->all->len; i++)
		append_node(out, boot_times_get(times, i), begun_us, now_us);
	for (guint i = 0; i < times->all->len; i++) {
		const BootTime *time = boot_times_get(times, i);

		if (*time->last)
			append_edge(out, times, time, g_ptr_array_find(chain, time, NULL));
	}
	g_string_append(out, "}\n");
	return g_string_free(g_steal_pointer(&out), FALSE);
}
