/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Log tail: the last lines of a service, from svc-logger's files: NAME.log, and NAME.log.1 before
 * it.
 */
#ifndef SVCD_SVCCTL_LOG_TAIL_H
#define SVCD_SVCCTL_LOG_TAIL_H

#include <glib.h>
#include <stdbool.h>
#include <sys/types.h>

/* How far the current file has been read. */
typedef struct LogEnd {
	ino_t inode; /* 0: there is none */
	off_t offset;
} LogEnd;

/**
 * log_tail() - the last @n lines, the oldest first
 * @ret_end: if not NULL, the position where reading continues; an incomplete last line is then left
 * for later
 * Returns: a new array of strings; empty if there is no line.
 */
GPtrArray *log_tail(const char *directory, const char *name, unsigned n, LogEnd *ret_end);

/* DIRECTORY/NAME.log; a new string. */
char *log_path(const char *directory, const char *name);

/**
 * log_find_in_syslog() - the file of the system log that has lines of a program near its end
 * Returns: its path; NULL: none that this process may read
 */
const char *log_find_in_syslog(const char *program);

/* Is there a file of the system log that this process may not read? */
bool log_syslog_is_closed(void);

#endif
