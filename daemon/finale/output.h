/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Output: lines for the console, in the form of those of PID 1.
 */
#ifndef SVCD_FINALE_OUTPUT_H
#define SVCD_FINALE_OUTPUT_H

/* Writes "svcd: ", the text and a line end to standard error. A line that the console does not take at once is lost. */
void console_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
