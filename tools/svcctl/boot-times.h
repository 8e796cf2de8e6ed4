/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Boot times: the last dependency that each service of the boot waited for, the duration of its
 * start, and the chain of the waits.
 *
 * This file only evaluates the answer of org.svcd1.Boot.ListTimes. The verb makes the call and
 * prints the result. See svcctl(1), "boot".
 */
#ifndef SVCD_SVCCTL_BOOT_TIMES_H
#define SVCD_SVCCTL_BOOT_TIMES_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Times are CLOCK_MONOTONIC in microseconds; 0: that point was not reached. Texts are borrowed from
 * the answer.
 */
typedef struct BootTime {
	const char *name;
	int64_t wanted_us;
	int64_t allowed_us;
	int64_t started_us;
	int64_t over_us;
	const char *result; /* "up", "failed", "ended", "none" */
	const char *last; /* the dependency that it waited for last; "": none */
	const char *by; /* the service behind @last; "": none */
} BootTime;

typedef struct BootTimes BootTimes;

/**
 * boot_times_new() - read an answer of the type a(sttttsss)
 * @array: referenced
 */
BootTimes *boot_times_new(GVariant *array);
void boot_times_free(BootTimes *times);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(BootTimes, boot_times_free)

unsigned boot_times_count(const BootTimes *times);
const BootTime *boot_times_get(const BootTimes *times, unsigned i);
/* NULL: not part of this boot */
const BootTime *boot_times_find(const BootTimes *times, const char *name);

/*
 * The time from the first process until the service is up, or to @now_us if it is still starting.
 */
int64_t boot_time_own(const BootTime *time, int64_t now_us);
/* The time from when the service is wanted to its first process, or to @now_us. */
int64_t boot_time_waited(const BootTime *time, int64_t now_us);

/* The service whose start ended last, and so ended the boot; NULL: no start has ended. */
const BootTime *boot_times_last(const BootTimes *times);

/* Sorted by own time, longest first; a new array, borrowed. */
GPtrArray *boot_times_by_own(const BootTimes *times, int64_t now_us);

/**
 * boot_times_chain() - the last wait of each service, from @end back to the beginning
 * Returns: a new array of const BootTime *, in order of time, @end last. The first one did not wait
 * for a start.
 */
GPtrArray *boot_times_chain(const BootTimes *times, const BootTime *end);

/**
 * boot_times_dot() - a graph for dot(1), with an arrow to each service from the service that it
 * waited for last
 * @begun_us: times are printed relative to this
 * Returns: a new string.
 */
char *boot_times_dot(const BootTimes *times, int64_t begun_us, int64_t now_us);

#endif
