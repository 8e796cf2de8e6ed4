/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Undo: the list of steps for users, and a change that restores the files of before one of them.
 */
#include "config.h"

#include <string.h>

#include "base/errors.h"
#include "base/fd.h"
#include "base/limits.h"
#include "policy-edit/change-private.h"
#include "policy-edit/history.h"

void history_step_free(HistoryStep *step)
{
	if (!step)
		return;
	g_free(step->command);
	g_strfreev(step->paths);
	g_free(step);
}

static HistoryStep *step_of(const HistoryRecord *record)
{
	HistoryStep *step = g_new0(HistoryStep, 1);
	GPtrArray *paths = g_ptr_array_new();

	step->number = record->number;
	step->at_us = record->at_us;
	step->uid = record->uid;
	step->command = g_strdup(record->command);
	step->undoes = record->undoes;
	for (guint i = 0; i < record->files->len; i++)
		g_ptr_array_add(paths, g_strdup(((FileChange *)g_ptr_array_index(record->files, i))->path));
	g_ptr_array_add(paths, NULL);
	step->paths = (char **)g_ptr_array_free(paths, FALSE);
	return step;
}

/*
 * All records, the newest first; unreadable ones are reported in @diags if that is not NULL. NULL
 * with @error.
 */
static GPtrArray *read_all(const Durable *durable, DiagList *diags, GError **error)
{
	g_autoptr(GArray) numbers = history_numbers(durable, error);
	GPtrArray *records;

	if (!numbers)
		return NULL;
	records = g_ptr_array_new_with_free_func((GDestroyNotify)history_record_free);
	for (guint i = numbers->len; i > 0; i--) {
		g_autoptr(GError) unreadable = NULL;
		HistoryRecord *record = history_read(durable, g_array_index(numbers, uint64_t, i - 1), &unreadable);

		if (record)
			g_ptr_array_add(records, record);
		else if (diags)
			diag_warning(diags, origin_new(POLICY_EDIT_HISTORY, 0), NULL, "%s", unreadable->message);
	}
	return records;
}

static void warn_of_unfinished(const Durable *durable, DiagList *diags)
{
	g_autoptr(GPtrArray) names = durable_list(durable, POLICY_EDIT_HISTORY, NULL);

	for (guint i = 0; names && i < names->len; i++) {
		if (g_str_has_suffix(g_ptr_array_index(names, i), ".begun"))
			diag_warning(diags, origin_new(POLICY_EDIT_HISTORY, 0), NULL,
				     "%s was begun and not finished; \"svcctl policy recover\" ends it, and so does the next change",
				     (char *)g_ptr_array_index(names, i));
	}
}

GPtrArray *history_list(const char *root, DiagList *diags, GError **error)
{
	GPtrArray *steps = NULL;
	Durable durable;
	g_autoptr(GPtrArray) records = NULL;

	durable_init(&durable, root);
	records = read_all(&durable, diags, error);
	if (records)
		steps = g_ptr_array_new_with_free_func((GDestroyNotify)history_step_free);
	for (guint i = 0; steps && i < records->len; i++)
		g_ptr_array_add(steps, step_of(g_ptr_array_index(records, i)));
	if (steps && diags)
		warn_of_unfinished(&durable, diags);
	durable_clear(&durable);
	return steps;
}

/*
 * The newest step that is still in effect. A step that undid another one is skipped, so that a
 * second "undo" goes one step further back. Undoing it brings the other one back.
 */
static const HistoryRecord *find_newest(const GPtrArray *records)
{
	g_autoptr(GHashTable) undone = g_hash_table_new(g_int64_hash, g_int64_equal);

	for (guint i = 0; i < records->len; i++) {
		HistoryRecord *record = g_ptr_array_index(records, i);

		if (g_hash_table_contains(undone, &record->number))
			continue;
		if (!record->undoes)
			return record;
		g_hash_table_add(undone, &record->undoes);
	}
	return NULL;
}

static const HistoryRecord *find_record(const GPtrArray *records, uint64_t number)
{
	for (guint i = 0; i < records->len; i++) {
		const HistoryRecord *record = g_ptr_array_index(records, i);

		if (record->number == number)
			return record;
	}
	return NULL;
}

/* The newest step after @number that changed @path, or 0. */
static uint64_t find_later(const GPtrArray *records, uint64_t number, const char *path)
{
	for (guint i = 0; i < records->len; i++) {
		const HistoryRecord *record = g_ptr_array_index(records, i);

		if (record->number <= number)
			return 0;
		for (guint j = 0; j < record->files->len; j++) {
			if (strcmp(((FileChange *)g_ptr_array_index(record->files, j))->path, path) == 0)
				return record->number;
		}
	}
	return 0;
}

static bool refuse_changed(const Change *change, const GPtrArray *records, uint64_t number, const char *path,
			   GError **error)
{
	const uint64_t later = find_later(records, number, path);
	g_autofree char *shown = durable_show(change_durable(change), path);

	if (later)
		return fail(error, SVCD_ERROR_INVALID_ARGUMENT,
			    "step %" G_GUINT64_FORMAT " cannot be undone: step %" G_GUINT64_FORMAT
			    " has changed %s since; undo the later steps first", number, later, shown);
	return fail(error, SVCD_ERROR_INVALID_ARGUMENT,
		    "step %" G_GUINT64_FORMAT " cannot be undone: %s has been changed by hand since", number, shown);
}

static bool put_back(Change *change, const GPtrArray *records, const HistoryRecord *record, GError **error)
{
	for (guint i = 0; i < record->files->len; i++) {
		const FileChange *file = g_ptr_array_index(record->files, i);
		g_autoptr(GBytes) text = NULL;

		if (!durable_read(change_durable(change), file->path, LIMIT_FILE_BYTES, &text, error))
			return false;
		if (!text_is_equal(text, file->after))
			return refuse_changed(change, records, record->number, file->path, error);
		if (!change_write(change, file->path, file->before, file->after, &file->access, error))
			return false;
	}
	return true;
}

/*
 * After a power cut the newest step may be written and still have the name of a begun one. Then
 * that step must be undone, and the text on disk is its own, not another writer's.
 */
static void end_what_was_begun(const Durable *durable)
{
	/*
	 * Without permission to write, or with another writer at work, the history is used as it
	 * is.
	 */
	auto_fd int lock = durable_lock(durable, POLICY_EDIT_LOCK, 0, NULL);

	if (lock >= 0)
		(void)history_recover(durable, NULL, NULL);
}

bool history_end_begun(const char *root, GPtrArray **ret_ended, GError **error)
{
	g_autoptr(GPtrArray) ended = g_ptr_array_new_with_free_func(g_free);
	Durable durable;
	bool fine;

	durable_init(&durable, root);
	{
		auto_fd int lock = durable_lock(&durable, POLICY_EDIT_LOCK, LIMIT_POLICY_LOCK_US, error);

		fine = lock >= 0 && history_recover(&durable, ended, error);
	}
	durable_clear(&durable);
	if (fine)
		*ret_ended = g_steal_pointer(&ended);
	return fine;
}

Change *history_undo(const char *root, uint64_t number, GError **error)
{
	g_autoptr(Change) change = change_new(root, false);
	g_autoptr(GPtrArray) records = NULL;
	const HistoryRecord *record;

	end_what_was_begun(change_durable(change));
	records = read_all(change_durable(change), NULL, error);
	if (!records)
		return NULL;
	record = number ? find_record(records, number) : find_newest(records);
	if (!record && number) {
		/* It is missing or unreadable; reading it gives the right error. */
		g_autoptr(HistoryRecord) none = history_read(change_durable(change), number, error);

		return NULL;
	}
	if (!record) {
		fail(error, SVCD_ERROR_INVALID_ARGUMENT, "there is nothing to undo");
		return NULL;
	}
	if (!put_back(change, records, record, error))
		return NULL;
	change_set_undoes(change, record->number);
	return g_steal_pointer(&change);
}
