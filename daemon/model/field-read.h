/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fields: readers of the kinds of values that occur in several sections, and helpers for the
 * readers of one section. The rows in service-keys.c name the readers.
 */
#ifndef SVCD_MODEL_FIELD_READ_H
#define SVCD_MODEL_FIELD_READ_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "model/service-def.h"
#include "model/value.h"

/*
 * Writes @field, which is in @def, and returns NULL. On failure returns one sentence with the valid
 * values, a new string.
 */
typedef char *KeyReader(ServiceDef *def, void *field, const char *value, Origin origin);
/* Like KeyReader, for keys that share a reader. @number identifies the key. */
typedef char *NumberedKeyReader(void *field, int number, const char *value);

KeyReader field_read_text;
KeyReader field_read_bool;
KeyReader field_read_path; /* absolute */
KeyReader field_read_duration;
KeyReader field_read_time_limit; /* a duration above 0 */
KeyReader field_read_signal;
KeyReader field_read_account; /* of a user or a group: its name or its number */
KeyReader field_read_directory_mode;

/* Makes the KeyReader @name for an enum made by ENUM_WITH_NAMES. */
#define FIELD_ENUM_READER(name, Type, function, COUNT)                             \
	VALUE_ENUM_READER(name##_token, Type, function, COUNT)                     \
	char *name(ServiceDef *def, void *field, const char *value, Origin origin) \
	{                                                                          \
		return name##_token(field, value);                                 \
	}

/* --- for readers; functions that return a string work like KeyReader --- */

void field_replace(char **field, const char *value);

/* Appends each token of @value that @check accepts to @list, a list of base/list.h. */
char *field_read_tokens(GPtrArray **list, const char *value, char *(*check)(const char *token));

/* "STARTS/TIME" */
char *field_read_starts_per_time(const char *value, unsigned *ret_starts, int64_t *ret_us);

/* Can @name be the name of an account? */
char *field_check_account(const char *name);

/* Octal, up to 07777. */
bool field_parse_mode(const char *value, unsigned *ret);

#endif
