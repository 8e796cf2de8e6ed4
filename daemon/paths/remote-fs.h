/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Remote file systems: those that another machine or a process serves. An access to a path on such
 * a file system may wait for ever.
 */
#ifndef SVCD_PATHS_REMOTE_FS_H
#define SVCD_PATHS_REMOTE_FS_H

#include <stdbool.h>

/* @type: as in mountinfo, "nfs4", "fuse.sshfs" */
bool remote_fs_is_type(const char *type);

/* The root and /usr count as local, because a machine with an NFS root must boot. */
bool remote_fs_is_exempt(const char *mount_point);

/**
 * remote_fs_above() - the mount point of the remote file system that a path is on
 *
 * Reads the mount table of this process and does not touch the path. Symbolic links on the way are
 * not followed.
 * Returns: a new string, to be freed with free(3); NULL if the file system is local, or the table
 * cannot be read.
 */
char *remote_fs_above(const char *path);

#endif
