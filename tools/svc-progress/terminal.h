/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Terminal: the console, as long as nobody else has it.
 *
 * Whoever uses a terminal in earnest makes it its controlling terminal: a login, a shell, a service with TTYPath=. A program that
 * draws there beside them would spoil what they show. So this one makes the console its own controlling terminal if nobody
 * has it, and takes it from nobody; they all take it from whoever has it, and the next look tells that it is gone. What
 * draws pictures on it (a display manager, plymouth) is known by the mode of the virtual terminal.
 */
#ifndef SVCD_SVC_PROGRESS_TERMINAL_H
#define SVCD_SVC_PROGRESS_TERMINAL_H

#include <stdbool.h>

/* Opens /dev/console and sees to it that any end by a signal leaves it clean. */
void terminal_open(void);

/* May lines be written there now? @is_shared: beside somebody else, too. */
bool terminal_is_free(bool is_shared);

/* Does it take a line that is drawn anew again and again, now? Serial lines and programs behind a pipe get whole lines. */
bool terminal_is_live(void);
unsigned terminal_columns(void);

/* The line at the cursor; "" clears it. */
void terminal_draw(const char *text);

/* A line that stays. */
void terminal_print(const char *text);

/* Gives it back, so that our end ends nobody else's. */
void terminal_close(void);

#endif
