/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Process stat: two fields of /proc/PID/stat.
 */
#include "config.h"

#include "process/process-stat.h"

#include <glib.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/fd.h"

#define SKIP_5 "%*s %*s %*s %*s %*s "
#define SKIP_15 SKIP_5 SKIP_5 SKIP_5

static int64_t clock_us(clockid_t clock)
{
	struct timespec now;

	(void)clock_gettime(clock, &now); /* both clocks always exist */
	return now.tv_sec * G_USEC_PER_SEC + now.tv_nsec / 1000;
}

/* The kernel counts from boot and includes the time in suspend. CLOCK_MONOTONIC excludes it. */
static int64_t monotonic_of_ticks(unsigned long long ticks)
{
	const int64_t boottime_us = (int64_t)(ticks * (unsigned long long)G_USEC_PER_SEC /
					      (unsigned long)sysconf(_SC_CLK_TCK));

	return boottime_us - (clock_us(CLOCK_BOOTTIME) - clock_us(CLOCK_MONOTONIC));
}

bool process_stat_read(pid_t pid, ProcessStat *ret)
{
	g_autofree char *path = g_strdup_printf("/proc/%d/stat", (int)pid);
	g_autoptr(GBytes) bytes = file_read_bounded(path, 4096, NULL);
	g_autofree char *text =
		bytes ? g_strndup(g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes)) : NULL;
	/*
	 * "pid (name) state ppid ...": the name may contain any byte, so parsing starts at the last
	 * ")" (proc(5)).
	 */
	const char *end = text ? strrchr(text, ')') : NULL;
	unsigned long long ticks;
	int parent;

	/* Parses from state, field 3, on: ppid is field 4, and starttime is field 22. */
	if (!end || sscanf(end, ") %*c %d " SKIP_15 "%*s %*s %llu", &parent, &ticks) != 2)
		return false;
	ret->parent = parent;
	ret->started_us = monotonic_of_ticks(ticks);
	return true;
}

bool process_is_of_user(pid_t pid, uid_t uid)
{
	g_autofree char *path = g_strdup_printf("/proc/%d/status", (int)pid);
	g_autoptr(GBytes) bytes = file_read_bounded(path, 16384, NULL);
	g_autofree char *text =
		bytes ? g_strndup(g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes)) : NULL;
	const char *line = text ? strstr(text, "\nUid:") : NULL;
	unsigned ids[4];

	if (!line || sscanf(line, "\nUid: %u %u %u %u", &ids[0], &ids[1], &ids[2], &ids[3]) != 4)
		return false;
	return ids[0] == uid && ids[1] == uid && ids[2] == uid && ids[3] == uid;
}
