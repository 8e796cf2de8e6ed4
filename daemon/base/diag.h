/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Diagnostics: what is wrong in a file that a person wrote.
 *
 * One problem is one line: FILE:LINE: what was read and what would be right. Parsing goes on after one;
 * all are reported together, by the manager at load and by "svcctl check" in the same words.
 */
#ifndef SVCD_BASE_DIAG_H
#define SVCD_BASE_DIAG_H

#include <glib.h>
#include <stdbool.h>

#include "base/enum-names.h"

/* Where a value came from. @file is interned and lives for ever; line 0 means the file as a whole. */
typedef struct Origin {
	const char *file;
	unsigned line;
} Origin;

Origin origin_new(const char *file, unsigned line);

/**
 * origin_format() - "FILE:LINE", "FILE" when the line is 0, "built-in" when there is no file
 * Returns: a new string.
 */
char *origin_format(Origin origin);

#define DIAG_LEVELS(X, P) X(P, ERROR, "error") X(P, WARNING, "warning")
ENUM_WITH_NAMES(DiagLevel, DIAG, diag_level, DIAG_LEVELS)

typedef struct Diagnostic {
	DiagLevel level;
	Origin origin;
	char *service; /* the service it is about, or NULL */
	char *text;    /* one sentence, no line break */
} Diagnostic;

typedef struct DiagList DiagList;

DiagList *diag_list_new(void);
void diag_list_free(DiagList *list);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DiagList, diag_list_free)

/**
 * diag_error() - this file (or this service) is left out because of it
 * @service: the service concerned, NULL if none (a policy file)
 */
void diag_error(DiagList *list, Origin origin, const char *service, const char *format, ...) G_GNUC_PRINTF(4, 5);

/**
 * diag_warning() - something was ignored or is doubtful; nothing is left out
 */
void diag_warning(DiagList *list, Origin origin, const char *service, const char *format, ...) G_GNUC_PRINTF(4, 5);

/* Copies of all of @others, behind those of @list; then sorts. */
void diag_list_append(DiagList *list, const DiagList *others);

/**
 * diag_list_sort() - by file, line and text; what was said twice (of two instances of a template, say) is kept once
 */
void diag_list_sort(DiagList *list);

unsigned diag_list_length(const DiagList *list);
unsigned diag_list_count_errors(const DiagList *list);
const Diagnostic *diag_list_get(const DiagList *list, unsigned index);

/**
 * diag_format() - the line that people see; bytes that could upset a terminal are escaped
 * Returns: a new string without a line break.
 */
char *diag_format(const Diagnostic *diagnostic);

#endif
