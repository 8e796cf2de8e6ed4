/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Boot changes: every change of a service's state in one boot, with its cause, in the file
 * "changes" of the boot's directory.
 *
 * It is a text with a line for each change and tabs between the members: the time (CLOCK_MONOTONIC,
 * microseconds), the same time as a time stamp in UTC, the service, the state before, the state
 * after, and the cause. Lines are only appended, so an interrupted writer loses at most one line.
 * Any user may read it, like the causes on the bus.
 */
#ifndef SVCD_SVCCTL_BOOT_CHANGES_H
#define SVCD_SVCCTL_BOOT_CHANGES_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* Beyond this size the older half is dropped. */
#define BOOT_CHANGES_BYTES (256 * 1024)

/*
 * The name in the last line of a complete shutdown. The time in that line is that of the last stop.
 */
#define BOOT_CHANGES_END "-"

typedef struct BootChange {
	int64_t at_us;
	char *stamp; /* "2026-11-28T05:20:01.123Z" */
	char *name;
	char *from;
	char *to;
	char *text;
} BootChange;

/* A new empty array of BootChange *. */
GPtrArray *boot_changes_new(void);
void boot_changes_append(GPtrArray *changes, int64_t at_us, const char *stamp, const char *name,
			 const char *from, const char *to, const char *text);

/**
 * boot_changes_read() - the changes in @directory, in order of time
 * Returns: a new array; empty without a file. Lines that are not complete are left out.
 */
GPtrArray *boot_changes_read(const char *directory);

/**
 * boot_changes_add() - write those of @changes that the file does not contain yet
 * @is_synced: wait until they are on the disk
 */
bool boot_changes_add(const char *directory, const GPtrArray *changes, bool is_synced,
		      GError **error);

#endif
