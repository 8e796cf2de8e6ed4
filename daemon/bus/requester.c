/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Requester: the name of a process.
 */
#include "config.h"

#include "bus/requester.h"

#include <string.h>

#include "base/fd.h"

void requester_read_command(Requester *who)
{
	g_autofree char *path = g_strdup_printf("/proc/%d/comm", (int)who->pid);
	g_autoptr(GBytes) bytes = file_read_bounded(path, sizeof who->command, NULL);
	gsize length = 0;
	const char *text = bytes ? g_bytes_get_data(bytes, &length) : NULL;

	if (!text || length == 0)
		return;
	length = MIN(length, sizeof who->command - 1);
	memcpy(who->command, text, length); /* what was read from a file has no NUL at its end */
	who->command[length] = '\0';
	g_strdelimit(who->command, "\n", '\0');
}
