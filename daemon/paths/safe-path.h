/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Safe path: opens files where other users must not decide where a path leads. Root opens files in
 * directories that belong to services and users. Those services and users can replace the contents
 * at any moment. A symbolic link there could make root read, change or give away a file that its
 * owner cannot reach.
 *
 * A symbolic link is followed only if no one except root and the calling user can have created it:
 * the link and all directories on the way belong to one of the two, and no one else may write to
 * these directories. (In a directory with the sticky bit, such as /tmp, others may write, because
 * they cannot replace files of other users.)
 */
#ifndef SVCD_PATHS_SAFE_PATH_H
#define SVCD_PATHS_SAFE_PATH_H

#include <stdbool.h>
#include <sys/types.h>

/**
 * safe_open() - open(2), except that symbolic links that other users could have created are refused
 * Returns: a descriptor with O_CLOEXEC, or -1; errno is ELOOP for such a link.
 */
int safe_open(const char *path, int flags, mode_t mode);

/**
 * safe_open_of_root() - like safe_open(), and a link must lead to a place where no other user can
 * replace the file
 *
 * For files that contain instructions for root. The caller itself checks paths without links.
 */
int safe_open_of_root(const char *path, int flags);

/* A directory, and the users besides root that can replace something on the way to it. */
typedef struct SafeParent {
	int fd; /* O_PATH */
	const char *name; /* the last component, inside the given path */
	bool is_foreign; /* other users can replace something; only then are @uid and @gid set */
	/* ids with the rights that these users have in the first such directory */
	uid_t uid;
	gid_t gid;
} SafeParent;

/**
 * safe_take_rights() - reduce the rights to files to those of @uid and @gid; a second call with our
 * own ids restores them
 * Returns: false if these ids cannot be taken; the caller must then restore the rights, too.
 */
bool safe_take_rights(uid_t uid, gid_t gid);

/**
 * safe_open_parent() - open the directory that contains the last component of @path
 * @make_mode: mode of missing directories; 0: they are not made. In another user's directory they
 * belong to that user
 * Returns: false with errno. The caller closes ret->fd.
 */
bool safe_open_parent(const char *path, mode_t make_mode, SafeParent *ret);

#endif
