/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Path test: checks the file that the path walker has found.
 */
#include "config.h"

#include "providers/path-test.h"

#include <dirent.h>
#include <errno.h>
#include <glib.h>
#include <string.h>

#include "base/errors.h"
#include "providers/program-file.h"

PathTest path_test_of(const char *argument, const char **ret_path)
{
	static const struct {
		const char *token;
		PathTest test;
	} tests[] = { { "exec:", TEST_EXECUTABLE },
		      { "dir:", TEST_DIRECTORY },
		      { "nonempty:", TEST_NONEMPTY } };

	for (gsize i = 0; i < G_N_ELEMENTS(tests); i++) {
		if (!g_str_has_prefix(argument, tests[i].token))
			continue;
		*ret_path = argument + strlen(tests[i].token);
		return tests[i].test;
	}
	*ret_path = argument;
	return TEST_EXISTS;
}

Level path_verdict_level(PathVerdict verdict)
{
	if (verdict == VERDICT_READ_ERROR || verdict == VERDICT_OPEN)
		return LEVEL_UNKNOWN;
	return verdict == VERDICT_TRUE ? LEVEL_TRUE : LEVEL_FALSE;
}

const char *path_verdict_text(PathVerdict verdict)
{
	static const char *const texts[VERDICT_COUNT] = {
		[VERDICT_TRUE] = "it is there",
		[VERDICT_MISSING] = "it does not exist",
		[VERDICT_NO_FILE] = "it is not a regular file",
		[VERDICT_NO_PROGRAM] = "it is not executable",
		[VERDICT_NO_DIRECTORY] = "it is not a directory",
		[VERDICT_EMPTY] = "it is empty",
		[VERDICT_CUT] = "it is not complete",
		[VERDICT_MAZE] = "there are too many links or directories on the way to it",
		[VERDICT_OPEN] = "it is being written",
		[VERDICT_READ_ERROR] = "it cannot be checked at the moment",
	};

	return texts[verdict];
}

/* Without memory or descriptors the result is unknown. */
static PathVerdict look_for_entry(const char *path)
{
	DIR *directory = opendir(path);
	bool found = false;
	struct dirent *entry;

	if (!directory)
		return errnum_is_passing(errno) ? VERDICT_READ_ERROR : VERDICT_EMPTY;
	while (!found && (entry = readdir(directory)))
		found = strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
	(void)closedir(directory);
	return found ? VERDICT_TRUE : VERDICT_EMPTY;
}

static PathVerdict look_at_program(const char *path, const struct stat *st)
{
	static const PathVerdict verdicts[] = { [PROGRAM_COMPLETE] = VERDICT_TRUE,
						[PROGRAM_EMPTY] = VERDICT_EMPTY,
						[PROGRAM_OPEN] = VERDICT_OPEN,
						[PROGRAM_CUT] = VERDICT_CUT };

	if (!S_ISREG(st->st_mode))
		return VERDICT_NO_FILE;
	return st->st_mode & 0111 ? verdicts[program_file_state(path, st)] : VERDICT_NO_PROGRAM;
}

PathVerdict path_test_file(PathTest test, const char *path, const struct stat *st)
{
	switch (test) {
	case TEST_EXISTS:
		return VERDICT_TRUE;
	case TEST_EXECUTABLE:
		return look_at_program(path, st);
	case TEST_DIRECTORY:
		return S_ISDIR(st->st_mode) ? VERDICT_TRUE : VERDICT_NO_DIRECTORY;
	case TEST_NONEMPTY:
		if (!S_ISDIR(st->st_mode))
			return st->st_size > 0 ? VERDICT_TRUE : VERDICT_EMPTY;
		return look_for_entry(path);
	}
	return VERDICT_MISSING;
}
