/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Kernel command line: its words.
 */
#ifndef SVCD_CONFIG_KERNEL_CMDLINE_H
#define SVCD_CONFIG_KERNEL_CMDLINE_H

/**
 * kernel_cmdline_split() - the words of @text as the kernel takes them apart: blanks, and "" that keep blanks together
 * Returns: a new strv.
 */
char **kernel_cmdline_split(const char *text);

#endif
