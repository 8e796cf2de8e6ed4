/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Gather: fills a bundle with the files that a load may need.
 */
#ifndef SVCD_CONFIG_GATHER_H
#define SVCD_CONFIG_GATHER_H

#include "config/bundle.h"
#include "config/loader.h"

/* Files that the manager reads besides service and policy files. */
#define GATHER_GROUPS "/etc/group"
#define GATHER_DURATIONS SVCD_STATEDIR "/durations"
#define GATHER_SUCCESSES SVCD_STATEDIR "/last-success"
#define GATHER_MACHINE_ID "/etc/machine-id"
/* The time zone as a table for time_zone_parse(), from svc-generate; also for users' managers. */
#define GATHER_LOCAL_TIME "/run/svcd/local-time"
#define GATHER_KERNEL_CMDLINE "/proc/cmdline"

/**
 * gather() - read all files that configuration_load() may need, with any options
 * @options: select the machine or the user; options->bundle is open and is filled
 */
void gather(const LoaderOptions *options);

#endif
