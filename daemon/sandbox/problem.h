/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Problem: a sentence about an invalid value, with the valid values. */
#ifndef SVCD_SANDBOX_PROBLEM_H
#define SVCD_SANDBOX_PROBLEM_H

/* A longer text is cut off. svcctl shows less of a sentence. */
#define PROBLEM_TEXT 512

struct Problem {
	char text[PROBLEM_TEXT];
};

/* All return EINVAL. @names ends with NULL. */
int problem_set(struct Problem *problem, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* "VALUE" is not one of NAMES. */
int problem_none_of(struct Problem *problem, const char *value, const char *const *names);
/* no KIND "NAME"; did you mean NEAREST? */
int problem_unknown(struct Problem *problem, const char *kind, const char *name,
		    const char *const *names);

#endif
