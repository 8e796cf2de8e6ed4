/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Change, the private part: the struct that change.c builds and writes, that preview.c evaluates,
 * and that history.c and import-sysv.c fill.
 */
#ifndef SVCD_POLICY_EDIT_CHANGE_H
#define SVCD_POLICY_EDIT_CHANGE_H

#include "policy-edit/atomic-file.h"
#include "policy-edit/policy-edit.h"

#define POLICY_EDIT_LOCK_NAME "policy.lock"
#define POLICY_EDIT_LOCK "/run/svcd/" POLICY_EDIT_LOCK_NAME

typedef enum OperationKind {
	OPERATION_SET,
	OPERATION_ADD, /* one more line of a key that was just set */
	OPERATION_REMOVE_SECTION,
	OPERATION_WRITE, /* a whole file, if it has the expected text */
	OPERATION_REMOVE_FILE,
} OperationKind;

typedef struct Operation {
	OperationKind kind;
	const char *path;
	const char *section; /* SET, ADD, REMOVE_SECTION */
	const char *key; /* SET, ADD */
	const char *value; /* SET, ADD; NULL removes the key */
	GBytes *text; /* WRITE; NULL removes */
	GBytes *expected; /* WRITE: the text that must be there before; NULL: no file */
	FileAccess access; /* WRITE: the access of a new file; mode 0: the default */
} Operation;

/* One file of a change; a text is NULL if there is no file. */
typedef struct FileChange {
	char *path;
	GBytes *before;
	GBytes *after;
	FileAccess access; /* of the existing file, or for the new file */
} FileChange;

struct Change {
	AtomicFiles atomic_files;
	bool until_reboot;
	bool user_mode; /* the files belong to the user's own svcd */
	char *top; /* the directory with the policy.d and services.d that are written */
	GPtrArray *operations; /* Operation * */
	GPtrArray *files; /* FileChange *: the result, based on the last read from disk */
	GHashTable *overlay; /* see change_set_overlay(); borrowed, or NULL */
	GHashTable *expected; /* names of services that need not have a file yet */
	uint64_t undoes; /* the number of the undone step, or 0 */
	char *warning;
};

void file_change_free(gpointer file);

/* Compares two texts; either may be NULL. */
bool text_is_equal(const GBytes *one, const GBytes *other);

/*
 * Replaces a whole file by @text, which may contain any bytes; NULL removes the file. @expected
 * must still be the contents of the file when it is written. A new file gets @if_new; NULL: the
 * default access.
 */
bool change_write(Change *change, const char *path, GBytes *text, GBytes *expected,
		  const FileAccess *if_new, GError **error);

/* policy.d/NAME of the layer that the change writes to, a new string. */
char *change_policy_path(const Change *change, const char *name);

/* The caller of the next two functions holds the lock. */

/**
 * history_add() - keep the old and new text of each file of @change, before the first is written
 *
 * Also drops the oldest steps beyond LIMIT_HISTORY_STEPS and LIMIT_HISTORY_BYTES.
 * Returns: the number of the step, 0 with @error.
 */
uint64_t history_add(const Change *change, const ChangeAuthor *author, GError **error);
/* Removes a step of which no file was written. */
void history_drop(const AtomicFiles *atomic_files, uint64_t number);

/* Accepts any bytes. Returns: a new step without a number; NULL with @error. */
HistoryStep *history_parse(const char *text, gsize length, GError **error);

#endif
