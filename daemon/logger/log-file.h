/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Log file: NAME.log of one service, and NAME.log.1 with the lines before the last rotation.
 *
 * The file is opened for each write. So a deleted or moved file is made again, and a thousand
 * services do not need a thousand descriptors.
 */
#ifndef SVCD_LOGGER_LOG_FILE_H
#define SVCD_LOGGER_LOG_FILE_H

#include <glib.h>
#include <stdbool.h>

/**
 * log_file_append() - append complete lines; all of @text or nothing
 * Returns: 0 or an errno (ENOSPC: the file is unchanged).
 */
int log_file_append(int directory_fd, const char *service, const char *text, size_t length);

/**
 * log_file_set_group() - set the group that may read the log of @service, besides root
 * @group: 0 for none
 * Returns: 0 or an errno.
 */
int log_file_set_group(int directory_fd, const char *service, gid_t group);

/* Is @service a valid name of a log file? The name comes from another process. */
bool log_file_name_is_safe(const char *service);

#endif
