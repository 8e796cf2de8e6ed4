/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Process stat: the parent and the start time of a process, from /proc. The values are correct only
 * at the time of the read.
 */
#ifndef SVCD_PROCESS_PROCESS_STAT_H
#define SVCD_PROCESS_PROCESS_STAT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct ProcessStat {
	pid_t parent;
	int64_t started_us; /* CLOCK_MONOTONIC, rounded down to a clock tick (sysconf(3)) */
} ProcessStat;

/* Returns: false if the process no longer exists. */
bool process_stat_read(pid_t pid, ProcessStat *ret);
/* Are all its user ids @uid? Then that user may signal it as well. */
bool process_is_of_user(pid_t pid, uid_t uid);

#endif
