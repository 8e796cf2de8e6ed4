/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * User session: what "svcd --user" checks first. A user has one keeper at a time, which ends with
 * the process that started it.
 */
#ifndef SVCD_KEEPER_USER_SESSION_H
#define SVCD_KEEPER_USER_SESSION_H

#include <stdbool.h>

/* What user_session_begin() returns instead of an exit status. */
#define USER_SESSION_BEGINS (-1)

/**
 * user_session_begin() - become the one keeper of this user
 * @waits: for another keeper to end; false: leave the user to the other one
 *
 * Asks for TERM when the parent dies, makes $XDG_RUNTIME_DIR/svcd and locks "lock" there. The
 * descriptor of the lock is never closed. It stays over execve(2) and goes with the process.
 * Returns: USER_SESSION_BEGINS, or the status to exit with; the reason was printed.
 */
int user_session_begin(bool waits);

#endif
