/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Change, the struct: shared by the files that build it (change.c), preview it (preview.c) and
 * write it (apply.c).
 */
#ifndef SVCD_CHANGE_FILES_H
#define SVCD_CHANGE_FILES_H

#include "policy-edit/history.h"

typedef enum OperationKind {
	OPERATION_SET,
	OPERATION_ADD, /* one more line of a key that was just set */
	OPERATION_REMOVE_SECTION,
	OPERATION_REMOVE_FILE,
	OPERATION_WRITE,
} OperationKind;

typedef struct Operation {
	OperationKind kind;
	char *path;
	char *section; /* SET, REMOVE_SECTION */
	char *key;     /* SET */
	char *value;   /* SET; NULL removes the key */
	GBytes *text;     /* WRITE; NULL removes */
	GBytes *expected; /* WRITE: the text that must be there before; NULL: no file */
	FileAccess access; /* WRITE: the access of a new file; mode 0: the default */
} Operation;

struct Change {
	Durable durable;
	bool until_reboot;
	bool user_mode;        /* the files are the user's */
	char *top;             /* the directory with the policy.d and services.d that are written */
	GPtrArray *operations; /* Operation * */
	GPtrArray *files;      /* FileChange *: the result, based on the last read from disk */
	GHashTable *overlay;   /* see change_set_overlay(); borrowed, or NULL */
	GHashTable *expected;  /* names of services that need not have a file yet */
	uint64_t undoes;       /* a step, or 0 */
	char *warning;
};

/* Reads the files again and repeats all operations on the present contents. */
bool change_refresh(Change *change, GError **error);

#endif
