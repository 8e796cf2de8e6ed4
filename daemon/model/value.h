/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Values: the syntax that service and policy files share below the level of a line.
 *
 * A reader writes its result on success and returns NULL. On failure it returns one sentence, a new
 * string.
 */
#ifndef SVCD_MODEL_VALUE_H
#define SVCD_MODEL_VALUE_H

#include <glib.h>

#include "base/diag.h"

/* For messages, which should not quote 8 KiB. A new string, with "..." for omitted text. */
char *value_shorten(const char *value, size_t max_bytes);

/**
 * value_complaint() - format "KEY=VALUE: problem", with both parts shortened
 * Returns: a new string.
 */
char *value_complaint(const char *key, const char *value, const char *problem);

/* The message for a value that is not one of the @count names. */
char *value_none_of(const char *value, const char *const *tokens, unsigned count);

/*
 * Defines a reader "char *NAME(TYPE *field, const char *value)" for an enum made by
 * ENUM_WITH_NAMES.
 */
#define VALUE_ENUM_READER(name, Type, function, COUNT)        \
	static char *name(Type *field, const char *value)     \
	{                                                     \
		const char *tokens[COUNT];                    \
		if (function##_from_name(value, field))       \
			return NULL;                          \
		for (int i = 0; i < (int)COUNT; i++)          \
			tokens[i] = function##_name((Type)i); \
		return value_none_of(value, tokens, COUNT);   \
	}

/* Can a list of base/list.h take another entry? */
char *value_check_size(const GPtrArray *list);

/* Appends a Term to @terms, a list of base/list.h. @service: as in term_parse() */
char *value_read_term(GPtrArray **terms, const char *value, const char *service, Origin origin);

/*
 * Appends a NameRef for each token to @refs, a list of base/list.h.
 * @check: called for each token; returns NULL, or the problem as one sentence, a new string
 */
typedef char *(*ValueNameCheck)(const char *token);
char *value_read_names(GPtrArray **refs, const char *value, Origin origin, ValueNameCheck check);

/* Checks for value_read_names(): a service; a service or a $facility. */
char *value_check_service(const char *token);
char *value_check_service_or_facility(const char *token);
/* A well-known bus name. */
char *value_check_bus(const char *token);

#endif
