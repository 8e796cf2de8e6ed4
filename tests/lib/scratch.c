/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Scratch: a directory made by mkdtemp(3).
 */
#include "config.h"

#include "tests/lib/scratch.h"

#include <check.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST_OPEN 16

char *scratch_new(void)
{
	const char *parent = getenv("TMPDIR");
	char *directory = NULL;

	ck_assert_int_gt(
		asprintf(&directory, "%s/svcd-XXXXXX", parent && *parent ? parent : "/tmp"), 0);
	ck_assert_ptr_nonnull(mkdtemp(directory));
	return directory;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *place)
{
	(void)st;
	(void)type;
	(void)place;
	(void)remove(path); /* leftovers are harmless in the temporary directory */
	return 0;
}

void scratch_free(char *directory)
{
	if (!directory)
		return;
	(void)nftw(directory, remove_one, MOST_OPEN, FTW_DEPTH | FTW_PHYS); /* leftovers are harmless */
	free(directory);
}
