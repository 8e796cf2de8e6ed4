/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Boot plot: one boot as an SVG image that needs no other files. It shows a time axis, the load of
 * processors and disks, and for each service a bar with its waiting and its start. The chain is
 * darker. A line marks the end of the ideal boot (saved-boot.h).
 */
#ifndef SVCD_SVCCTL_BOOT_PLOT_H
#define SVCD_SVCCTL_BOOT_PLOT_H

#include "svcctl/saved-boot.h"

/* A new string. */
char *boot_plot(const SavedBoot *boot);

#endif
