/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Swapper: somebody who owns a directory, and for ever exchanges another one in it with a symbolic link that leads to what only
 * root can reach. Whoever is root and uses a path through it must never be led there.
 */
#ifndef SVCD_TESTS_LIB_SWAPPER_H
#define SVCD_TESTS_LIB_SWAPPER_H

#include <glib.h>

#include "tests/lib/tree.h"

/* The user that it runs as. */
#define SWAPPER_UID 33

typedef struct Swapper Swapper;

/**
 * swapper_new() - makes /own/real, which is the user's, and /victim, which is root's, in @tree, and begins
 *
 * In both there are the files "text", with "mine" or "secret", and "env", with "X=" and the same word; in /victim a fifo and a
 * socket that nobody listens on, "fifo" and "socket", besides.
 */
Swapper *swapper_new(const Tree *tree);

/* A path below /own/real; a new string. */
char *swapper_path(const Swapper *swapper, const char *name);

/* Ends it, and fails the test unless all in /victim is as it was, and something was exchanged at all. */
void swapper_end(Swapper *swapper);

#endif
