/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Kernel command line: splitting into arguments.
 */
#ifndef SVCD_CONFIG_KERNEL_CMDLINE_H
#define SVCD_CONFIG_KERNEL_CMDLINE_H

/**
 * kernel_cmdline_split() - split @text like the kernel, at blanks outside of double quotes
 * Returns: a new strv.
 */
char **kernel_cmdline_split(const char *text);

#endif
