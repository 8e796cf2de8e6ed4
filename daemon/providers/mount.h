/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Mount: which paths are mount points, from /proc/self/mountinfo (proc(5)).
 */
#ifndef SVCD_PROVIDERS_MOUNT_H
#define SVCD_PROVIDERS_MOUNT_H

#include <glib.h>

#include "providers/provider.h"

/*
 * @points: the points that were mounted, unmounted or mounted over, valid during the call; NULL:
 * any point may have changed.
 */
typedef void MountsChanged(void *data, GHashTable *points);

typedef enum MountPointKind {
	MOUNT_NONE, /* no mount point */
	MOUNT_LOCAL, /* the kernel handles it */
	MOUNT_REMOTE, /* a remote machine or a process handles it, so a look-up may block */
	MOUNT_AUTOMATIC, /* a look-up mounts something */
} MountPointKind;

/*
 * The kind of the top mount at @path (a path without links) at this moment, even if no change was
 * reported yet. The root and /usr are never MOUNT_REMOTE, because a machine with its root on NFS
 * must boot.
 */
MountPointKind mount_provider_kind(Provider *provider, const char *path);

/* If the table has changed, it is read and reported at once, not in a later turn. */
void mount_provider_update(Provider *provider);

/**
 * mount_provider_new() - watch the table of mounts
 * @fd: the table, open; taken. It signals changes by POLLPRI. -1: there is no table
 * @changed: called after the reports of each change: paths below these points have changed, too;
 * may be NULL
 */
Provider *mount_provider_new(const ProviderSink *sink, int fd, MountsChanged *changed, void *data);

#endif
