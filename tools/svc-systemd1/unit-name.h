/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Unit name: the units of systemd that svc-systemd1 knows, their object paths and their cgroups.
 */
#ifndef SVCD_SYSTEMD1_UNIT_NAME_H
#define SVCD_SYSTEMD1_UNIT_NAME_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#define SYSTEMD1_PATH "/org/freedesktop/systemd1"
#define SYSTEMD1_UNIT_PREFIX SYSTEMD1_PATH "/unit/"
#define SYSTEMD1_JOB_PREFIX SYSTEMD1_PATH "/job/"

/* systemd.unit(5) */
enum { UNIT_NAME_MAX = 255 };

typedef enum UnitKind {
	UNIT_OTHER, /* not a unit of this program */
	UNIT_SCOPE, /* session-3.scope */
	UNIT_USER_SLICE, /* user-1000.slice */
	UNIT_USER_MANAGER, /* user@1000.service */
	UNIT_RUNTIME_DIR, /* user-runtime-dir@1000.service */
	UNIT_GETTY, /* autovt@tty3.service */
	UNIT_MACHINE_END, /* poweroff.target, reboot.target, halt.target */
	UNIT_SLEEP, /* suspend.target, hibernate.target ... */
} UnitKind;

/* A name that is too long or has other characters than systemd.unit(5) allows is UNIT_OTHER. */
UnitKind unit_name_kind(const char *name);

/* The user of a slice, a user manager or a runtime directory. Returns: false for other names. */
bool unit_name_uid(const char *name, uint32_t *ret_uid);

/* The part between '@' and the suffix, or before the suffix if there is no '@'. */
char *unit_name_instance(const char *name);

/* Bytes other than letters and digits become "_xx", and a digit in first place, too. */
char *unit_name_to_object(const char *name);
/* Returns: NULL if @path is not the path of a unit. */
char *unit_name_from_object(const char *path);

/* The cgroup, relative to the top: "user.slice/user-1000.slice/session-3.scope". */
char *unit_name_cgroup(const char *name, uint32_t uid);

#endif
