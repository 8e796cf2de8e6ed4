/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Console terminal: the console, as long as no other session uses it.
 *
 * A program that really uses a terminal has it as its controlling terminal: a login, a shell, a
 * service with TTYPath=. A program that draws there too would spoil the screen. So svc-progress
 * takes a free console as its controlling terminal while it writes, and never takes it from another
 * session. It releases the console at once, because some programs would not take it from
 * svc-progress (gdm does not). A program that draws graphics there (a display manager, plymouth) is
 * detected by the mode of the virtual terminal.
 */
#ifndef SVCD_SVC_PROGRESS_CONSOLE_TERMINAL_H
#define SVCD_SVC_PROGRESS_CONSOLE_TERMINAL_H

#include <stdbool.h>

/* Opens /dev/console. If a signal ends the program, the console is left clean. */
void terminal_open(void);

/*
 * May lines be written on the console now? If so, the console is ours until terminal_let_go().
 * @is_shared: true even if another session uses the console.
 */
bool terminal_is_free(bool is_shared);

/*
 * Can the console show a status line now? Serial lines and programs behind a pipe get whole lines.
 */
bool terminal_is_live(void);
unsigned terminal_columns(void);

/* Draws the line at the cursor; "" clears it. */
void terminal_draw(const char *text);

/* Prints a line that stays. */
void terminal_print(const char *text);

/* Releases the console; the drawn line stays. */
void terminal_let_go(void);

#endif
