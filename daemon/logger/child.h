/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Child: a process of svc-logger for a call that may never return.
 */
#ifndef SVCD_LOGGER_CHILD_H
#define SVCD_LOGGER_CHILD_H

#include <sys/types.h>

/* The descriptor of a child. */
#define CHILD_FD 3

/**
 * child_fork() - fork(2); the child has only the standard descriptors, and @fd as CHILD_FD
 */
pid_t child_fork(int fd);

/* Closes @fd here, and then for the last time in a process that nothing waits for. */
void child_close(int fd);

#endif
