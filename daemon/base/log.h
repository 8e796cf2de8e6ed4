/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Log: what the programs say of themselves. Never blocks and never fails: a line that does not fit into its
 * sink is counted, and the count is said when there is room again.
 */
#ifndef SVCD_BASE_LOG_H
#define SVCD_BASE_LOG_H

#include <glib.h>
#include <stdbool.h>

#include "base/enum-names.h"

#define LOG_LEVELS(X, P) X(P, ERROR, "error") X(P, WARNING, "warning") X(P, NOTICE, "notice") X(P, DEBUG, "debug")
ENUM_WITH_NAMES(LogLevel, LOG, log_level, LOG_LEVELS)

/**
 * log_open() - where lines go from now on
 * @program: in front of each line
 * @fd:      set to non-blocking; borrowed. -1: nowhere
 * @is_kmsg: lines get a "<level>" prefix, as /dev/kmsg reads it (kernel.org, ABI/testing/dev-kmsg)
 */
void log_open(const char *program, int fd, gboolean is_kmsg);

/**
 * log_hold() - keep lines off the console, which somebody else has for a while; or no longer
 *
 * To the kernel's log they go at once, at a level at which no console shows them, and when it is over a line says how many
 * they were. Elsewhere they wait, up to 32 KiB of them, and are written then; a process that dies takes them along.
 */
void log_hold(bool is_held);

/**
 * log_put_off() - notices wait for log_catch_up(), up to 32 KiB of them
 *
 * For one who has something to do that others wait for, and catches up soon: a line takes as long as a service's control
 * group, and on a serial console a thousand times that. Errors and warnings do not wait, and come behind what waits.
 */
void log_put_off(void);
void log_catch_up(void);

/* The least important level that is still written; LOG_NOTICE at first. */
void log_set_level(LogLevel level);

/**
 * log_line() - one line: "SERVICE: text", or "text" when @service is NULL
 */
void log_line(LogLevel level, const char *service, const char *format, ...) G_GNUC_PRINTF(3, 4);

#define log_error(service, ...) log_line(LOG_ERROR, service, __VA_ARGS__)
#define log_warning(service, ...) log_line(LOG_WARNING, service, __VA_ARGS__)
#define log_notice(service, ...) log_line(LOG_NOTICE, service, __VA_ARGS__)
#define log_debug(service, ...) log_line(LOG_DEBUG, service, __VA_ARGS__)

#endif
