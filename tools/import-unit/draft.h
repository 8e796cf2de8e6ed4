/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Draft: the service file while it is being written, and what the files of this folder share.
 */
#ifndef SVCD_IMPORT_UNIT_DRAFT_H
#define SVCD_IMPORT_UNIT_DRAFT_H

#include <glib.h>
#include <stdbool.h>

#include "import-unit/import-unit.h"
#include "import-unit/unit-file.h"

typedef struct Draft {
	Import *import;
	const GPtrArray *unit; /* UnitLine *, all of them */
	bool is_template;      /* "%" is special in what is written */
	bool wants_commands;   /* it is a service, not a target */
	GPtrArray *settings;   /* what will be in the service file */
	GPtrArray *runlevels;  /* char *: of its policy */
	GPtrArray *remarks;    /* char *: comment lines above the service file */
	bool is_wanted;        /* [Install] names a moment of the boot */
} Draft;

/* What is done with one setting of the unit. */
typedef void (*ImportRule)(Draft *draft, const UnitLine *line);

/* A key of systemd's. Each section has a table, NULL-terminated by a row without a key. */
typedef struct ImportRow {
	const char *key;
	ImportRule rule;       /* NULL: what becomes of it is always the same */
	ImportVerdict verdict; /* then: implied or lost */
	const char *note;
} ImportRow;

extern const ImportRow import_rows_unit[];
extern const ImportRow import_rows_machine[];   /* of [Unit] and [Service] */
extern const ImportRow import_rows_service[];
extern const ImportRow import_rows_execution[]; /* of [Service] and [Socket] */
extern const ImportRow import_rows_socket[];
extern const ImportRow import_rows_install[];

void draft_init(Draft *draft, Import *import, const GPtrArray *unit);
void draft_clear(Draft *draft);

/* The texts of both files, new strings. */
char *draft_write_service(Draft *draft);
char *draft_write_policy(const Draft *draft);

/* One more setting of the service file. */
void draft_set(Draft *draft, const char *section, const char *key, const char *value);
bool draft_has(const Draft *draft, const char *section, const char *key);

/* What became of @line; @became may be NULL. @note: a sentence, or NULL. */
void draft_tell(Draft *draft, const UnitLine *line, ImportVerdict verdict, const char *became, const char *note);

/* Both: sets it, and tells that it was translated. */
void draft_translate(Draft *draft, const UnitLine *line, const char *section, const char *key, const char *value,
		     const char *note);

void draft_lose(Draft *draft, const UnitLine *line, const char *note);
void draft_imply(Draft *draft, const UnitLine *line, const char *note);

/* For keys that mean the same here: lost when this svcd has no such key, or does not take the value. */
void import_same(Draft *draft, const UnitLine *line);
/* The same by another name, or with another value. */
void import_as(Draft *draft, const UnitLine *line, const char *key, const char *value);

#endif
