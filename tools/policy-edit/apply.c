/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Apply: writes a change under the lock, first to the history, then to the files. Then the step is
 * marked as done.
 */
#include "config.h"

#include "base/errors.h"
#include "base/fd.h"
#include "base/limits.h"
#include "config/search-path.h"
#include "policy-edit/change-files.h"
#include "policy-edit/change-private.h"

static bool check(const Change *change, GError **error)
{
	g_autoptr(DiagList) errors = NULL;
	g_autoptr(Configuration) configuration = change_preview(change, NULL, &errors);
	g_autofree char *first = NULL;

	if (diag_list_length(errors) == 0)
		return true;
	first = diag_format(diag_list_get(errors, 0));
	if (diag_list_length(errors) == 1)
		return fail(error, SVCD_ERROR_INVALID_CONFIGURATION, "%s", first);
	return fail(error, SVCD_ERROR_INVALID_CONFIGURATION, "%s (and %u more)", first, diag_list_length(errors) - 1);
}

static HistoryRecord *record_of(const Change *change, const ChangeAuthor *author)
{
	HistoryRecord *record = history_record_new();

	record->at_us = g_get_real_time();
	record->uid = author->uid;
	record->command = g_strdup(author->command);
	record->undoes = change->undoes;
	for (guint i = 0; i < change->files->len; i++) {
		const FileChange *file = g_ptr_array_index(change->files, i);

		if (!file_change_is_empty(file))
			g_ptr_array_add(record->files, file_change_new(file->path, file->before, file->after,
								     file->access));
	}
	return record;
}

/*
 * A change that cannot be undone is better than a policy that cannot be changed because /var is not
 * writable.
 */
static uint64_t begin(Change *change, HistoryRecord *record)
{
	g_autoptr(GError) error = NULL;
	uint64_t number = 0;

	if (!change->until_reboot && !change->user_mode)
		number = history_begin(&change->durable, record, &error);
	g_clear_pointer(&change->warning, g_free);
	if (error)
		change->warning = g_strdup_printf("this cannot be undone, because it could not be put into the history: %s",
						  error->message);
	return number;
}

/* Writes all files, or none. @number: of the step that was begun, or 0. */
static bool write_files(const Durable *durable, const HistoryRecord *record, uint64_t number, GError **error)
{
	for (guint i = 0; i < record->files->len; i++) {
		const FileChange *file = g_ptr_array_index(record->files, i);

		if (durable_write(durable, file->path, file->after, file->access, error))
			continue;
		/*
		 * If this fails as well, the step stays begun, and the next writer tries again
		 * (history_recover()).
		 */
		if (history_roll_back(durable, record, NULL) && number)
			history_abandon(durable, number);
		return false;
	}
	return true;
}

static bool carry_out(Change *change, HistoryRecord *record, uint64_t *ret_number, GError **error)
{
	g_autoptr(GError) unfinished = NULL;
	const uint64_t number = begin(change, record);

	if (!write_files(&change->durable, record, number, error))
		return false;
	if (ret_number)
		*ret_number = number;
	/*
	 * All files have the new text. The next writer finds that, and gives the step its final
	 * name.
	 */
	if (number && !history_finish(&change->durable, number, &unfinished))
		change->warning = g_strdup(unfinished->message);
	return true;
}

bool change_apply(Change *change, const ChangeAuthor *author, uint64_t *ret_number, GError **error)
{
	g_autofree char *runtime = search_path_runtime(change->user_mode);
	g_autofree char *path = g_build_filename(runtime, POLICY_EDIT_LOCK_NAME, NULL);
	auto_fd int lock = durable_lock(&change->durable, path, LIMIT_POLICY_LOCK_US, error);
	g_autoptr(HistoryRecord) record = NULL;

	if (lock < 0 || (!change->user_mode && !history_recover(&change->durable, NULL, error)) ||
	    !change_refresh(change, error))
		return false;
	if (change_is_empty(change)) {
		if (ret_number)
			*ret_number = 0;
		return true;
	}
	record = record_of(change, author);
	return check(change, error) && carry_out(change, record, ret_number, error);
}
