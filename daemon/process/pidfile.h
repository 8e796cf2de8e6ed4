/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Pid file: reads the number that a daemon wrote. It is only a hint: the caller checks that the
 * process belongs to the service (CVE-2018-16888).
 */
#ifndef SVCD_PROCESS_PIDFILE_H
#define SVCD_PROCESS_PIDFILE_H

#include <glib.h>
#include <stdbool.h>
#include <sys/types.h>

/**
 * pidfile_read() - the first line of @path as a process id
 *
 * @ret_owner: the owner of the file
 *
 * The last component must be a regular file: no symbolic link, FIFO or device. A missing or empty
 * file is an ordinary error: the daemon may be about to write it, so try again.
 */
bool pidfile_read(const char *path, pid_t *ret_pid, uid_t *ret_owner, GError **error);

/* Decimal digits with optional blanks around them; 2 to 4194304 (the kernel's PID_MAX_LIMIT). */
bool pidfile_parse(const char *text, pid_t *ret_pid);

/* A pid file is one line. The rest is ignored. */
#define LIMIT_PIDFILE_BYTES 64

#endif
