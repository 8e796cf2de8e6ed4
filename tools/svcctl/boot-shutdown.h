/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Boot shutdown: the end of a boot, from the changes of its services' states: the requester, the
 * duration of each stop, and the stop that each stop waited for last.
 */
#ifndef SVCD_SVCCTL_BOOT_SHUTDOWN_H
#define SVCD_SVCCTL_BOOT_SHUTDOWN_H

#include <json-glib/json-glib.h>

/**
 * boot_shutdown_new() - the member "shutdown" of a record (docs/boots.md)
 * @changes: BootChange *, in order of time
 * @record: of the same boot, with the stop order of its services
 * Returns: a new object; NULL: no shutdown was requested.
 */
JsonObject *boot_shutdown_new(const GPtrArray *changes, JsonObject *record);

#endif
