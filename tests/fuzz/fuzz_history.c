/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzz target: a step of the policy's history of any bytes. An accepted one is written back with
 * the same content, and names no file outside of the admin's directories.
 */
#include "config.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/limits.h"
#include "policy-edit/history.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static HistoryRecord *parse_again(const HistoryRecord *record)
{
	g_autoptr(GBytes) text = history_record_format(record);
	gsize length;
	const char *bytes = g_bytes_get_data(text, &length);

	return history_record_parse(bytes, length, NULL);
}

static void check_same(const HistoryRecord *one, const HistoryRecord *other)
{
	g_assert(other && one->at_us == other->at_us && one->uid == other->uid && one->undoes == other->undoes);
	g_assert(strcmp(one->command, other->command) == 0 && one->files->len == other->files->len);
	for (guint i = 0; i < one->files->len; i++) {
		const FileChange *a = g_ptr_array_index(one->files, i);
		const FileChange *b = g_ptr_array_index(other->files, i);

		g_assert(strcmp(a->path, b->path) == 0 && text_is_equal(a->before, b->before) &&
			 text_is_equal(a->after, b->after));
		g_assert(!strstr(a->path, "/.") &&
			 (g_str_has_prefix(a->path, SVCD_SYSCONFDIR "/") || g_str_has_prefix(a->path, "/run/svcd/")));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(HistoryRecord) record = NULL;
	g_autoptr(HistoryRecord) again = NULL;

	if (size > LIMIT_HISTORY_STEP_BYTES)
		return 0;
	record = history_record_parse(size > 0 ? (const char *)data : "", size, &error);
	g_assert((record != NULL) == (error == NULL));
	if (!record)
		return 0;
	again = parse_again(record);
	check_same(record, again);
	return 0;
}
