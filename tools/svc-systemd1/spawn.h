/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Spawn: the expendable processes that do the work. This program itself touches neither /proc nor
 * the directories of cgroups and users, because users can hold those (docs/security.md).
 */
#ifndef SVCD_SYSTEMD1_SPAWN_H
#define SVCD_SYSTEMD1_SPAWN_H

#include <sys/types.h>

/* In each process: the end of a pipe, to which it writes its pid when it is ready. */
#define SPAWN_READY_FD 3
/* The first of the descriptors that it gets. */
#define SPAWN_FIRST_FD 4

/* Returns: the other end of that pipe, nonblocking; -1 on failure. */
int spawn_open_ready_pipe(void);

/**
 * spawn() - start a program
 * @argv: the path first; ends with NULL
 * @fds: passed on from SPAWN_FIRST_FD; borrowed
 * Returns: its pid, or 0, with a line in the log.
 */
pid_t spawn(const char *const *argv, const int *fds, unsigned n_fds);

/* Returns: the end of a pipe that is the program's standard output, or -1. */
int spawn_reader(const char *const *argv);

#endif
