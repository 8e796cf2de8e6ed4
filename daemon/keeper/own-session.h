/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Own session: what "svcd --user" asks before it begins. One keeper a user, which ends with whoever started it.
 */
#ifndef SVCD_KEEPER_OWN_SESSION_H
#define SVCD_KEEPER_OWN_SESSION_H

#include <stdbool.h>

/* What own_session_begin() returns when there is nothing to exit with. */
#define OWN_SESSION_BEGINS (-1)

/**
 * own_session_begin() - become the one keeper of this user
 * @waits: for another one to end, instead of leaving it to that one
 *
 * Asks for TERM when the parent dies, makes $XDG_RUNTIME_DIR/svcd and locks "lock" there. The lock is held by a descriptor
 * that nobody closes: it stays over execve(2), and goes with the process, however that ends.
 * Returns: OWN_SESSION_BEGINS, or the status to exit with, when why was said.
 */
int own_session_begin(bool waits);

#endif
