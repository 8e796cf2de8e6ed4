/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Terminal: the console, as long as nobody else has it.
 *
 * Whoever uses a terminal in earnest makes it its controlling terminal: a login, a shell, a service with TTYPath=. A program that
 * draws there beside them would spoil what they show. So this one makes the console its own for the moment in which it writes,
 * if nobody has it, and takes it from nobody. No longer than that: not everybody would take it from us (gdm does not).
 * What draws pictures on it (a display manager, plymouth) is known by the mode of the virtual terminal.
 */
#ifndef SVCD_SVC_PROGRESS_TERMINAL_H
#define SVCD_SVC_PROGRESS_TERMINAL_H

#include <stdbool.h>

/* Opens /dev/console and sees to it that any end by a signal leaves it clean. */
void terminal_open(void);

/* May lines be written there now? If so, it is ours until terminal_let_go(). @is_shared: beside somebody else, too. */
bool terminal_is_free(bool is_shared);

/* Does it take a line that is drawn anew again and again, now? Serial lines and programs behind a pipe get whole lines. */
bool terminal_is_live(void);
unsigned terminal_columns(void);

/* The line at the cursor; "" clears it. */
void terminal_draw(const char *text);

/* A line that stays. */
void terminal_print(const char *text);

/* What is drawn stays. */
void terminal_let_go(void);

#endif
