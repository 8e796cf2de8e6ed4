/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Import result: both files, and what became of each line of the units.
 */
#ifndef SVCD_IMPORT_UNIT_IMPORT_RESULT_H
#define SVCD_IMPORT_UNIT_IMPORT_RESULT_H

#include <glib.h>

#include "base/diag.h"

/*
 * same: the key exists with this meaning. translated: other settings have the same effect. implied:
 * svcd does so anyway, or does not need it. lost: there is no equivalent; the note explains the
 * consequence.
 */
#define IMPORT_VERDICTS(X, P) \
	X(P, SAME, "same")    \
	X(P, TRANSLATED, "translated") X(P, IMPLIED, "implied") X(P, LOST, "lost")
ENUM_WITH_NAMES(ImportVerdict, IMPORT, import_verdict, IMPORT_VERDICTS)

/* The result for one line of the unit. */
typedef struct ImportLine {
	Origin origin; /* line 0: a default of systemd, in no file */
	char *message; /* "KEY=VALUE" */
	ImportVerdict verdict;
	char *became; /* "KEY=VALUE" of the service or policy file, "" for none */
	char *note; /* a sentence, or "" */
} ImportLine;

typedef struct Import {
	char *name; /* of the service */
	char *service; /* text of NAME.svc */
	char *policy; /* text of NAME.policy */
	GPtrArray *lines; /* ImportLine *, in the order of the files */
	DiagList *diags; /* unreadable lines; after an error do not use the texts */
} Import;

void import_free(Import *import); /* import-unit.c */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Import, import_free)

#endif
