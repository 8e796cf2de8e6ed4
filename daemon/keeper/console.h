/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Console: lines for whoever stands in front of the machine; never waits.
 */
#ifndef SVCD_KEEPER_CONSOLE_H
#define SVCD_KEEPER_CONSOLE_H

/* Finds the console; again after a hang-up. Call it once /dev is mounted. */
void console_open(void);

/* The descriptor that lines go to: the manager's and the rescue shell's output too. */
int console_fd(void);

/**
 * say() - one line on the console, "svcd: " before it; on a machine also in the kernel's log
 *
 * Control characters are replaced: part of the text may come from elsewhere. What does not fit is cut.
 */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
