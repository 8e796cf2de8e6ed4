/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Gather: the files that a load may read, into a bundle.
 */
#ifndef SVCD_CONFIG_GATHER_H
#define SVCD_CONFIG_GATHER_H

#include "config/bundle.h"
#include "config/loader.h"

/* What the manager reads besides service and policy files. */
#define GATHER_GROUPS "/etc/group"
#define GATHER_DURATIONS SVCD_STATEDIR "/durations"
#define GATHER_KERNEL_CMDLINE "/proc/cmdline"

/**
 * gather() - read everything that configuration_load() with any options of this machine, or of this user, may ask for
 * @options: where to look; its bundle, which is open, is filled
 */
void gather(const LoaderOptions *options);

#endif
