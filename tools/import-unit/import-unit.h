/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Import: converts a systemd unit to a service file and a policy, with the result for each line.
 *
 * Logic and policy are separate, as everywhere in svcd: [Install] becomes a policy that the admin
 * may accept or not.
 */
#ifndef SVCD_IMPORT_UNIT_IMPORT_UNIT_H
#define SVCD_IMPORT_UNIT_IMPORT_UNIT_H

#include <glib.h>
#include <stdbool.h>

#include "base/diag.h"

/*
 * same: the key exists with this meaning. translated: other settings have the same effect. implied:
 * svcd does so anyway, or does not need it. lost: there is no equivalent; the note explains the
 * consequence.
 */
#define IMPORT_VERDICTS(X, P) \
	X(P, SAME, "same") X(P, TRANSLATED, "translated") X(P, IMPLIED, "implied") X(P, LOST, "lost")
ENUM_WITH_NAMES(ImportVerdict, IMPORT, import_verdict, IMPORT_VERDICTS)

/* The result for one line of the unit. */
typedef struct ImportLine {
	Origin origin;    /* line 0: a default of systemd, in no file */
	char *said;       /* "KEY=VALUE" */
	ImportVerdict verdict;
	char *became;     /* "KEY=VALUE" of the service or policy file, "" for none */
	char *note;       /* a sentence, or "" */
} ImportLine;

typedef struct Import {
	char *name;         /* of the service */
	char *service;      /* text of NAME.svc */
	char *policy;       /* text of NAME.policy */
	GPtrArray *lines;   /* ImportLine *, in the order of the files */
	DiagList *diags;    /* unreadable lines; with an error there is no text */
} Import;

/* One file that describes the service: NAME.service, NAME.socket, their drop-ins. */
typedef struct UnitText {
	const char *file; /* as it is shown; its last part is the unit's name */
	const char *text;
	gsize length;
} UnitText;

/**
 * import_unit() - the units of one service as one service file
 * @texts: the first one determines the name of the service
 * Returns: always an Import, owned; a socket and its service become one file.
 */
Import *import_unit(const UnitText *texts, unsigned n_texts);
void import_free(Import *import);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Import, import_free)

#endif
