/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Path test: the requirements of a path: condition on the file at its path, and the possible
 * findings.
 */
#ifndef SVCD_PROVIDERS_PATH_TEST_H
#define SVCD_PROVIDERS_PATH_TEST_H

#include <stdbool.h>
#include <sys/stat.h>

#include "model/key.h"

typedef enum PathTest { TEST_EXISTS, TEST_EXECUTABLE, TEST_DIRECTORY, TEST_NONEMPTY } PathTest;

typedef enum PathVerdict {
	VERDICT_TRUE,
	VERDICT_MISSING,
	VERDICT_NO_FILE,
	VERDICT_NO_PROGRAM,
	VERDICT_NO_DIRECTORY,
	VERDICT_EMPTY,
	VERDICT_CUT, /* a truncated program */
	VERDICT_MAZE, /* too many links or names on the way */
	VERDICT_OPEN, /* the program is being written: neither true nor false */
	VERDICT_READ_ERROR, /* a temporary error: neither true nor false */
	VERDICT_COUNT,
} PathVerdict;

/* @argument: of a key, "exec:/bin/sh". Returns: the test, and the path in @argument. */
PathTest path_test_of(const char *argument, const char **ret_path);

Level path_verdict_level(PathVerdict verdict);

/* "it does not exist" */
const char *path_verdict_text(PathVerdict verdict);

/*
 * @st: the stat of @path, which is not a link. Opens a directory that must have an entry, and a
 * program that was changed recently.
 */
PathVerdict path_test_file(PathTest test, const char *path, const struct stat *st);

#endif
