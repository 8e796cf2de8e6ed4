/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Safe path: where a path leads is not for others to say. Root opens files in directories that belong to services and users,
 * who can replace whatever is in them at any moment: a symbolic link there would make root read, change or give away a file
 * that its owner cannot reach.
 *
 * A symbolic link is followed only where nobody but root, or who runs this, can have put it: it belongs to one of the two, and
 * so do all directories on the way to it, and nobody else may write to them (in one with the sticky bit, such as /tmp,
 * others may, but not replace what is not theirs).
 */
#ifndef SVCD_PATHS_SAFE_PATH_H
#define SVCD_PATHS_SAFE_PATH_H

#include <stdbool.h>
#include <sys/types.h>

/**
 * safe_open() - open(2), but for symbolic links that others can have put there
 * Returns: a descriptor with O_CLOEXEC, or -1; errno is ELOOP for such a link.
 */
int safe_open(const char *path, int flags, mode_t mode);

/**
 * safe_open_of_root() - the same, and what a link leads to must lie where nobody else can replace it
 *
 * For files that say what root is to do. A path without any link is for the caller to judge.
 */
int safe_open_of_root(const char *path, int flags);

/* A directory, and who besides root can replace what is on the way to it. */
typedef struct SafeParent {
	int fd;           /* O_PATH */
	const char *name; /* the last component, in the path that was given */
	bool is_foreign;  /* others can: */
	uid_t uid;        /* somebody who may do in the first such directory what those others may, ... */
	gid_t gid;        /* ... and nothing that they may not */
} SafeParent;

/**
 * safe_take_rights() - have no more rights to files than @uid and @gid; called again, with our own, it gives those back
 * Returns: false when we may not be them, and may be anybody to files: give back all the same.
 */
bool safe_take_rights(uid_t uid, gid_t gid);

/**
 * safe_open_parent() - the directory that holds the last component of @path
 * @make_mode: directories that are missing get this mode; 0: they are not made. In one of others they are made as theirs
 * Returns: false with errno. Close ret->fd.
 */
bool safe_open_parent(const char *path, mode_t make_mode, SafeParent *ret);

#endif
