/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Refusal: a short list, searched from the newest record, so a repeating requester is found first.
 */
#include "config.h"

#include "engine/refusal.h"

#include <string.h>

#include "base/limits.h"
#include "base/text.h"

static void record_free(gpointer data)
{
	RefusalRecord *record = data;

	g_free(record->caller);
	g_free(record->text);
	g_free(record);
}

static RefusalRecord *take_record(Refusals *refusals, RefusalDoor door, const char *caller)
{
	RefusalRecord *record;

	for (GList *link = refusals->records->head; link; link = link->next) {
		record = link->data;
		if (record->door != door || strcmp(record->caller, caller) != 0)
			continue;
		g_queue_delete_link(refusals->records, link);
		return record;
	}
	if (g_queue_get_length(refusals->records) == LIMIT_REFUSALS)
		record_free(g_queue_pop_tail(refusals->records));
	record = g_new0(RefusalRecord, 1);
	record->door = door;
	record->caller = g_strdup(caller);
	return record;
}

void refusals_add(Refusals *refusals, RefusalDoor door, const char *caller, const char *text,
		  bool is_new, int64_t now_us)
{
	RefusalRecord *record;

	if (!refusals->records)
		refusals->records = g_queue_new();
	record = take_record(refusals, door, caller);
	g_free(record->text);
	record->text = g_strdup(text);
	record->last_us = now_us;
	if (record->count < UINT_MAX)
		record->count++;
	if (is_new && refusals->total < UINT_MAX)
		refusals->total++;
	g_queue_push_head(refusals->records, record);
}

static char *describe_record(const RefusalRecord *record, int64_t now_us)
{
	g_autofree char *ago = text_format_ago(now_us - record->last_us);

	if (record->count == 1)
		return g_strdup_printf("%s (%s)", record->text, ago);
	return g_strdup_printf("%s (%u times, last %s)", record->text, record->count, ago);
}

char *refusals_describe(const Refusals *refusals, int64_t now_us)
{
	g_autoptr(GString) text = g_string_new(NULL);
	unsigned known = 0;

	if (refusals->total == 0)
		return NULL;
	g_string_printf(text, "Refused %u request%s since the boot: ", refusals->total,
			refusals->total == 1 ? "" : "s");
	for (const GList *link = refusals->records ? refusals->records->head : NULL; link;
	     link = link->next) {
		const RefusalRecord *record = link->data;
		g_autofree char *sentence = describe_record(record, now_us);

		g_string_append_printf(text, "%s%s", known > 0 ? "; " : "", sentence);
		known += record->count;
	}
	if (known < refusals->total)
		g_string_append_printf(text, "%s%u by unknown requesters", known > 0 ? "; " : "",
				       refusals->total - known);
	g_string_append_c(text, '.');
	return g_string_free(g_steal_pointer(&text), FALSE);
}

void refusals_clear(Refusals *refusals)
{
	if (refusals->records)
		g_queue_free_full(refusals->records, record_free);
	*refusals = (Refusals){ 0 };
}
