/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Boot logs: copies of the ends of all services' logs, in the same form and with the same
 * permissions as svc-logger's, but on the disk.
 */
#ifndef SVCD_SVCCTL_BOOT_LOGS_H
#define SVCD_SVCCTL_BOOT_LOGS_H

#include <glib.h>
#include <stdbool.h>

/*
 * The number of bytes that are kept from the end of each log, and the limit for all logs of one
 * boot. Beyond that limit, less is kept of each log.
 */
#define BOOT_LOG_BYTES (64 * 1024)
#define BOOT_LOGS_BYTES (768 * 1024)

/**
 * boot_logs_save() - copy the changed logs in @from to @to
 * @to: must exist
 *
 * Each copy is replaced as a whole. If a copy fails, its earlier version stays, and the other
 * copies are still made. An old copy is never removed.
 */
bool boot_logs_save(const char *from, const char *to, GError **error);

#endif
