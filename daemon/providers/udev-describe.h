/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Udev describe: what there is instead of what a condition on devices asks for, in words.
 */
#ifndef SVCD_PROVIDERS_UDEV_DESCRIBE_H
#define SVCD_PROVIDERS_UDEV_DESCRIBE_H

#include "providers/udev-table.h"

/* "labels present: EFI, ROOT"; a new string, or NULL when @key was not added to @table. */
char *udev_describe(const UdevTable *table, const char *key);

#endif
