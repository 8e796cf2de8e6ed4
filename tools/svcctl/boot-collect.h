/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Boot collect: the record of this boot (saved-boot.h), from svcd and the kernel.
 */
#ifndef SVCD_SVCCTL_BOOT_COLLECT_H
#define SVCD_SVCCTL_BOOT_COLLECT_H

#include "svcctl/boot-samples.h"
#include "svcctl/saved-boot.h"
#include "svcctl/svcctl.h"

/**
 * boot_collect() - the record of this boot, at its end
 * @samples: may be empty
 * Returns: a new object; NULL with @error.
 */
JsonObject *boot_collect(Context *context, const BootSamples *samples, GError **error);

/**
 * boot_collect_login() - find the login screen of this boot
 * Returns: a new object; NULL: there is none, or it is not shown yet.
 */
JsonObject *boot_collect_login(Context *context);

/* Replaces the samples of a record. */
void boot_collect_samples(JsonObject *record, const BootSamples *samples, int64_t init_us);

/**
 * boot_collect_changes() - the last changes of each service's state
 * Returns: a new array of BootChange *; NULL with @error.
 */
GPtrArray *boot_collect_changes(Context *context, GError **error);

/* When PID 1 started, CLOCK_MONOTONIC; -1 with @error. */
int64_t boot_init_started(Context *context, GError **error);

/*
 * Is @boot the record of this boot? The kernel's boot id is not enough, because all containers of a
 * machine have the same one. @init_us: -1: not known, so only the boot id is compared.
 */
bool boot_is_this(const SavedBoot *boot, int64_t init_us);

#endif
