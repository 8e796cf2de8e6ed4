/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * History: the directory of steps: begin, finish, and recover unfinished steps.
 */
#include "config.h"

#include "policy-edit/history.h"

#include <stdio.h>
#include <string.h>

#include "base/errors.h"
#include "base/limits.h"
#include "base/text.h"

#define BEGUN ".begun"
#define DONE ".step"

static char *step_name(uint64_t number, const char *suffix)
{
	return g_strdup_printf("%06" G_GUINT64_FORMAT "%s", number, suffix);
}

static char *step_path(uint64_t number, const char *suffix)
{
	g_autofree char *name = step_name(number, suffix);

	return g_build_filename(POLICY_EDIT_HISTORY, name, NULL);
}

/* "000007.step" with ".step": 7. 0: not such a name. */
static uint64_t number_of(const char *name, const char *suffix)
{
	g_autofree char *digits = NULL;
	uint64_t number;

	if (!g_str_has_suffix(name, suffix))
		return 0;
	digits = g_strndup(name, strlen(name) - strlen(suffix));
	return text_parse_uint(digits, 10, UINT64_MAX - 1, &number) ? number : 0;
}

static int compare_numbers(gconstpointer a, gconstpointer b)
{
	const uint64_t one = *(const uint64_t *)a;
	const uint64_t other = *(const uint64_t *)b;

	return (one > other) - (one < other);
}

static GArray *list_numbers(const Durable *durable, const char *suffix, GError **error)
{
	g_autoptr(GPtrArray) names = durable_list(durable, POLICY_EDIT_HISTORY, error);
	GArray *numbers;

	if (!names)
		return NULL;
	numbers = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	for (guint i = 0; i < names->len; i++) {
		const uint64_t number = number_of(g_ptr_array_index(names, i), suffix);

		if (number)
			g_array_append_val(numbers, number);
	}
	g_array_sort(numbers, compare_numbers);
	return numbers;
}

GArray *history_numbers(const Durable *durable, GError **error)
{
	return list_numbers(durable, DONE, error);
}

static uint64_t last_of(const GArray *numbers)
{
	return numbers->len > 0 ? g_array_index(numbers, uint64_t, numbers->len - 1) : 0;
}

/*
 * Requires an existing /var/lib. If /var is not mounted yet, the files would be hidden below the
 * mount point. Below another root nothing is mounted later.
 */
static bool check_place(const Durable *durable, GError **error)
{
	if (*durable->root || durable_has_directory(durable, "/var/lib"))
		return true;
	return fail(error, SVCD_ERROR_FAILED, "there is no /var/lib");
}

uint64_t history_begin(const Durable *durable, HistoryRecord *record, GError **error)
{
	g_autoptr(GArray) done = NULL;
	g_autoptr(GArray) begun = NULL;
	g_autoptr(GBytes) text = NULL;
	g_autofree char *path = NULL;

	if (!check_place(durable, error) || !(done = list_numbers(durable, DONE, error)) ||
	    !(begun = list_numbers(durable, BEGUN, error)))
		return 0;
	record->number = MAX(last_of(done), last_of(begun)) + 1;
	text = history_record_format(record);
	if (g_bytes_get_size(text) > LIMIT_HISTORY_STEP_BYTES) {
		fail(error, SVCD_ERROR_LIMIT_REACHED, "it would be longer than %d bytes", LIMIT_HISTORY_STEP_BYTES);
		return 0;
	}
	path = step_path(record->number, BEGUN);
	return durable_make_private(durable, POLICY_EDIT_HISTORY, error) &&
			       durable_write(durable, path, text, FILE_ACCESS_PRIVATE, error)
		       ? record->number
		       : 0;
}

/* The file of step @number; its length in @ret_bytes. NULL with @error, also if there is none. */
static GBytes *read_step(const Durable *durable, uint64_t number, const char *suffix, GError **error)
{
	g_autofree char *path = step_path(number, suffix);
	GBytes *text = NULL;

	if (durable_read(durable, path, LIMIT_HISTORY_STEP_BYTES, &text, error) && !text)
		fail(error, SVCD_ERROR_INVALID_ARGUMENT,
		     "there is no step %" G_GUINT64_FORMAT " in the history; \"svcctl policy log\" lists them", number);
	return text;
}

/* Best effort: the next step removes the rest. */
static void drop_old(const Durable *durable)
{
	g_autoptr(GArray) numbers = list_numbers(durable, DONE, NULL);
	gsize bytes = 0;

	for (guint i = numbers ? numbers->len : 0; i > 0; i--) {
		const uint64_t number = g_array_index(numbers, uint64_t, i - 1);
		g_autoptr(GBytes) text = read_step(durable, number, DONE, NULL);
		g_autofree char *path = step_path(number, DONE);

		bytes += text ? g_bytes_get_size(text) : 0;
		if (numbers->len - i >= LIMIT_HISTORY_STEPS || bytes > LIMIT_HISTORY_BYTES)
			(void)durable_write(durable, path, NULL, FILE_ACCESS_PRIVATE, NULL);
	}
}

bool history_finish(const Durable *durable, uint64_t number, GError **error)
{
	g_autofree char *path = step_path(number, BEGUN);
	g_autofree char *name = step_name(number, DONE);

	if (!durable_rename(durable, path, name, error))
		return false;
	drop_old(durable);
	return true;
}

void history_abandon(const Durable *durable, uint64_t number)
{
	g_autofree char *path = step_path(number, BEGUN);

	/* If it stays, the next writer finds the old text everywhere and removes it then. */
	(void)durable_write(durable, path, NULL, FILE_ACCESS_PRIVATE, NULL);
}

static HistoryRecord *read_record(const Durable *durable, uint64_t number, const char *suffix, GError **error)
{
	g_autoptr(GBytes) text = read_step(durable, number, suffix, error);
	HistoryRecord *record;
	gsize length;
	const char *bytes;

	if (!text)
		return NULL;
	bytes = g_bytes_get_data(text, &length);
	record = history_record_parse(bytes ? bytes : "", length, error);
	if (record)
		record->number = number;
	else
		g_prefix_error(error, "step %" G_GUINT64_FORMAT ": ", number);
	return record;
}

HistoryRecord *history_read(const Durable *durable, uint64_t number, GError **error)
{
	return read_record(durable, number, DONE, error);
}

/* How many files of @record have the old, the new, or another text. */
typedef struct Census {
	guint old;
	guint new;
	guint other;
} Census;

static bool take_census(const Durable *durable, const HistoryRecord *record, Census *census, GError **error)
{
	for (guint i = 0; i < record->files->len; i++) {
		const FileChange *file = g_ptr_array_index(record->files, i);
		g_autoptr(GBytes) text = NULL;

		if (!durable_read(durable, file->path, LIMIT_FILE_BYTES, &text, error))
			return false;
		if (text_is_equal(text, file->after))
			census->new++;
		else if (text_is_equal(text, file->before))
			census->old++;
		else
			census->other++;
	}
	return true;
}

bool history_roll_back(const Durable *durable, const HistoryRecord *record, GError **error)
{
	for (guint i = 0; i < record->files->len; i++) {
		const FileChange *file = g_ptr_array_index(record->files, i);
		g_autoptr(GBytes) text = NULL;

		durable_tidy(durable, file->path);
		if (!durable_read(durable, file->path, LIMIT_FILE_BYTES, &text, error))
			return false;
		if (text_is_equal(text, file->after) &&
		    !durable_write(durable, file->path, file->before, file->access, error))
			return false;
	}
	return true;
}

/* Removes a file of the next number that was cut off before it got its name. */
static void tidy_next(const Durable *durable)
{
	g_autoptr(GArray) done = list_numbers(durable, DONE, NULL);
	g_autofree char *path = step_path(done ? last_of(done) + 1 : 1, BEGUN);

	durable_tidy(durable, path);
}

static void tell(GPtrArray *ended, const HistoryRecord *record, const char *what)
{
	if (ended)
		g_ptr_array_add(ended, g_strdup_printf("step %" G_GUINT64_FORMAT " (%s) %s", record->number, record->command,
						       what));
}

/* All files of @record have the old text, or some the new one. */
static bool take_back(const Durable *durable, const HistoryRecord *record, GPtrArray *ended, GError **error)
{
	if (!history_roll_back(durable, record, error))
		return false;
	tell(ended, record, "was cut off: its files are as they were before");
	history_abandon(durable, record->number);
	return true;
}

static bool recover_step(const Durable *durable, uint64_t number, GPtrArray *ended, GError **error)
{
	g_autoptr(HistoryRecord) record = read_record(durable, number, BEGUN, NULL);
	Census census = { 0 };

	/*
	 * A step is complete on disk before the first file is touched. So an invalid file is not
	 * one of svcd's steps.
	 */
	if (!record) {
		history_abandon(durable, number);
		return true;
	}
	if (!take_census(durable, record, &census, error))
		return false;
	if (census.new == record->files->len) {
		tell(ended, record, "was cut off when all its files were written: it is done");
		/*
		 * If /var is not writable now, the next writer repeats this and finds less to do.
		 */
		(void)history_finish(durable, number, NULL);
		return true;
	}
	if (census.other == 0)
		return take_back(durable, record, ended, error);
	tell(ended, record, "was cut off, and its files have been changed since: they stay as they are");
	history_abandon(durable, number);
	return true;
}

bool history_recover(const Durable *durable, GPtrArray *ended, GError **error)
{
	/* An unreadable history is no error here, because history_begin() reports it. */
	g_autoptr(GArray) begun = list_numbers(durable, BEGUN, NULL);

	for (guint i = begun ? begun->len : 0; i > 0; i--) {
		if (!recover_step(durable, g_array_index(begun, uint64_t, i - 1), ended, error))
			return false;
	}
	tidy_next(durable);
	return true;
}
