/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Log lines: the lines of several services in order of time, and the boundaries between the runs of
 * a service.
 *
 * Each line begins with svc-logger's time stamp in UTC, so sorting the texts sorts by time.
 */
#ifndef SVCD_SVCCTL_LOG_LINES_H
#define SVCD_SVCCTL_LOG_LINES_H

#include "svcctl/log-tail.h"
#include "svcctl/svcctl.h"

typedef struct LogLine {
	const char *name; /* of the service, borrowed */
	char *text; /* with its time stamp */
	bool is_mark; /* a start of the service, not its output */
} LogLine;

/* A new array of LogLine *. */
GPtrArray *log_lines_new(void);

/* @text: taken */
void log_lines_add(GPtrArray *lines, const char *name, char *text, bool is_mark);

/*
 * Other users can open the directory, but only the operators' group may read the files. An absent
 * file counts as readable.
 */
bool log_may_open(const Context *context, const char *name);

/**
 * log_lines_read() - add the output of @name, from the files or, without permission to read them,
 * from the manager
 * @name: must live as long as @lines
 * @ret_end: as for log_tail(); may be NULL
 * Returns: false with NOT_AUTHORIZED if the user is allowed neither.
 */
bool log_lines_read(Context *context, const char *name, GPtrArray *lines, LogEnd *ret_end,
		    GError **error);

/* Sorts by time, drops the lines before @since ("": none), and keeps the last @n. */
void log_lines_select(GPtrArray *lines, const char *since, unsigned n);

/* Adds a mark for each start of @name after its first line; no marks if svcd does not answer. */
void log_lines_mark(Context *context, const char *name, GPtrArray *lines);

/* For JSON: the lines of each service, and its changes of state (BootChange *) unless NULL. */
void log_lines_set_data(Context *context, const GPtrArray *names, const GPtrArray *lines,
			const GPtrArray *changes);
/* Each line has the name of its service, unless one was named. */
void log_lines_print(Context *context, const GPtrArray *lines);

/**
 * log_parse_since() - parse a time
 * @text: "10min" (ago), "today", "yesterday", "09:30", "2026-11-28" or "2026-11-28 09:30"
 * Returns: a time stamp as in the lines, a new string; NULL with USAGE.
 */
char *log_parse_since(const char *text, GError **error);

#endif
