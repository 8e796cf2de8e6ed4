/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * History: the changes, one file per step: /var/lib/svcd/policy-history/000001.step, with both
 * texts of every file.
 *
 * A step is written as NNNNNN.begun before the files, and gets its final name after them. So a
 * .begun shows that its writer was interrupted, and contains both texts of every file.
 *
 * Files may contain secrets (Environment=), and so may their earlier texts. The directory and the
 * steps are therefore for root alone.
 *
 * The text of a step: a line with the version, then records "KEY NUMBER", some of them followed by
 * so many bytes and a newline. "end" marks the end of a complete step.
 */
#ifndef SVCD_HISTORY_H
#define SVCD_HISTORY_H

#include "policy-edit/durable.h"
#include "policy-edit/policy-edit.h"

/* One file of a step; a NULL text stands for no such file. */
typedef struct FileChange {
	char *path;
	GBytes *before;
	GBytes *after;
	FileAccess access; /* of the existing file; of a new file: its access */
} FileChange;

FileChange *file_change_new(const char *path, GBytes *before, GBytes *after, FileAccess access);
void file_change_free(FileChange *change);
bool file_change_is_empty(const FileChange *change);
/* Compares two texts; either may be NULL. */
bool text_is_equal(const GBytes *one, const GBytes *other);

typedef struct HistoryRecord {
	uint64_t number; /* of the file it was read from; 0: none yet */
	int64_t at_us;
	uid_t uid;
	char *command;
	uint64_t undoes;
	GPtrArray *files; /* FileChange * */
} HistoryRecord;

HistoryRecord *history_record_new(void);
void history_record_free(HistoryRecord *record);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(HistoryRecord, history_record_free)

/*
 * Formats and parses a step. Parsing accepts any bytes, and returns NULL with @error if they are
 * not a step.
 */
GBytes *history_record_format(const HistoryRecord *record);
HistoryRecord *history_record_parse(const char *bytes, gsize length, GError **error);

/* For all following functions the caller holds the lock. */

/**
 * history_begin() - record a change before it is made, under the next number
 * Returns: the number, 0 with @error.
 */
uint64_t history_begin(const Durable *durable, HistoryRecord *record, GError **error);
/*
 * Marks the step as done. Also drops the oldest steps beyond LIMIT_HISTORY_STEPS and
 * LIMIT_HISTORY_BYTES.
 */
bool history_finish(const Durable *durable, uint64_t number, GError **error);
/* Drops a step that was not done; all files are as before. */
void history_abandon(const Durable *durable, uint64_t number);

/* Restores the old text in every file that has the new text. */
bool history_roll_back(const Durable *durable, const HistoryRecord *record, GError **error);

/**
 * history_recover() - finish or roll back the steps of interrupted writers
 *
 * If all files have the new text, only the final name was missing, and the step is done. Otherwise
 * the files get back the old text, because the step was never reported as done. If a file has
 * neither text, it was changed since, and all files stay as they are.
 * @ended: gets a sentence for each step, a new string; or NULL
 */
bool history_recover(const Durable *durable, GPtrArray *ended, GError **error);

/* Reads step @number completely. */
HistoryRecord *history_read(const Durable *durable, uint64_t number, GError **error);
/* The numbers of all finished steps, ascending; uint64_t. */
GArray *history_numbers(const Durable *durable, GError **error);

#endif
