/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Become: what a process does between clone and exec.
 */
#ifndef SVCD_KEEPER_BECOME_H
#define SVCD_KEEPER_BECOME_H

#include <signal.h>

#include "keeper/spawn.h"

/* In the child: all that @request asks for, and then its program. What fails is told through its status pipe. */
void become(struct SpawnRequest *request) __attribute__((noreturn));

/*
 * A service's child executes its program only when it has this signal, which PID 1 sends when it has closed what came with the request. Otherwise
 * the program could make one of these descriptors a trap for PID 1, whose close would be the last. A signal that comes late does nothing.
 */
#define BECOME_MAY_EXEC SIGCONT

/* The child of a loan takes a table of its own, and the keeper hears that what was lent is not needed any more. Returns: 0 or an errno. */
int become_independent(int place);

/* It is no message's, so it has libc, and can say what the error is in words, on standard error. */
void spawn_say_failure(const struct SpawnRequest *request, const char *what, int error);

#endif
