/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Path test: what a path: condition asks of what is there, and what can be said to that.
 */
#ifndef SVCD_PROVIDERS_PATH_TEST_H
#define SVCD_PROVIDERS_PATH_TEST_H

#include <stdbool.h>
#include <sys/stat.h>

typedef enum PathTest { TEST_EXISTS, TEST_EXECUTABLE, TEST_DIRECTORY, TEST_NONEMPTY } PathTest;

/* Numbers that svc-look writes. */
typedef enum PathVerdict {
	VERDICT_HOLDS,
	VERDICT_MISSING,
	VERDICT_NO_FILE,
	VERDICT_NO_PROGRAM,
	VERDICT_NO_DIRECTORY,
	VERDICT_EMPTY,
	VERDICT_MISREAD, /* nobody can say */
	VERDICT_COUNT,
} PathVerdict;

/* @argument: of a key, "exec:/bin/sh". Returns: the test, and the path in @argument. */
PathTest path_test_of(const char *argument, const char **ret_path);

/* "it does not exist" */
const char *path_verdict_text(PathVerdict verdict);

/* @st: of @place, which is no link. Opens a directory that is to have an entry. */
PathVerdict path_test_place(PathTest test, const char *place, const struct stat *st);

/* Follows links, and waits for as long as that takes. */
PathVerdict path_test_look(PathTest test, const char *path);

#endif
