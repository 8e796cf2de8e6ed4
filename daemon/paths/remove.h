/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Remove: a directory with all that is in it, though what is in it belongs to others.
 */
#ifndef SVCD_PATHS_REMOVE_H
#define SVCD_PATHS_REMOVE_H

/* Directories within directories; who makes more keeps them. */
#define REMOVE_DEPTH 200

/**
 * remove_tree() - remove @name in the directory @parent, of whatever kind it is
 *
 * No symbolic link is followed, and no other file system entered: a mount point stays, and is EBUSY.
 * Returns: 0, also when there is none, or the errno of the first thing that could not be removed; the rest is.
 */
int remove_tree(int parent, const char *name);

/* The same for the path "a/b" below the directory @root; what leads to it stays, and no link on the way is followed. */
int remove_below(const char *root, const char *path);

#endif
