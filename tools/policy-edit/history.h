/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * History: what was changed, one file a step: /var/lib/svcd/policy-history/000001.step, with both texts of every file.
 *
 * A step is written as NNNNNN.begun before the files and gets its last name after them. So whoever finds a .begun knows
 * that its writer ended in between, and has both texts of every file at hand.
 *
 * Files may hold secrets (Environment=), so may what they once were: the directory and the steps are for root alone.
 *
 * The text of a step: a line that tells the version, then records "WORD NUMBER", of which some are followed by so many
 * bytes and a newline; "end" shows that nothing is missing.
 */
#ifndef SVCD_HISTORY_H
#define SVCD_HISTORY_H

#include "policy-edit/durable.h"
#include "policy-edit/policy-edit.h"

/* One file of a step; NULL stands for no such file. */
typedef struct FileChange {
	char *path;
	GBytes *before;
	GBytes *after;
	FileAccess access; /* of the file that was there; of one that is new: what it gets */
} FileChange;

FileChange *file_change_new(const char *path, GBytes *before, GBytes *after, FileAccess access);
void file_change_free(FileChange *change);
bool file_change_is_empty(const FileChange *change);
/* Two texts, of which either may be NULL. */
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

/* A step's text and back; parsing takes any bytes, and returns NULL with @error if they are no step. */
GBytes *history_record_format(const HistoryRecord *record);
HistoryRecord *history_record_parse(const char *bytes, gsize length, GError **error);

/* All that follow: the caller holds the lock. */

/**
 * history_begin() - write down what is about to be done, under the next number
 * Returns: the number, 0 with @error.
 */
uint64_t history_begin(const Durable *durable, HistoryRecord *record, GError **error);
/* It is done. Also drops the oldest steps beyond LIMIT_HISTORY_STEPS and LIMIT_HISTORY_BYTES. */
bool history_finish(const Durable *durable, uint64_t number, GError **error);
/* It was not done, and everything is as before. */
void history_abandon(const Durable *durable, uint64_t number);

/* Puts back what was there before, in every file that has the new text. */
bool history_roll_back(const Durable *durable, const HistoryRecord *record, GError **error);

/**
 * history_recover() - end what a writer began who was stopped in between
 *
 * If all files have the new text, only the last name was missing: it is done. Otherwise all get back the old text and not
 * the new, for nobody was told that it was done. If one of them has neither, somebody has been there since and all
 * are left as they are.
 * @ended: gets a sentence for each step, a new string; or NULL
 */
bool history_recover(const Durable *durable, GPtrArray *ended, GError **error);

/* Reads step @number, whole. */
HistoryRecord *history_read(const Durable *durable, uint64_t number, GError **error);
/* The numbers of all steps that were done, ascending; uint64_t. */
GArray *history_numbers(const Durable *durable, GError **error);

#endif
