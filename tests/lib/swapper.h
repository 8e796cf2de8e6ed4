/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Swapper: a process of a user that owns a directory. It exchanges a directory in it with a
 * symbolic link to root's files, again and again. A root process that uses a path through that
 * directory must never follow the link.
 */
#ifndef SVCD_TESTS_LIB_SWAPPER_H
#define SVCD_TESTS_LIB_SWAPPER_H

#include <glib.h>

#include "tests/lib/tree.h"

/* The swapper's user. */
#define SWAPPER_UID 33

typedef struct Swapper Swapper;

/**
 * swapper_new() - make the user's /own/real and root's /victim in @tree, and start the swapper
 *
 * Both directories have a file "text", with "mine" or "secret", and a file "env", with "X=" and the
 * same text. /victim also has "fifo", and "socket" without a listener.
 */
Swapper *swapper_new(const Tree *tree);

/* A path below /own/real; a new string. */
char *swapper_path(const Swapper *swapper, const char *name);

/*
 * Ends the swapper. Fails the test unless /victim is unchanged, and at least one exchange happened.
 */
void swapper_end(Swapper *swapper);

#endif
