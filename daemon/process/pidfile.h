/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Pid file: reads the number that a daemon wrote. Only a hint: whose process it is, the caller checks (CVE-2018-16888).
 */
#ifndef SVCD_PROCESS_PIDFILE_H
#define SVCD_PROCESS_PIDFILE_H

#include <glib.h>
#include <stdbool.h>
#include <sys/types.h>

/**
 * pidfile_read() - the first line of @path as a process id
 *
 * @ret_owner: of the file
 *
 * No symbolic link at the end of the path, no FIFO, no device. Not there yet, or empty: an error like any other, for
 * the daemon may be about to write it; ask again.
 */
bool pidfile_read(const char *path, pid_t *ret_pid, uid_t *ret_owner, GError **error);

/* Decimal digits, blanks around them; 2 to 4194304 (the kernel's PID_MAX_LIMIT). */
bool pidfile_parse(const char *text, pid_t *ret_pid);

/* A pid file is one line; what follows it is passed over. */
#define LIMIT_PIDFILE_BYTES 64

#endif
