/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Log file: NAME.log of one service, and NAME.log.1, what was there before it got too long.
 *
 * It is opened for each write: so a file that somebody deleted or moved away is made again, and a thousand services
 * take no thousand descriptors.
 */
#ifndef SVCD_LOGGER_LOG_FILE_H
#define SVCD_LOGGER_LOG_FILE_H

#include <glib.h>
#include <stdbool.h>

/**
 * log_file_append() - add whole lines; all of @text or nothing
 * Returns: 0 or an errno (ENOSPC: the file is as it was).
 */
int log_file_append(int directory_fd, const char *service, const char *text, size_t length);

/**
 * log_file_set_group() - who else than root may read what @service has said and will say
 * @group: 0: nobody
 * Returns: 0 or an errno.
 */
int log_file_set_group(int directory_fd, const char *service, gid_t group);

/* The name as it reached us may be anything; what is no file name of ours is refused. */
bool log_file_name_is_safe(const char *service);

#endif
