/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Change, the struct: shared by what builds it (change.c), looks ahead (preview.c) and carries it out (apply.c).
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
	char *value;   /* SET; NULL takes the key out */
	GBytes *text;     /* WRITE; NULL removes */
	GBytes *expected; /* WRITE: what must be there before; NULL: nothing */
	FileAccess access; /* WRITE: what a file gets that is not there; mode 0: as others do */
} Operation;

struct Change {
	Durable durable;
	bool until_reboot;
	bool user_mode;        /* the files are the user's */
	char *top;             /* where policy.d and services.d are that are written */
	GPtrArray *operations; /* Operation * */
	GPtrArray *files;      /* FileChange *: what they come to, from what was on disk when last read */
	GHashTable *overlay;   /* see change_set_overlay(); borrowed, or NULL */
	GHashTable *expected;  /* names of services that need have no file yet */
	uint64_t undoes;       /* a step, or 0 */
	char *warning;
};

/* Reads the files again and does all operations on what is there now. */
bool change_refresh(Change *change, GError **error);

#endif
