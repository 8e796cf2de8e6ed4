/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Console: lines for the user in front of the machine. Nothing here waits.
 */
#ifndef SVCD_KEEPER_CONSOLE_H
#define SVCD_KEEPER_CONSOLE_H

#include <stdbool.h>
#include <sys/types.h>

/* Starts the process that writes to the console, if there is none. /dev must be mounted. */
void console_open(void);

/*
 * Returns: the socket to that writer, which the manager uses as well, or -1. Writing never waits.
 */
int console_fd(void);

/*
 * Lets the writer write all lines and end, and waits for a second at most. The next line for the
 * console starts another writer.
 */
void console_end(void);

/* Closes all descriptors above 2 except those of the console: for a child that may hang. */
void console_close_others(void);

/* Returns: the pid of the writer, or 0. */
pid_t console_writer(void);

/* Must be called when a child was reaped. */
void console_on_exit(pid_t pid);

/**
 * console_log() - write "svcd: " and one line to the console; on a machine also to the kernel's log
 *
 * Unprintable characters are replaced, because parts of the text may come from users. A line is cut
 * at 512 bytes. Lines that the console does not take are lost, and their number is logged later.
 */
void console_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
