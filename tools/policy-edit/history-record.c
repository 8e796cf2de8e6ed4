/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * History record: formats a step as text, and parses it. A length stands before each field of
 * arbitrary bytes.
 */
#include "config.h"

#include <string.h>

#include "base/errors.h"
#include "base/limits.h"
#include "base/text.h"
#include "policy-edit/history.h"

#define FIRST_LINE "svcd policy history 1\n"

FileChange *file_change_new(const char *path, GBytes *before, GBytes *after, FileAccess access)
{
	FileChange *change = g_new0(FileChange, 1);

	change->path = g_strdup(path);
	change->before = before ? g_bytes_ref(before) : NULL;
	change->after = after ? g_bytes_ref(after) : NULL;
	change->access = access;
	return change;
}

void file_change_free(FileChange *change)
{
	if (!change)
		return;
	g_free(change->path);
	g_clear_pointer(&change->before, g_bytes_unref);
	g_clear_pointer(&change->after, g_bytes_unref);
	g_free(change);
}

bool text_is_equal(const GBytes *one, const GBytes *other)
{
	return one && other ? g_bytes_equal(one, other) : one == other;
}

bool file_change_is_empty(const FileChange *change)
{
	return text_is_equal(change->before, change->after);
}

HistoryRecord *history_record_new(void)
{
	HistoryRecord *record = g_new0(HistoryRecord, 1);

	record->files = g_ptr_array_new_with_free_func((GDestroyNotify)file_change_free);
	return record;
}

void history_record_free(HistoryRecord *record)
{
	if (!record)
		return;
	g_free(record->command);
	g_ptr_array_unref(record->files);
	g_free(record);
}

static void write_bytes(GByteArray *text, const char *word, gconstpointer bytes, gsize length)
{
	g_autofree char *line = g_strdup_printf("%s %zu\n", word, length);

	g_byte_array_append(text, (const guint8 *)line, (guint)strlen(line));
	g_byte_array_append(text, bytes, (guint)length);
	g_byte_array_append(text, (const guint8 *)"\n", 1);
}

static void write_text(GByteArray *text, const char *word, GBytes *bytes)
{
	g_autofree char *absent = g_strdup_printf("%s absent\n", word);
	gsize length;
	gconstpointer data;

	if (!bytes) {
		g_byte_array_append(text, (const guint8 *)absent, (guint)strlen(absent));
		return;
	}
	data = g_bytes_get_data(bytes, &length);
	write_bytes(text, word, data ? data : "", length);
}

/* "access 0640 0 33": mode, owner, group; without this line it is FILE_ACCESS_ALL. */
static void write_access(GByteArray *text, FileAccess access)
{
	g_autofree char *line = g_strdup_printf("access %04o %u %u\n", (unsigned)access.mode, (unsigned)access.uid,
						(unsigned)access.gid);

	if (access.mode == FILE_ACCESS_ALL.mode && access.uid == FILE_ACCESS_ALL.uid && access.gid == FILE_ACCESS_ALL.gid)
		return;
	g_byte_array_append(text, (const guint8 *)line, (guint)strlen(line));
}

GBytes *history_record_format(const HistoryRecord *record)
{
	g_autofree char *head = g_strdup_printf(FIRST_LINE "at %" G_GINT64_FORMAT "\nuid %u\nundoes %" G_GUINT64_FORMAT
							   "\n",
						record->at_us, (unsigned)record->uid, record->undoes);
	GByteArray *text = g_byte_array_new();

	g_byte_array_append(text, (const guint8 *)head, (guint)strlen(head));
	write_bytes(text, "command", record->command, strlen(record->command));
	for (guint i = 0; i < record->files->len; i++) {
		const FileChange *file = g_ptr_array_index(record->files, i);

		write_bytes(text, "file", file->path, strlen(file->path));
		write_access(text, file->access);
		write_text(text, "before", file->before);
		write_text(text, "after", file->after);
	}
	g_byte_array_append(text, (const guint8 *)"end\n", 4);
	return g_byte_array_free_to_bytes(text);
}

/* The unread rest of the text; after the first error it is empty. */
typedef struct Rest {
	const char *next;
	const char *end;
} Rest;

static bool take(Rest *rest, const char *word)
{
	const size_t length = strlen(word);

	if ((size_t)(rest->end - rest->next) < length || memcmp(rest->next, word, length) != 0)
		return false;
	rest->next += length;
	return true;
}

/* Digits up to @stop, which is consumed as well. */
static bool take_digits(Rest *rest, char stop, unsigned base, uint64_t max, uint64_t *ret)
{
	const char *end = memchr(rest->next, stop, (size_t)(rest->end - rest->next));
	g_autofree char *number = NULL;

	if (!end || end - rest->next > 20)
		return false;
	number = g_strndup(rest->next, (gsize)(end - rest->next));
	rest->next = end + 1;
	return text_parse_uint(number, base, max, ret);
}

/* "KEY NUMBER\n" */
static bool take_number(Rest *rest, const char *word, uint64_t max, uint64_t *ret)
{
	return take(rest, word) && take(rest, " ") && take_digits(rest, '\n', 10, max, ret);
}

static bool take_access(Rest *rest, FileAccess *ret)
{
	uint64_t mode;
	uint64_t uid;
	uint64_t gid;

	*ret = FILE_ACCESS_ALL;
	if (!take(rest, "access "))
		return true;
	if (!take_digits(rest, ' ', 8, 0777, &mode) || !take_digits(rest, ' ', 10, UINT32_MAX, &uid) ||
	    !take_digits(rest, '\n', 10, UINT32_MAX, &gid))
		return false;
	*ret = (FileAccess){ .mode = (mode_t)mode, .uid = (uid_t)uid, .gid = (gid_t)gid };
	return true;
}

/* "KEY LENGTH\n", so many bytes, "\n" */
static GBytes *take_bytes(Rest *rest, const char *word)
{
	uint64_t length;
	GBytes *bytes;

	if (!take_number(rest, word, (uint64_t)(rest->end - rest->next), &length) ||
	    length >= (uint64_t)(rest->end - rest->next) || rest->next[length] != '\n')
		return NULL;
	bytes = g_bytes_new(rest->next, (gsize)length);
	rest->next += length + 1;
	return bytes;
}

/* As above, for a string without NUL bytes; a new string. */
static char *take_string(Rest *rest, const char *word)
{
	g_autoptr(GBytes) bytes = take_bytes(rest, word);
	gsize length;
	const char *data = bytes ? g_bytes_get_data(bytes, &length) : NULL;

	if (!bytes || (data && memchr(data, '\0', length)))
		return NULL;
	return g_strndup(data ? data : "", length);
}

static bool take_text(Rest *rest, const char *word, GBytes **ret)
{
	g_autofree char *absent = g_strdup_printf("%s absent\n", word);

	if (take(rest, absent)) {
		*ret = NULL;
		return true;
	}
	*ret = take_bytes(rest, word);
	return *ret != NULL;
}

/* A step writes only below these directories, so other paths are errors. */
static bool is_path(const char *path)
{
	return (g_str_has_prefix(path, SVCD_SYSCONFDIR "/") || g_str_has_prefix(path, "/run/svcd/")) &&
	       !strstr(path, "/.") && !strstr(path, "//") && !g_str_has_suffix(path, "/");
}

static bool take_file(Rest *rest, HistoryRecord *record)
{
	g_autofree char *path = take_string(rest, "file");
	g_autoptr(GBytes) before = NULL;
	g_autoptr(GBytes) after = NULL;
	FileAccess access;

	if (!path || !is_path(path) || !take_access(rest, &access) || !take_text(rest, "before", &before) ||
	    !take_text(rest, "after", &after))
		return false;
	g_ptr_array_add(record->files, file_change_new(path, before, after, access));
	return true;
}

static bool take_record(Rest *rest, HistoryRecord *record)
{
	uint64_t at_us;
	uint64_t uid;

	if (!take(rest, FIRST_LINE) || !take_number(rest, "at", INT64_MAX, &at_us) ||
	    !take_number(rest, "uid", UINT32_MAX, &uid) ||
	    !take_number(rest, "undoes", UINT64_MAX, &record->undoes))
		return false;
	record->at_us = (int64_t)at_us;
	record->uid = (uid_t)uid;
	record->command = take_string(rest, "command");
	while (record->command && !take(rest, "end\n")) {
		if (record->files->len >= LIMIT_HISTORY_FILES || !take_file(rest, record))
			return false;
	}
	return record->command && record->files->len > 0 && rest->next == rest->end;
}

HistoryRecord *history_record_parse(const char *bytes, gsize length, GError **error)
{
	g_autoptr(HistoryRecord) record = history_record_new();
	Rest rest = { .next = bytes, .end = bytes + length };

	if (take_record(&rest, record))
		return g_steal_pointer(&record);
	fail(error, SVCD_ERROR_FAILED, "byte %zu does not belong in a step of the policy's history",
	     (size_t)(rest.next - bytes));
	return NULL;
}
