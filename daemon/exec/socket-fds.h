/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Socket fds: the descriptors from 3 on, and their variables (sd_listen_fds(3)).
 */
#ifndef SVCD_EXEC_SOCKET_FDS_H
#define SVCD_EXEC_SOCKET_FDS_H

#include "exec/environment.h"
#include "exec/spec.h"

/* All of these return 0 or an errno. */
int sockets_check(const struct Spec *spec);
/* Moves *@fd to @from or the next free number, and keeps its close-on-exec flag. */
int sockets_park(int *fd, int from);
/* Moves @n sockets from @first down to 3 and makes them blocking, as services expect. */
int sockets_install(int first, int n);
/* LISTEN_PID is this process, because there is no fork between here and the service. */
int sockets_environment(const struct Spec *spec, struct Environment *environment);

#endif
