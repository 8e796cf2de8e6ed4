/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Child: a process of svc-logger's own for a call that may never return.
 */
#ifndef SVCD_LOGGER_CHILD_H
#define SVCD_LOGGER_CHILD_H

#include <sys/types.h>

/* The descriptor that a child has. */
#define CHILD_FD 3

/**
 * child_fork() - fork(2); the child has copies of @fd, as CHILD_FD, and of the standard descriptors, and of no other one
 */
pid_t child_fork(int fd);

/* Closes @fd here, and then, for the last time, in a process for which nothing waits. */
void child_close(int fd);

#endif
