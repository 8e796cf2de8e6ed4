/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Enums that users see: values, names and both look-ups from one list.
 *
 * 	#define COLOURS(X, P) X(P, RED, "red") X(P, GREEN, "green")
 * 	ENUM_WITH_NAMES(Colour, COLOUR, colour, COLOURS)
 *
 * defines COLOUR_RED, COLOUR_GREEN, COLOUR_COUNT, colour_name() and colour_from_name().
 */
#ifndef SVCD_BASE_ENUM_NAMES_H
#define SVCD_BASE_ENUM_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define ENUM_NAMES_VALUE(P, id, text) P##_##id,
#define ENUM_NAMES_TEXT(P, id, text) [P##_##id] = text,

#define ENUM_WITH_NAMES(Type, PREFIX, function, LIST)                                 \
	typedef enum Type { LIST(ENUM_NAMES_VALUE, PREFIX) PREFIX##_COUNT } Type;     \
	static inline const char *function##_name(Type value)                         \
	{                                                                             \
		static const char *const names[] = { LIST(ENUM_NAMES_TEXT, PREFIX) }; \
		return (size_t)value < PREFIX##_COUNT ? names[value] : "?";           \
	}                                                                             \
	static inline bool function##_from_name(const char *name, Type *ret)          \
	{                                                                             \
		for (int i = 0; i < (int)PREFIX##_COUNT; i++) {                       \
			if (strcmp(function##_name((Type)i), name) == 0) {            \
				*ret = (Type)i;                                       \
				return true;                                          \
			}                                                             \
		}                                                                     \
		return false;                                                         \
	}

#endif
