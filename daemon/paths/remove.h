/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Remove: removes a directory with all its content, even if other users own the content.
 */
#ifndef SVCD_PATHS_REMOVE_H
#define SVCD_PATHS_REMOVE_H

/* The maximal depth of directories. A deeper tree stays. */
#define REMOVE_DEPTH 200

/**
 * remove_tree() - remove @name, a file of any type, from the directory @parent
 *
 * No symbolic link is followed, and no other file system is entered: a mount point stays and gives
 * EBUSY.
 * Returns: 0, also if @name does not exist; otherwise the errno of the first failure. Even then,
 * everything else is removed.
 */
int remove_tree(int parent, const char *name);

/*
 * Removes a path such as "a/b" below the directory @root in the same way. The directories above its
 * last component stay, and no link is followed.
 */
int remove_below(const char *root, const char *path);

#endif
