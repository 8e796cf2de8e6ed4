/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Package log: the packages that dpkg installed or upgraded in a period, and the files that they
 * own.
 */
#ifndef SVCD_SVCCTL_PACKAGE_LOG_H
#define SVCD_SVCCTL_PACKAGE_LOG_H

#include <glib.h>
#include <stdbool.h>

typedef struct PackageChange {
	char *package; /* with its architecture, as in the log: "cron:amd64" */
	char *from; /* version; "" for a new package */
	char *to;
} PackageChange;

/**
 * package_log_read() - the changes in the lines of dpkg.log and its older parts, also compressed
 * @directory: "/var/log"
 * @from: "2026-11-28 05:20:01", local time as in the log; the period includes @from and @to
 * Returns: a new array of PackageChange *, one for each package: from its first to its last
 * version.
 */
GPtrArray *package_log_read(const char *directory, const char *from, const char *to);

/* "cron 3.0 -> 3.1", "cron 3.1 (new)"; a new string. */
char *package_change_text(const PackageChange *change);

/**
 * package_owns() - is one of the @files in the package?
 * @info: "/var/lib/dpkg/info"
 * @files: paths. /bin/x also matches /usr/bin/x, because dpkg lists the path in the package's
 * archive.
 */
bool package_owns(const char *info, const PackageChange *change, char *const *files);

#endif
