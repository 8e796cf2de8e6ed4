/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Log: messages of the programs about themselves. It never blocks and never fails. A line that does
 * not fit into its sink is counted. The count is logged when there is room again.
 */
#ifndef SVCD_BASE_LOG_H
#define SVCD_BASE_LOG_H

#include <glib.h>
#include <stdbool.h>

#include "base/enum-names.h"

#define LOG_LEVELS(X, P) \
	X(P, ERROR, "error") X(P, WARNING, "warning") X(P, NOTICE, "notice") X(P, DEBUG, "debug")
ENUM_WITH_NAMES(LogLevel, LOG, log_level, LOG_LEVELS)

/**
 * log_open() - set the sink of the log
 * @program: in front of each line
 * @fd: set to non-blocking; borrowed. -1: no sink
 * @is_kmsg: add a "<level>" prefix, as for /dev/kmsg (kernel.org, ABI/testing/dev-kmsg)
 */
void log_open(const char *program, int fd, gboolean is_kmsg);

/**
 * log_hold() - keep lines off the console while another program uses it
 *
 * The kernel log gets the lines at once, at a level that no console displays. When the hold ends, a
 * line reports their number. For other sinks, up to 32 KiB of lines are kept until then. They are
 * lost if the process dies.
 */
void log_hold(bool is_held);

/**
 * log_put_off() - delay notices until log_catch_up(), up to 32 KiB
 *
 * For a caller that has urgent work and soon calls log_catch_up(). Writing a line takes as long as
 * making a service's control group, and on a serial console a thousand times as long. An error or
 * warning is written at once, after the delayed lines.
 */
void log_put_off(void);
void log_catch_up(void);

/* The least important level that is written; LOG_NOTICE at first. */
void log_set_level(LogLevel level);

/**
 * log_line() - write one line: "SERVICE: text", or "text" if @service is NULL
 */
void log_line(LogLevel level, const char *service, const char *format, ...) G_GNUC_PRINTF(3, 4);

#define log_error(service, ...) log_line(LOG_ERROR, service, __VA_ARGS__)
#define log_warning(service, ...) log_line(LOG_WARNING, service, __VA_ARGS__)
#define log_notice(service, ...) log_line(LOG_NOTICE, service, __VA_ARGS__)
#define log_debug(service, ...) log_line(LOG_DEBUG, service, __VA_ARGS__)

#endif
