/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Problem: sentences in a buffer.
 */
#include "config.h"

#include "sandbox/problem.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tokens/tokens.h"

int problem_set(struct Problem *problem, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	/* cut off if it is too long */
	(void)vsnprintf(problem->text, sizeof(problem->text), format, args);
	va_end(args);
	return EINVAL;
}

/* The number of bytes of @text to show: limited, and without a partial character. */
static int shown_bytes(const char *text)
{
	int n = (int)strnlen(text, 81);

	if (n <= 80)
		return n;
	for (n = 80; n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80; n--)
		;
	return n;
}

int problem_none_of(struct Problem *problem, const char *value, const char *const *names)
{
	const int shown = shown_bytes(value);
	char list[PROBLEM_TEXT] = "";

	for (size_t length = 0; *names && length < sizeof(list); names++)
		length += (size_t)snprintf(list + length, sizeof(list) - length, "%s%s",
					   length == 0 ? "" : ", ", *names);
	return problem_set(problem, "\"%.*s%s\" is not one of %s", shown, value,
			   value[shown] ? "..." : "", list);
}

int problem_unknown(struct Problem *problem, const char *kind, const char *name,
		    const char *const *names)
{
	const char *nearest = token_nearest(name, names);

	return nearest ?
		       problem_set(problem, "no %s \"%s\"; did you mean %s?", kind, name, nearest) :
		       problem_set(problem, "no %s \"%s\"", kind, name);
}
