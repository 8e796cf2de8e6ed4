/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Udev describe: lists that are sorted and end somewhere.
 */
#include "config.h"

#include "providers/udev-describe.h"

#include <string.h>

/* So many names are told, and the number of the others. */
#define NAMES_SHOWN 12

/* Of devices with other names the few that are most alike. */
#define NEAREST_SHOWN 5

/* Words of an udev: condition that are looked at one by one. */
#define WORDS_COMPARED 32

static void append_names(GString *out, char *(*name)(gconstpointer item), GPtrArray *items, guint max)
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

static char *describe_volumes(const UdevTable *table, const char *prefix, const char *some, const char *none)
{
	g_autoptr(GPtrArray) keys = udev_table_keys(table, prefix);
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
	g_autoptr(GPtrArray) keys = udev_table_keys(table, "device:");
	GString *out;

	if (keys->len == 0)
		return g_strdup("no device node is known to udev");
	g_ptr_array_sort_with_data(keys, compare_likeness, (gpointer)key);
	out = g_string_new("nearest names present: ");
	append_names(out, argument_shown, keys, NEAREST_SHOWN);
	return g_string_free(out, FALSE);
}

/* One bit a word that holds. */
static guint32 words_that_hold(const char *const *words, const UdevRecord *record)
{
	guint32 holding = 0;

	for (unsigned i = 0; words[i] && i < WORDS_COMPARED; i++)
		if (udev_match_word_holds(words[i], record))
			holding |= (guint32)1 << i;
	return holding;
}

/* Leaves those in @records that fulfil as many words as any; returns the words that hold for any of them. */
static guint32 keep_nearest(GPtrArray *records, const char *const *words)
{
	int best = 0;
	guint32 holding = 0;

	for (guint i = 0; i < records->len; i++)
		best = MAX(best, __builtin_popcount(words_that_hold(words, g_ptr_array_index(records, i))));
	for (guint i = 0; i < records->len;) {
		const guint32 bits = words_that_hold(words, g_ptr_array_index(records, i));

		if (__builtin_popcount(bits) < best) {
			g_ptr_array_remove_index(records, i);
			continue;
		}
		holding |= bits;
		i++;
	}
	return holding;
}

/* "sda" is enough for a device that has its subsystem in front. */
static char *kernel_name(gconstpointer record)
{
	return udev_text_show(strrchr(((const UdevRecord *)record)->syspath, '/') + 1);
}

static char *describe_matches(const UdevTable *table, const UdevMatch *match)
{
	const char *const *words = udev_match_words(match);
	const char *subsystem = udev_match_subsystem(match);
	g_autoptr(GPtrArray) records = udev_table_records(table, subsystem);
	g_autofree char *kind = udev_text_show(subsystem ? subsystem : "known");
	GString *out;
	guint32 holding;
	const char *separator = "; none has ";

	if (records->len == 0)
		return g_strdup_printf("there are no %s devices", kind);
	holding = keep_nearest(records, words);
	out = g_string_new(NULL);
	g_string_append_printf(out, "%s devices: ", kind);
	append_names(out, kernel_name, records, NAMES_SHOWN);
	for (unsigned i = 0; words[i] && i < WORDS_COMPARED; i++) {
		if (holding & (guint32)1 << i)
			continue;
		g_string_append_printf(out, "%s%s", separator, words[i]);
		separator = " or ";
	}
	return g_string_free(out, FALSE);
}

char *udev_describe(const UdevTable *table, const char *key)
{
	const UdevMatch *match = udev_table_match(table, key);

	KeyPrefix prefix;

	if (!match)
		return NULL;
	prefix = udev_match_prefix(match);
	if (prefix == KEY_LABEL)
		return describe_volumes(table, "label:", "labels present: ", "no volume has a label");
	if (prefix == KEY_UUID)
		return describe_volumes(table, "uuid:", "UUIDs present: ", "no volume has a UUID");
	return prefix == KEY_DEVICE ? describe_nodes(table, key) : describe_matches(table, match);
}
