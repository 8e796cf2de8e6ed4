/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Volumes: makes services from the lines of /etc/fstab, and the policy that wants them.
 *
 * /srv/data becomes the task mount-srv-data, swap on LABEL=fast the task swap-label-fast. Each is
 * up while udev reports its device. The boot waits for the device for 90 seconds (nofail: not at
 * all). services.d/README.md has the details.
 */
#ifndef SVCD_GENERATE_VOLUMES_H
#define SVCD_GENERATE_VOLUMES_H

#include <glib.h>

#include "svc-generate/fstab.h"
#include "svc-generate/generated-files.h"

/* Adds the files for all @entries (FstabEntry *), except "/", which is the service checkroot. */
void volumes_generate(const GPtrArray *entries, GeneratedFiles *output);

/**
 * volume_mount_name() - "/srv/my-data" -> "mount-srv-my--data"
 *
 * Each path has one name: "/" becomes "-", "-" becomes "--", other bytes that are invalid in names
 * become +xx. An overlong name ends with a checksum.
 */
char *volume_mount_name(const char *target);

/* "home" of /etc/crypttab -> "crypt-home", in the same way. */
char *volume_crypt_name(const char *mapping);

/**
 * volume_device_condition() - true while the device is there: "LABEL=my data" -> "label:my data"
 *
 * A source without its own condition, such as the label of a partition, uses the link that udev
 * makes for it.
 * Returns: a new string; NULL if @source is not a device.
 */
char *volume_device_condition(const char *source);

/* The service of an entry that is not "/": "mount-home", "swap-label-fast"; a new string. */
char *volume_service_name(const FstabEntry *entry);

/**
 * volume_append_holder() - a line for a file on another volume, such as a key
 *
 * That volume is needed. If it is only mounted by hand, the service merely waits for it. Adds
 * nothing for a file on the root.
 * @key: the kind of requirement, "While" or "When"; @entry: is never the other volume; may be NULL
 */
void volume_append_holder(GString *text, const char *key, const GPtrArray *entries,
			  const char *path, const FstabEntry *entry);

/* "KEY=word word ...", quoted where necessary. */
void volume_append_tokens(GString *text, const char *key, ...) G_GNUC_NULL_TERMINATED;

/*
 * Adds a line to the policy @file: the boot wants the service @name, or with noauto only an admin
 * starts it.
 */
void volume_append_policy(GeneratedFiles *output, const char *file, Origin origin, bool is_noauto,
			  const char *name);

#endif
