/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sockets: descriptors 3 and those that follow, and the variables that say so (sd_listen_fds(3)).
 */
#ifndef SVCD_EXEC_SOCKETS_H
#define SVCD_EXEC_SOCKETS_H

#include "exec/environment.h"
#include "exec/spec.h"

/* All of these return 0 or an errno. */
int sockets_check(const struct Spec *spec);
/* Moves *@fd, which closes on exec if it did before, to @from or the next number that is free. */
int sockets_park(int *fd, int from);
/* Moves @n sockets from @first down to 3; they are blocking then, as services expect them to be. */
int sockets_place(int first, int n);
/* LISTEN_PID is this process: nothing forks between here and the service. */
int sockets_environment(const struct Spec *spec, struct Environment *environment);

#endif
