/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Udev table: one slot for every key that a device makes true or a condition uses, found by a hash.
 * So the cost of an event depends on the names of its device, not on the number of conditions. Only
 * udev: conditions are compared one by one: those for the device's subsystem and those for any
 * subsystem.
 */
#include "config.h"

#include "providers/udev-table.h"

#include <string.h>

#include "base/text.h"

/* The group of conditions that match devices of any subsystem. */
#define ANY ""

typedef struct UdevSlot {
	char *key; /* untrusted text from a device unless a condition uses it */
	GPtrArray *carriers; /* UdevRecord *, borrowed */
	UdevMatch *match; /* NULL: no condition uses it */
	const char *interned; /* the key of the condition */
	int reported; /* Level; -1: nothing yet */
	char *reported_why;
	bool is_dirty;
	bool is_awaited; /* its devices are being listed for the first time */
} UdevSlot;

struct UdevTable {
	ProviderSink sink;
	const char *why_not_live;
	GHashTable *records; /* syspath -> UdevRecord, owned */
	GHashTable *slots; /* key -> UdevSlot, owned */
	/* subsystem or ANY -> GPtrArray of UdevSlot *: the udev: conditions in use */
	GHashTable *groups;
	GPtrArray *dirty; /* UdevSlot *, borrowed */
	unsigned listing;
};

static void slot_free(gpointer data)
{
	UdevSlot *slot = data;

	g_free(slot->key);
	g_ptr_array_unref(slot->carriers);
	udev_match_free(slot->match);
	g_free(slot->reported_why);
	g_free(slot);
}

static UdevSlot *slot_get(UdevTable *table, const char *key)
{
	UdevSlot *slot = g_hash_table_lookup(table->slots, key);

	if (slot)
		return slot;
	slot = g_new0(UdevSlot, 1);
	slot->key = g_strdup(key);
	slot->carriers = g_ptr_array_new();
	slot->reported = -1;
	g_hash_table_insert(table->slots, slot->key, slot);
	return slot;
}

static void mark_dirty(UdevTable *table, UdevSlot *slot)
{
	if (slot->is_dirty)
		return;
	slot->is_dirty = true;
	g_ptr_array_add(table->dirty, slot);
}

UdevTable *udev_table_new(const ProviderSink *sink)
{
	UdevTable *table = g_new0(UdevTable, 1);

	table->sink = *sink;
	table->why_not_live = "udev is not running";
	table->records = g_hash_table_new_full(g_str_hash, g_str_equal, NULL,
					       (GDestroyNotify)udev_record_free);
	table->slots = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, slot_free);
	table->groups = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
					      (GDestroyNotify)g_ptr_array_unref);
	table->dirty = g_ptr_array_new();
	return table;
}

void udev_table_free(UdevTable *table)
{
	if (!table)
		return;
	g_ptr_array_unref(table->dirty);
	g_hash_table_unref(table->groups);
	g_hash_table_unref(table->slots);
	g_hash_table_unref(table->records);
	g_free(table);
}

/* --- levels --- */

/*
 * The first of several devices by name, so that the reason does not depend on the order of events.
 */
static char *name_of_carrier(const UdevSlot *slot)
{
	g_autofree char *first = NULL;

	for (guint i = 0; i < slot->carriers->len; i++) {
		const UdevRecord *record = g_ptr_array_index(slot->carriers, i);
		g_autofree char *name = NULL;

		if (!udev_match_has_in_scope(slot->match, record))
			continue;
		name = udev_record_name(record);
		if (!first || strcmp(name, first) < 0) {
			g_free(first);
			first = g_steal_pointer(&name);
		}
	}
	return g_steal_pointer(&first);
}

static const char *why_absent(const UdevSlot *slot)
{
	const KeyPrefix prefix = slot->match->prefix;

	if (prefix == KEY_LABEL)
		return "no volume with that label";
	if (prefix == KEY_UUID)
		return "no volume with that UUID";
	return prefix == KEY_DEVICE ? "no such device" : "no device matches";
}

static void report(UdevTable *table, UdevSlot *slot, bool always)
{
	g_autofree char *name = name_of_carrier(slot);
	const char *why_unknown = table->why_not_live || !slot->is_awaited ?
					  table->why_not_live :
					  UDEV_TABLE_BEING_LISTED;
	const Level level = name ? LEVEL_TRUE : why_unknown ? LEVEL_UNKNOWN : LEVEL_FALSE;
	const char *why = name ? name : why_unknown ? why_unknown : why_absent(slot);

	if (!always && slot->reported == (int)level && g_strcmp0(slot->reported_why, why) == 0)
		return;
	slot->reported = (int)level;
	g_free(slot->reported_why);
	slot->reported_why = g_strdup(why);
	provider_report(&table->sink, slot->interned, level, why);
}

void udev_table_settle(UdevTable *table)
{
	for (guint i = 0; i < table->dirty->len; i++) {
		UdevSlot *slot = g_ptr_array_index(table->dirty, i);

		slot->is_dirty = false;
		if (slot->match)
			report(table, slot, false);
		else if (slot->carriers->len == 0)
			g_hash_table_remove(table->slots, slot->key);
	}
	g_ptr_array_set_size(table->dirty, 0);
}

void udev_table_set_live(UdevTable *table, const char *why_not)
{
	GHashTableIter iter;
	gpointer slot;

	if (g_strcmp0(table->why_not_live, why_not) == 0)
		return;
	table->why_not_live = why_not;
	g_hash_table_iter_init(&iter, table->slots);
	while (g_hash_table_iter_next(&iter, NULL, &slot))
		mark_dirty(table, slot);
}

/* --- devices and their slots --- */

static void carry(UdevTable *table, UdevRecord *record, UdevSlot *slot)
{
	/* A device's node may also be among its links. */
	if (g_ptr_array_find(record->slots, slot, NULL))
		return;
	g_ptr_array_add(record->slots, slot);
	g_ptr_array_add(slot->carriers, record);
	mark_dirty(table, slot);
}

static void carry_matching(UdevTable *table, UdevRecord *record, const char *group)
{
	GPtrArray *slots = g_hash_table_lookup(table->groups, group);

	for (guint i = 0; slots && i < slots->len; i++) {
		UdevSlot *slot = g_ptr_array_index(slots, i);

		if (udev_match_is_true(slot->match, record))
			carry(table, record, slot);
	}
}

static void drop_all(UdevTable *table, UdevRecord *record)
{
	for (guint i = 0; i < record->slots->len; i++) {
		UdevSlot *slot = g_ptr_array_index(record->slots, i);

		g_ptr_array_remove_fast(slot->carriers, record);
		mark_dirty(table, slot);
	}
	g_ptr_array_set_size(record->slots, 0);
}

static void index_record(UdevTable *table, UdevRecord *record)
{
	g_auto(GStrv) keys = udev_record_keys(record);

	for (char **key = keys; *key; key++)
		carry(table, record, slot_get(table, *key));
	if (*record->subsystem)
		carry_matching(table, record, record->subsystem);
	carry_matching(table, record, ANY);
}

void udev_table_put(UdevTable *table, UdevRecord *record)
{
	UdevRecord *known = g_hash_table_lookup(table->records, record->syspath);

	if (!udev_record_is_ready(record)) {
		udev_table_drop(table, record->syspath);
		udev_record_free(record);
		return;
	}
	record->seen = table->listing;
	if (known && g_strv_equal((const char *const *)known->properties,
				  (const char *const *)record->properties)) {
		known->seen = table->listing;
		udev_record_free(record);
		return;
	}
	if (known)
		drop_all(table, known);
	index_record(table, record);
	g_hash_table_replace(table->records, record->syspath, record);
}

void udev_table_drop(UdevTable *table, const char *syspath)
{
	UdevRecord *record = g_hash_table_lookup(table->records, syspath);

	if (!record)
		return;
	drop_all(table, record);
	g_hash_table_remove(table->records, syspath);
}

void udev_table_keep(UdevTable *table, const char *syspath)
{
	UdevRecord *record = g_hash_table_lookup(table->records, syspath);

	if (record)
		record->seen = table->listing;
}

void udev_table_begin_listing(UdevTable *table)
{
	table->listing++;
}

void udev_table_end_listing(UdevTable *table, const char *subsystem)
{
	GHashTableIter iter;
	gpointer value;

	g_hash_table_iter_init(&iter, table->records);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		UdevRecord *record = value;

		if (record->seen == table->listing ||
		    (subsystem && strcmp(subsystem, record->subsystem) != 0))
			continue;
		drop_all(table, record);
		g_hash_table_iter_remove(&iter);
	}
}

void udev_table_retain(UdevTable *table, GHashTable *subsystems)
{
	GHashTableIter iter;
	gpointer value;

	g_hash_table_iter_init(&iter, table->records);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		UdevRecord *record = value;

		if (g_hash_table_contains(subsystems, record->subsystem))
			continue;
		drop_all(table, record);
		g_hash_table_iter_remove(&iter);
	}
}

/* --- conditions --- */

static const char *group_of(const UdevMatch *match)
{
	const char *subsystem = match->subsystem;

	return subsystem ? subsystem : ANY;
}

/*
 * Adds the condition to its group, and compares the known devices with it. label:, uuid: and
 * device: are found by their names directly.
 */
static void join_group(UdevTable *table, UdevSlot *slot)
{
	GPtrArray *group = g_hash_table_lookup(table->groups, group_of(slot->match));
	GHashTableIter iter;
	gpointer record;

	if (!group) {
		group = g_ptr_array_new();
		g_hash_table_insert(table->groups, g_strdup(group_of(slot->match)), group);
	}
	g_ptr_array_add(group, slot);
	g_hash_table_iter_init(&iter, table->records);
	while (g_hash_table_iter_next(&iter, NULL, &record))
		if (udev_match_is_true(slot->match, record))
			carry(table, record, slot);
}

static void leave_group(UdevTable *table, UdevSlot *slot)
{
	GPtrArray *group = g_hash_table_lookup(table->groups, group_of(slot->match));

	g_ptr_array_remove_fast(group, slot);
	if (group->len == 0)
		g_hash_table_remove(table->groups, group_of(slot->match));
	for (guint i = 0; i < slot->carriers->len; i++) {
		UdevRecord *record = g_ptr_array_index(slot->carriers, i);

		g_ptr_array_remove_fast(record->slots, slot);
	}
	g_ptr_array_set_size(slot->carriers, 0);
}

void udev_table_add(UdevTable *table, const char *key, UdevMatch *match)
{
	UdevSlot *slot = slot_get(table, key);

	if (slot->match) {
		udev_match_free(match);
	} else {
		slot->match = match;
		slot->interned = key;
		if (match->prefix == KEY_UDEV)
			join_group(table, slot);
	}
	report(table, slot, true);
}

void udev_table_await(UdevTable *table, const char *key)
{
	slot_get(table, key)->is_awaited = true;
}

void udev_table_end_waiting(UdevTable *table)
{
	GHashTableIter iter;
	gpointer value;

	g_hash_table_iter_init(&iter, table->slots);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		UdevSlot *slot = value;

		if (slot->is_awaited)
			mark_dirty(table, slot);
		slot->is_awaited = false;
	}
}

UdevMatch *udev_table_remove(UdevTable *table, const char *key)
{
	UdevSlot *slot = g_hash_table_lookup(table->slots, key);
	UdevMatch *match;

	if (!slot || !slot->match)
		return NULL;
	if (slot->match->prefix == KEY_UDEV)
		leave_group(table, slot);
	match = g_steal_pointer(&slot->match);
	slot->reported = -1;
	slot->is_awaited = false;
	mark_dirty(table, slot); /* settling frees it if no device carries it */
	return match;
}

const UdevMatch *udev_table_match(const UdevTable *table, const char *key)
{
	const UdevSlot *slot = g_hash_table_lookup(table->slots, key);

	return slot ? slot->match : NULL;
}

/* --- queries --- */

const UdevRecord *udev_table_record(const UdevTable *table, const char *syspath)
{
	return g_hash_table_lookup(table->records, syspath);
}

/* The keys with @prefix ("label:") that a device makes true; sorted, borrowed strings. */
static GPtrArray *find_keys(const UdevTable *table, const char *prefix)
{
	GPtrArray *keys = g_ptr_array_new();
	GHashTableIter iter;
	gpointer value;

	g_hash_table_iter_init(&iter, table->slots);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		UdevSlot *slot = value;

		if (slot->carriers->len > 0 && g_str_has_prefix(slot->key, prefix))
			g_ptr_array_add(keys, slot->key);
	}
	g_ptr_array_sort(keys, text_compare);
	return keys;
}

static int compare_records(gconstpointer a, gconstpointer b)
{
	return strcmp((*(const UdevRecord *const *)a)->syspath,
		      (*(const UdevRecord *const *)b)->syspath);
}

GPtrArray *udev_table_records(const UdevTable *table, const char *subsystem)
{
	GPtrArray *records = g_ptr_array_new();
	GHashTableIter iter;
	gpointer value;

	g_hash_table_iter_init(&iter, table->records);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		UdevRecord *record = value;

		if (!subsystem || strcmp(record->subsystem, subsystem) == 0)
			g_ptr_array_add(records, record);
	}
	g_ptr_array_sort(records, compare_records);
	return records;
}

/* --- alternatives to a missing device: sorted lists with a limit --- */

/* The number of names that are shown; the others are counted. */
#define NAMES_SHOWN 12

#define NEAREST_SHOWN 5

/* The number of requirements of an udev: condition that are compared one by one. */
#define TOKENS_COMPARED 32

static void append_names(GString *out, char *(*name)(gconstpointer item), GPtrArray *items,
			 guint max)
{
	for (guint i = 0; i < items->len && i < max; i++) {
		g_autofree char *shown = name(g_ptr_array_index(items, i));

		g_string_append_printf(out, "%s%s", i ? ", " : "", shown);
	}
	if (items->len > max)
		g_string_append_printf(out, " and %u more", items->len - max);
}

static char *argument_shown(gconstpointer key)
{
	return udev_text_show(key_argument(key));
}

static char *describe_volumes(const UdevTable *table, const char *prefix, const char *some,
			      const char *none)
{
	g_autoptr(GPtrArray) keys = find_keys(table, prefix);
	GString *out;

	if (keys->len == 0)
		return g_strdup(none);
	out = g_string_new(some);
	append_names(out, argument_shown, keys, NAMES_SHOWN);
	return g_string_free(out, FALSE);
}

static size_t common_length(const char *a, const char *b)
{
	size_t n = 0;

	while (a[n] && a[n] == b[n])
		n++;
	return n;
}

static int compare_likeness(gconstpointer a, gconstpointer b, gpointer data)
{
	const char *one = *(const char *const *)a;
	const char *other = *(const char *const *)b;
	const size_t common_one = common_length(one, data);
	const size_t common_other = common_length(other, data);

	if (common_one != common_other)
		return common_one > common_other ? -1 : 1;
	return strcmp(one, other);
}

static char *describe_nodes(const UdevTable *table, const char *key)
{
	g_autoptr(GPtrArray) keys = find_keys(table, "device:");
	GString *out;

	if (keys->len == 0)
		return g_strdup("no device node is known to udev");
	g_ptr_array_sort_with_data(keys, compare_likeness, (gpointer)key);
	out = g_string_new("nearest names present: ");
	append_names(out, argument_shown, keys, NEAREST_SHOWN);
	return g_string_free(out, FALSE);
}

/* One bit for each requirement that is fulfilled. */
static guint32 tokens_that_match(const char *const *tokens, const UdevRecord *record)
{
	guint32 holding = 0;

	for (unsigned i = 0; tokens[i] && i < TOKENS_COMPARED; i++)
		if (udev_match_token_is_true(tokens[i], record))
			holding |= (guint32)1 << i;
	return holding;
}

/*
 * Keeps the devices in @records that fulfil the most requirements. Returns the requirements that
 * any of them fulfils.
 */
static guint32 keep_nearest(GPtrArray *records, const char *const *tokens)
{
	int best = 0;
	guint32 holding = 0;

	for (guint i = 0; i < records->len; i++)
		best = MAX(best, __builtin_popcount(
					 tokens_that_match(tokens, g_ptr_array_index(records, i))));
	for (guint i = 0; i < records->len;) {
		const guint32 bits = tokens_that_match(tokens, g_ptr_array_index(records, i));

		if (__builtin_popcount(bits) < best) {
			g_ptr_array_remove_index(records, i);
			continue;
		}
		holding |= bits;
		i++;
	}
	return holding;
}

/* "sda" is enough if the subsystem is shown before it. */
static char *kernel_name(gconstpointer record)
{
	return udev_text_show(strrchr(((const UdevRecord *)record)->syspath, '/') + 1);
}

static char *describe_matches(const UdevTable *table, const UdevMatch *match)
{
	const char *const *tokens = (const char *const *)match->tokens;
	const char *subsystem = match->subsystem;
	g_autoptr(GPtrArray) records = udev_table_records(table, subsystem);
	g_autofree char *kind = udev_text_show(subsystem ? subsystem : "known");
	GString *out;
	guint32 holding;
	const char *separator = "; none has ";

	if (records->len == 0)
		return g_strdup_printf("there are no %s devices", kind);
	holding = keep_nearest(records, tokens);
	out = g_string_new(NULL);
	g_string_append_printf(out, "%s devices: ", kind);
	append_names(out, kernel_name, records, NAMES_SHOWN);
	for (unsigned i = 0; tokens[i] && i < TOKENS_COMPARED; i++) {
		if (holding & (guint32)1 << i)
			continue;
		g_string_append_printf(out, "%s%s", separator, tokens[i]);
		separator = " or ";
	}
	return g_string_free(out, FALSE);
}

char *udev_table_describe(const UdevTable *table, const char *key)
{
	const UdevMatch *match = udev_table_match(table, key);

	if (!match)
		return NULL;
	if (match->prefix == KEY_LABEL)
		return describe_volumes(table,
					"label:", "labels present: ", "no volume has a label");
	if (match->prefix == KEY_UUID)
		return describe_volumes(table, "uuid:", "UUIDs present: ", "no volume has a UUID");
	return match->prefix == KEY_DEVICE ? describe_nodes(table, key) :
					     describe_matches(table, match);
}
