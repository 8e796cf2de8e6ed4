/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Volumes: from the lines of /etc/fstab to services and the policy that wants them.
 *
 * /srv/data becomes the task mount-srv-data, swap on LABEL=fast the task swap-label-fast. Each is up while its device is
 * there, by what udev says; the boot waits for it for 90 seconds (nofail: not at all). The whole story: services.d/README.md.
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

/* "home" of /etc/crypttab -> "crypt-home", in the same way. */
char *volume_crypt_name(const char *mapping);

/**
 * volume_device_condition() - true while the device is there: "LABEL=my data" -> "label:my data"
 *
 * What has no condition of its own, such as a label of a partition, is known by the link that udev makes for it.
 * Returns: a new string; NULL when @source is no device.
 */
char *volume_device_condition(const char *source);

/* The service of an entry that is not "/": "mount-home", "swap-label-fast"; a new string. */
char *volume_service_name(const FstabEntry *entry);

/**
 * volume_append_holder() - a line for what lies on another volume, such as a file with a key
 *
 * That volume is needed; one that is mounted by hand only is merely waited for. Nothing for what lies on the root's.
 * @key: how it is needed, "While" or "When"; @entry: not to be taken for the holder; may be NULL
 */
void volume_append_holder(GString *text, const char *key, const GPtrArray *entries, const char *path,
			  const FstabEntry *entry);

#endif
