/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Console line: lines for the console, in the same form as PID 1's.
 */
#ifndef SVCD_FINALE_CONSOLE_LINE_H
#define SVCD_FINALE_CONSOLE_LINE_H

/*
 * Writes "svcd: ", the text and a line end to standard error. A line that the console does not take
 * at once is lost.
 */
void console_line_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
