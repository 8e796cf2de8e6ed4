/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Scratch: a temporary directory for one test. It uses only libc, for the tests of PID 1; tree.h
 * makes trees in it.
 */
#ifndef SVCD_TESTS_LIB_SCRATCH_H
#define SVCD_TESTS_LIB_SCRATCH_H

/* Returns: the path of a directory below $TMPDIR or /tmp; short, because it may contain sockets. */
char *scratch_new(void);

/* Removes @directory with its content. NULL: no effect. */
void scratch_free(char *directory);

#endif
