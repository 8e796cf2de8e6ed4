/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Volumes: from the lines of /etc/fstab to services and the policy that wants them.
 *
 * /srv/data becomes the task mount-srv-data, swap on LABEL=fast the task swap-label-fast. A device that the boot waits for
 * (no nofail) gets a task device-label-fast, which looks out for it for 90 seconds. The whole story: services.d/README.md.
 */
#ifndef SVCD_GENERATE_VOLUMES_H
#define SVCD_GENERATE_VOLUMES_H

#include <glib.h>

#include "svc-generate/fstab.h"
#include "svc-generate/output.h"

/* Adds the files for all @entries (FstabEntry *), "/" apart, which is the service checkroot. */
void volumes_generate(const GPtrArray *entries, Output *output);

/**
 * volume_mount_name() - "/srv/my-data" -> "mount-srv-my--data"
 *
 * One name for one path: "/" becomes "-", "-" becomes "--", other bytes that names cannot have become +xx, and what
 * would be too long ends in a checksum.
 */
char *volume_mount_name(const char *target);

/**
 * volume_device_path() - where udev puts the device: "LABEL=my data" -> "/dev/disk/by-label/my\x20data"
 * Returns: a new string; NULL when @source is no device.
 */
char *volume_device_path(const char *source);

#endif
