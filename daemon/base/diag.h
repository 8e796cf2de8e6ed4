/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Diagnostics: errors in files written by users.
 *
 * Each error is one line: FILE:LINE: the text that was read, and the expected text. Parsing
 * continues after an error. All errors are reported together, by the manager at load and by "svcctl
 * check" with the same messages.
 */
#ifndef SVCD_BASE_DIAG_H
#define SVCD_BASE_DIAG_H

#include <glib.h>
#include <stdbool.h>

#include "base/enum-names.h"

/* The place of a value. @file is interned and never freed. Line 0 means the file as a whole. */
typedef struct Origin {
	const char *file;
	unsigned line;
} Origin;

Origin origin_new(const char *file, unsigned line);

/**
 * origin_format() - "FILE:LINE", "FILE" if the line is 0, "built-in" if there is no file
 * Returns: a new string.
 */
char *origin_format(Origin origin);

#define DIAG_LEVELS(X, P) X(P, ERROR, "error") X(P, WARNING, "warning")
ENUM_WITH_NAMES(DiagLevel, DIAG, diag_level, DIAG_LEVELS)

typedef struct Diagnostic {
	DiagLevel level;
	Origin origin;
	char *service; /* the service concerned, or NULL */
	char *text; /* one sentence, without a line break */
} Diagnostic;

typedef struct DiagList DiagList;

DiagList *diag_list_new(void);
void diag_list_free(DiagList *list);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DiagList, diag_list_free)

/**
 * diag_error() - report an error that excludes the file or the service
 * @service: the service concerned, NULL if none (a policy file)
 */
void diag_error(DiagList *list, Origin origin, const char *service, const char *format, ...)
	G_GNUC_PRINTF(4, 5);

/**
 * diag_warning() - report something ignored or doubtful; nothing is excluded
 */
void diag_warning(DiagList *list, Origin origin, const char *service, const char *format, ...)
	G_GNUC_PRINTF(4, 5);

/* Adds "(@consequence)" to the first error of @file. */
void diag_list_explain(DiagList *list, const char *file, const char *consequence);

/* Appends copies of @others to @list, and sorts @list. */
void diag_list_append(DiagList *list, const DiagList *others);

/**
 * diag_list_sort() - sort by file, line and text, and remove duplicates
 *
 * Two instances of a template report the same errors, for example.
 */
void diag_list_sort(DiagList *list);

unsigned diag_list_length(const DiagList *list);
unsigned diag_list_count_errors(const DiagList *list);
const Diagnostic *diag_list_get(const DiagList *list, unsigned index);

/**
 * diag_format() - format for display; bytes that could affect a terminal are escaped
 * Returns: a new string without a line break.
 */
char *diag_format(const Diagnostic *diagnostic);

#endif
