/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Console: lines for the person in front of the machine; never waits.
 */
#ifndef SVCD_KEEPER_CONSOLE_H
#define SVCD_KEEPER_CONSOLE_H

#include <stdbool.h>
#include <sys/types.h>

/* Starts the process that writes to the console, if there is none. Call it once /dev is mounted. */
void console_open(void);

/* A socket to that process, which never makes its writers wait: the manager's output, too. -1: there is none. */
int console_fd(void);

/* The writer shows what it was sent, and ends; for a second at most. The next line starts another one. */
void console_end(void);

/* Closes all descriptors above 2, except those that say() needs: in a child that may hang. */
void console_close_others(void);

/* Returns: that process, or 0. */
pid_t console_writer(void);

/* A child was reaped. */
void console_on_exit(pid_t pid);

/**
 * say() - one line on the console, "svcd: " before it; on a machine also in the kernel's log
 *
 * Control characters are replaced: part of the text may come from elsewhere. What does not fit is cut. If the console does not take lines
 * they are lost, and their number is shown later.
 */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
