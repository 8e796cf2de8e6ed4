/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Boot wait: the progress of a boot, and the service that it waits for.
 */
#ifndef SVCD_SVCCTL_BOOT_WAIT_H
#define SVCD_SVCCTL_BOOT_WAIT_H

#include <glib.h>

#include "svcctl/svcctl.h"

/*
 * "62 % done, about 2 s left"; "11 of 13 services up" if no earlier boot is known. @boot:
 * org.svcd1.Boot. A new string.
 */
char *boot_wait_progress(GVariant *boot);

/**
 * boot_wait_print() - names the service that the boot waits for, and the command that continues
 * without it
 * Returns: false with @error if svcd does not answer.
 */
bool boot_wait_print(Context *context, GError **error);

#endif
