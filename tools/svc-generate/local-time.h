/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Local time: the zone of this machine as a table for base/time-zone.h, because the manager must
 * not read the files of the C library.
 */
#ifndef SVCD_SVC_GENERATE_LOCAL_TIME_H
#define SVCD_SVC_GENERATE_LOCAL_TIME_H

#include <stdint.h>

/* The table from two years before @now_s to 12 years after it; a new string. */
char *local_time_table(int64_t now_s);

#endif
