/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Syslog: passes lines to the syslog daemon at /dev/log through the forwarder, and holds the last
 * lines while the daemon does not take them.
 */
#ifndef SVCD_LOGGER_SYSLOG_H
#define SVCD_LOGGER_SYSLOG_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * The lines that are held without a syslog daemon. All lines of a boot before the daemon's start
 * fit.
 */
#define SYSLOG_HELD_BYTES (256 * 1024)

typedef struct Syslog Syslog;

/*
 * @path: "/dev/log". @epoll_fd: borrowed; gets an event with the Syslog as its data when the
 * forwarder can take lines again.
 */
Syslog *syslog_new(const char *path, int epoll_fd);
void syslog_free(Syslog *log);

/*
 * Queues a line. Never waits. Lines of syslog daemons are not sent, because a daemon would react to
 * its own lines for ever.
 */
void syslog_send(Syslog *log, const char *service, const char *bytes, size_t length,
		 int64_t realtime_us);

void syslog_on_writable(Syslog *log);

void syslog_flush(Syslog *log, int64_t now_us);

/*
 * Returns: when syslog_flush() is worth another try, CLOCK_MONOTONIC; 0: nothing is held, or an
 * event will come.
 */
int64_t syslog_next_try(const Syslog *log);

#endif
