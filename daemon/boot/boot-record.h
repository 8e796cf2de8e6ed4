/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Boot record: for each service of this boot, when it was wanted, its last wait, and the duration
 * of its start.
 *
 * A record covers the first start of a service in this boot, and is closed at the latest when the
 * boot ends. Its text form survives a manager restart (manager/boot-file.c). docs/engine.md, "The
 * boot record", explains how to read a record.
 */
#ifndef SVCD_BOOT_BOOT_RECORD_H
#define SVCD_BOOT_BOOT_RECORD_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/enum-names.h"
#include "engine/engine.h"

/* How the first start ended. */
#define BOOT_RESULTS(X, P) \
	X(P, NONE, "none") \
	X(P, UP, "up") X(P, FAILED, "failed") X(P, ENDED, "ended") X(P, STOPPED, "stopped")
ENUM_WITH_NAMES(BootResult, BOOT_RESULT, boot_result, BOOT_RESULTS)

/* Times are CLOCK_MONOTONIC in microseconds. 0: it has not happened. */
typedef struct BootRecord {
	int64_t wanted_us;
	int64_t allowed_us; /* all its conditions were true; it may then wait for StartLock= */
	int64_t started_us; /* its first process was requested; a retry belongs to the same start */
	int64_t over_us; /* it was up, failed for good, ended by itself or was stopped */
	const char *last; /* the last condition, or "StartLock=NAME"; interned, NULL: no wait */
	const char *last_by; /* the service that ended the wait; interned, NULL: none is known */
	BootResult result; /* NONE while over_us is 0 */
} BootRecord;

/* The value of BootRecord.last if only the replacement of the manager delayed the service. */
#define BOOT_RECORD_MANAGER "svcd-manager"

/*
 * Borrowed. NULL if the service was not wanted in this boot, or was no longer wanted before it
 * started.
 */
const BootRecord *boot_record_get(const Service *s);

/**
 * boot_record_take_news() - get the records that have changed since the last call, one line each
 * Returns: a new string; NULL if none changed. The cost depends on the number of changed records.
 */
char *boot_record_take_news(Engine *engine);

/**
 * boot_record_recover() - read all lines that earlier managers got from boot_record_take_news()
 *
 * Called between engine_load() and engine_begin(). A later line about a service replaces an earlier
 * one. Invalid lines are ignored, such as a truncated last line.
 */
void boot_record_recover(Engine *engine, const char *text, size_t length);

#endif
