/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Scratch: a temporary directory for one test. Of libc only, for the tests of PID 1; tree.h makes trees in it.
 */
#ifndef SVCD_TESTS_LIB_SCRATCH_H
#define SVCD_TESTS_LIB_SCRATCH_H

/* Returns: the path of a directory, below $TMPDIR or /tmp; a short one, as there may be sockets in it. */
char *scratch_new(void);

/* Removes it with everything in it. NULL is nothing. */
void scratch_free(char *directory);

#endif
