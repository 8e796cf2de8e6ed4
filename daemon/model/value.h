/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Values: what service and policy files have in common below the level of a line.
 *
 * Each reader writes its result on success and returns NULL; on failure it returns one sentence, a new string.
 */
#ifndef SVCD_MODEL_VALUE_H
#define SVCD_MODEL_VALUE_H

#include <glib.h>

#include "base/diag.h"

/* A message may quote what was read, but not 8 KiB of it. A new string, "..." where something is left out. */
char *value_shorten(const char *value, size_t max_bytes);

/**
 * value_complaint() - "KEY=VALUE: problem", both parts of a length that can be read
 * Returns: a new string.
 */
char *value_complaint(const char *key, const char *value, const char *problem);

/* A message for a word that is none of @count words. */
char *value_none_of(const char *value, const char *const *words, unsigned count);

/* Gives a reader "char *NAME(TYPE *field, const char *value)" for an enum made by ENUM_WITH_NAMES. */
#define VALUE_ENUM_READER(name, Type, function, COUNT)                                             \
	static char *name(Type *field, const char *value)                                          \
	{                                                                                          \
		const char *words[COUNT];                                                          \
		if (function##_from_name(value, field))                                            \
			return NULL;                                                               \
		for (int i = 0; i < (int)COUNT; i++)                                               \
			words[i] = function##_name((Type)i);                                       \
		return value_none_of(value, words, COUNT);                                         \
	}

/* May a list of base/list.h have one entry more? */
char *value_check_room(const GPtrArray *list);

/* Appends a Term to @terms, a list of base/list.h. */
char *value_read_term(GPtrArray **terms, const char *value, Origin origin);

/*
 * Appends a NameRef for each word to @refs, a list of base/list.h.
 * @check: for each word; takes the word and, if not NULL, returns a problem as above
 */
typedef char *(*ValueNameCheck)(const char *word);
char *value_read_names(GPtrArray **refs, const char *value, Origin origin, ValueNameCheck check);

/* Checks for value_read_names(): a service; a service or a $facility. */
char *value_check_service(const char *word);
char *value_check_service_or_facility(const char *word);
/* A well-known name on a bus. */
char *value_check_bus(const char *word);

#endif
