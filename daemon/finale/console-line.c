/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Console line: one write(2) per line.
 */
#include "config.h"

#include "finale/console-line.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LINE_BYTES 512

/*
 * Users can choose the names of processes and mount points. Bytes beyond ASCII include control
 * characters (ECMA-48, C1).
 */
static void replace_unprintable(char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || (unsigned char)*text >= 0x7f)
			*text = '?';
}

void console_line_print(const char *format, ...)
{
	char line[LINE_BYTES] = "svcd: ";
	size_t length;
	va_list args;

	va_start(args, format);
	(void)vsnprintf(line + 6, sizeof(line) - 8, format, args);
	va_end(args);
	replace_unprintable(line);
	length = strlen(line);
	line[length++] = '\r'; /* a getty or an editor may have left the terminal raw */
	line[length++] = '\n';
	(void)!write(STDERR_FILENO, line, length); /* there is no other place to report it */
}
