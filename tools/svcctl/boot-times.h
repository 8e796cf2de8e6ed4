/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Boot times: what each service of the boot waited for last and what its start took, and the chain that follows from it.
 *
 * Arithmetic on what org.svcd1.Boot.ListTimes says; asking and showing is the verb's work. In words: svcctl(1), "boot".
 */
#ifndef SVCD_SVCCTL_BOOT_TIMES_H
#define SVCD_SVCCTL_BOOT_TIMES_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* Times are CLOCK_MONOTONIC in microseconds, 0: it has not come to that. Texts are borrowed from the answer. */
typedef struct BootTime {
	const char *name;
	int64_t wanted_us;
	int64_t allowed_us;
	int64_t started_us;
	int64_t over_us;
	const char *result; /* "up", "failed", "ended", "none" */
	const char *last;   /* "" for nothing */
	const char *by;     /* the service behind it, "" for none */
} BootTime;

typedef struct BootTimes BootTimes;

/**
 * boot_times_new() - from an answer of the type a(sttttsss)
 * @array: referenced
 */
BootTimes *boot_times_new(GVariant *array);
void boot_times_free(BootTimes *times);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(BootTimes, boot_times_free)

unsigned boot_times_count(const BootTimes *times);
const BootTime *boot_times_get(const BootTimes *times, unsigned i);
const BootTime *boot_times_find(const BootTimes *times, const char *name); /* NULL: not in this boot */

/* From its first process to being up; of one that is still starting until @now_us. */
int64_t boot_time_own(const BootTime *time, int64_t now_us);
/* From being wanted to its first process, or until @now_us. */
int64_t boot_time_waited(const BootTime *time, int64_t now_us);

/* The one whose start was over last, and so ended the boot; NULL: none is over. */
const BootTime *boot_times_last(const BootTimes *times);

/* Those with the longest own time first; a new array, borrowed. */
GPtrArray *boot_times_by_own(const BootTimes *times, int64_t now_us);

/**
 * boot_times_chain() - what each waited for last, from @end back to the beginning
 * Returns: a new array of const BootTime *, the first one first, @end last. What the first one waited for was no start.
 */
GPtrArray *boot_times_chain(const BootTimes *times, const BootTime *end);

/**
 * boot_times_dot() - a graph for dot(1): an arrow from what a service waited for last
 * @begun_us: what times are shown from
 * Returns: a new string.
 */
char *boot_times_dot(const BootTimes *times, int64_t begun_us, int64_t now_us);

#endif
