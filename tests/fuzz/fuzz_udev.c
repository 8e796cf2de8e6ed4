/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzz target: devices with properties of any bytes, as udev passes them on from the device. The
 * known devices are compared, counted and displayed. The output is one line of text without a
 * control character.
 *
 * Each line of the input is a property, and an empty line begins the next event. The events are for
 * five devices in turn. The third device is removed after each of its events. Each event causes at
 * most two rechecks, and every recheck ends.
 */
#include "config.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/limits.h"
#include "providers/udev-table.h"
#include "providers/udev-recheck.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const conditions[] = {
	"label:DATA",          "uuid:1234-abcd", "device:/dev/sda1",     "udev:SUBSYSTEM=block",
	"udev:ID_MODEL=*a*b*", "udev:TAG=seat",  "udev:ID_FS_TYPE=ext?",
};

static void check_shown(const char *text)
{
	g_assert(g_utf8_validate(text, -1, NULL));
	for (; *text; text++)
		g_assert((unsigned char)*text >= ' ' && *text != 0x7f);
}

static void on_report(void *data, const char *key, Level level, const char *why)
{
	unsigned *n_sent = data;

	g_assert(level < LEVEL_COUNT && *key);
	if (why)
		check_shown(why);
	(*n_sent)++;
}

typedef struct Requests {
	UdevRechecks *rechecks;
	unsigned n_requested;
} Requests;

static void on_request(void *data, const char *syspath)
{
	Requests *requested = data;

	check_shown(syspath);
	if (++requested->n_requested % 2 == 1)
		udev_rechecks_refuse(requested->rechecks, syspath, false, 1);
}

static void on_look(void *data, const char *syspath)
{
	(void)data;
	check_shown(syspath);
}

static void put_device(Requests *requested, unsigned n, GPtrArray *properties)
{
	g_autofree char *syspath = g_strdup_printf("/sys/devices/%u", n % 5);
	const int64_t now_us = 1 + n * UDEV_RECHECK_FIRST_US;
	UdevRecord *record;
	g_auto(GStrv) keys = NULL;
	g_autofree char *name = NULL;

	g_ptr_array_add(properties, NULL);
	record = udev_record_new(syspath, (const char *const *)properties->pdata);
	record->is_empty = n % 5 == 4;
	g_ptr_array_set_size(properties, 0);
	g_assert(g_strv_length(record->properties) <= LIMIT_UDEV_PROPERTIES);
	for (char **property = record->properties; *property; property++)
		g_assert(strchr(*property, '=') && strlen(*property) <= LIMIT_UDEV_PROPERTY_BYTES);
	keys = udev_record_keys(record);
	for (char **key = keys; *key; key++)
		g_assert(g_str_has_prefix(*key, "label:") || g_str_has_prefix(*key, "uuid:") ||
			 g_str_has_prefix(*key, "device:"));
	name = udev_record_name(record);
	check_shown(name);
	udev_rechecks_put(requested->rechecks, record,
			  n % 7 == 6 ? UDEV_FROM_FIRST_LISTING : UDEV_FROM_EVENT, now_us);
	if (n % 5 == 2)
		udev_rechecks_drop(requested->rechecks, syspath);
	udev_rechecks_turn(requested->rechecks, now_us);
	g_assert(requested->n_requested <= 2 * (n + 1));
}

static void end_rechecks(UdevRechecks *rechecks)
{
	for (unsigned i = 0; i < 3; i++)
		udev_rechecks_turn(rechecks,
				   udev_rechecks_next_us(rechecks) + UDEV_RECHECK_ANSWER_US);
	g_assert(udev_rechecks_next_us(rechecks) == 0 && !udev_rechecks_hide_volumes(rechecks));
}

static void put_devices(Requests *requested, char **lines)
{
	g_autoptr(GPtrArray) properties = g_ptr_array_new();
	unsigned n = 0;

	for (; *lines; lines++) {
		if (**lines)
			g_ptr_array_add(properties, *lines);
		else
			put_device(requested, n++, properties);
	}
	put_device(requested, n, properties);
}

static void describe(const UdevTable *table)
{
	for (size_t i = 0; i < G_N_ELEMENTS(conditions); i++) {
		g_autofree char *text = udev_table_describe(table, g_intern_string(conditions[i]));

		if (text)
			check_shown(text);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autofree char *text = g_strndup((const char *)data, size);
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
	unsigned n_sent = 0;
	const ProviderSink sink = { on_report, &n_sent };
	static const UdevRecheckOps ops = { on_request, on_look };
	UdevTable *table = udev_table_new(&sink);
	Requests requested = { .rechecks = NULL };

	udev_table_set_live(table, NULL);
	for (size_t i = 0; i < G_N_ELEMENTS(conditions); i++) {
		const char *key = g_intern_string(conditions[i]);

		udev_table_add(table, key, udev_match_new(key));
	}
	requested.rechecks = udev_rechecks_new(table, &ops, &requested);
	udev_table_begin_listing(table);
	put_devices(&requested, lines);
	udev_table_end_listing(table, NULL);
	udev_table_settle(table);
	end_rechecks(requested.rechecks);
	describe(table);
	g_assert(n_sent >= G_N_ELEMENTS(conditions));
	udev_table_begin_listing(table);
	udev_table_end_listing(table, "block"); /* an empty list: no block device is left */
	udev_table_settle(table);
	describe(table);
	udev_rechecks_free(requested.rechecks);
	udev_table_free(table);
	return 0;
}
