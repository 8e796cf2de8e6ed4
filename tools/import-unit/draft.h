/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Draft: the service file in progress, and the functions that the files of this folder share.
 */
#ifndef SVCD_IMPORT_UNIT_DRAFT_H
#define SVCD_IMPORT_UNIT_DRAFT_H

#include <glib.h>
#include <stdbool.h>

#include "import-unit/import-result.h"
#include "import-unit/unit-file.h"

typedef struct Draft {
	Import *import;
	const GPtrArray *unit; /* UnitLine *: all settings of the unit */
	bool is_template; /* "%" is special in its values */
	bool wants_commands; /* it is a service, not a target */
	GPtrArray *settings; /* the settings of the service file */
	GPtrArray *runlevels; /* char *: the runlevels of its policy */
	GPtrArray *remarks; /* char *: comment lines above the service file */
	bool is_wanted; /* [Install] refers to a stage of the boot */
} Draft;

/* Translates one setting of the unit. */
typedef void (*ImportRule)(Draft *draft, const UnitLine *line);

/* A key of systemd. Each section has a table, terminated by a row without a key. */
typedef struct ImportRow {
	const char *key;
	ImportRule rule; /* NULL: the result is always the same */
	ImportVerdict verdict; /* the result in that case: implied or lost */
	const char *note;
} ImportRow;

extern const ImportRow import_rows_unit[];
extern const ImportRow import_rows_machine[]; /* of [Unit] and [Service] */
extern const ImportRow import_rows_service[];
extern const ImportRow import_rows_execution[]; /* of [Service] and [Socket] */
extern const ImportRow import_rows_socket[];
extern const ImportRow import_rows_install[];

void draft_init(Draft *draft, Import *import, const GPtrArray *unit);
void draft_clear(Draft *draft);

/* The texts of both files, new strings. */
char *draft_write_service(Draft *draft);
char *draft_write_policy(const Draft *draft);

/* Adds one setting to the service file. */
void draft_set(Draft *draft, const char *section, const char *key, const char *value);
bool draft_has(const Draft *draft, const char *section, const char *key);

/* Records the result for @line; @became may be NULL. @note: a sentence, or NULL. */
void draft_report(Draft *draft, const UnitLine *line, ImportVerdict verdict, const char *became,
		  const char *note);

/* Adds the setting, and records that the line was translated. */
void draft_translate(Draft *draft, const UnitLine *line, const char *section, const char *key,
		     const char *value, const char *note);

void draft_lose(Draft *draft, const UnitLine *line, const char *note);
void draft_imply(Draft *draft, const UnitLine *line, const char *note);

/*
 * For keys with the same meaning here. The line is lost if this svcd lacks the key or refuses the
 * value.
 */
void import_same(Draft *draft, const UnitLine *line);
/* For keys that have another name or value here. */
void import_as(Draft *draft, const UnitLine *line, const char *key, const char *value);

#endif
