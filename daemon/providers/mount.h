/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Mount: which paths are mount points, from /proc/self/mountinfo (proc(5)).
 */
#ifndef SVCD_PROVIDERS_MOUNT_H
#define SVCD_PROVIDERS_MOUNT_H

#include <glib.h>

#include "providers/provider.h"

/* @points: set of the points that are mounted, unmounted or mounted over now, valid for the call; NULL: it may be any. */
typedef void MountsChanged(void *data, GHashTable *points);

typedef enum MountKind {
	MOUNT_NONE,      /* no mount point */
	MOUNT_LOCAL,     /* the kernel answers for it */
	MOUNT_ELSEWHERE, /* another machine or a process answers for it, or does not, and a look waits */
	MOUNT_AUTOMATIC, /* a look into it mounts something */
} MountKind;

/*
 * What is mounted on top at @place, which has no link in it, at this moment, even if no change was reported yet. The root and /usr are
 * never elsewhere: a machine whose root is on NFS must boot.
 */
MountKind mount_provider_kind(Provider *provider, const char *place);

/* If the table has changed, it is read and reported now, and not when its turn comes. */
void mount_provider_update(Provider *provider);

/**
 * mount_provider_new() - watch the table of mounts
 * @fd: the table, open; taken. It signals changes by POLLPRI. -1: there is none
 * @changed:   called after each change, when reports are out: what lies below these points has changed too; may be NULL
 */
Provider *mount_provider_new(const ProviderSink *sink, int fd, MountsChanged *changed, void *data);

#endif
