/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Log lines: those of several services in the order of their times, and where one run of a service
 * ends and the next begins.
 *
 * Each line begins with the time that svc-logger gave it, in UTC, so that the order of texts is
 * that of times.
 */
#ifndef SVCD_SVCCTL_LOG_LINES_H
#define SVCD_SVCCTL_LOG_LINES_H

#include "svcctl/log-tail.h"
#include "svcctl/svcctl.h"

typedef struct LogLine {
	const char *name; /* of the service, borrowed */
	char *text;       /* with its time */
	bool is_mark;     /* a start of the service; nothing that it wrote */
} LogLine;

/* A new array of LogLine *. */
GPtrArray *log_lines_new(void);

/*
 * Other users find the directory, but only the operators' group may open the files. One that is
 * absent may be opened.
 */
bool log_may_open(const Context *context, const char *name);

/**
 * log_lines_read() - add what @name has written, from the files or, if this process may not open
 * them, from the manager
 * @name:    must live as long as @lines
 * @ret_end: as for log_tail(); may be NULL
 * Returns: false with NOT_AUTHORIZED if neither is allowed.
 */
bool log_lines_read(Context *context, const char *name, GPtrArray *lines, LogEnd *ret_end, GError **error);

/* In the order of time, without those before @since ("": none), and then only the last @n. */
void log_lines_select(GPtrArray *lines, const char *since, unsigned n);

/*
 * Adds a mark for each start of @name after its first line that is there. Without an answer of svcd
 * there are none.
 */
void log_lines_mark(Context *context, const char *name, GPtrArray *lines);

/**
 * log_parse_since() - "10min" (ago), "09:30", "2026-11-28" or "2026-11-28 09:30"
 * Returns: as the lines have it, a new string; NULL with USAGE.
 */
char *log_parse_since(const char *text, GError **error);

#endif
