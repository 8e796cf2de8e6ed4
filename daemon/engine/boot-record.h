/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Boot record: of each service of this boot when it was wanted, what it waited for last, and what its start took.
 *
 * It is written once: what happens to a service after its first start is over, and everything after the end of the boot,
 * changes nothing. As text it outlives a manager (manager/history.c keeps that). How to read it: docs/engine.md, "The
 * boot record".
 */
#ifndef SVCD_ENGINE_BOOT_RECORD_H
#define SVCD_ENGINE_BOOT_RECORD_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/enum-names.h"
#include "engine/engine.h"

/* How the first start ended. */
#define BOOT_RESULTS(X, P)                                                                         \
	X(P, NONE, "none") X(P, UP, "up") X(P, FAILED, "failed") X(P, ENDED, "ended") X(P, STOPPED, "stopped")
ENUM_WITH_NAMES(BootResult, BOOT_RESULT, boot_result, BOOT_RESULTS)

/* Times are CLOCK_MONOTONIC in microseconds, 0: it has not come to that. */
typedef struct BootRecord {
	int64_t wanted_us;
	int64_t allowed_us; /* all its conditions were true; it may have had to wait for its StartLock= since */
	int64_t started_us; /* its first process was asked for; retries after a failure belong to the same start */
	int64_t over_us;    /* it was up, had failed for good, had ended by itself, or was stopped */
	const char *last;   /* what it waited for last, a condition or "StartLock=NAME"; interned, NULL: for nothing */
	const char *last_by; /* the service that brought that about; interned, NULL: the world outside */
	BootResult result;  /* NONE while over_us is 0 */
} BootRecord;

/* What BootRecord.last says when nothing but a manager that had to be replaced kept a service waiting. */
#define BOOT_RECORD_MANAGER "svcd-manager"

/* NULL: it was not wanted in this boot. Owned by the service. */
const BootRecord *boot_record_get(const Service *s);

/**
 * boot_record_take_news() - the records that have changed since the last call, a line each
 * Returns: a new string; NULL when there are none. Costs those that have changed.
 */
char *boot_record_take_news(Engine *engine);

/**
 * boot_record_recover() - what boot_record_take_news() gave to a manager before, all of it joined
 *
 * Between engine_load() and engine_begin(). A later line about a service wins; a line that cannot be read, the last one may be
 * cut short, is left out.
 */
void boot_record_recover(Engine *engine, const char *text, size_t length);

#endif
