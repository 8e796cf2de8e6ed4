/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tree: files below a root directory that any user may have filled. Symbolic links never lead out
 * of it.
 */
#ifndef SVCD_LSB_COMPAT_TREE_H
#define SVCD_LSB_COMPAT_TREE_H

#include <glib.h>
#include <stdbool.h>
#include <sys/stat.h>

typedef struct LsbTree {
	int root_fd; /* -1: there is no such directory */
	bool is_whole; /* the root is the process's own, so no path leads out of it */
} LsbTree;

void lsb_tree_init(LsbTree *tree, const char *root);
void lsb_tree_clear(LsbTree *tree);

/*
 * Returns: the entries of a directory without "." and "..", sorted; a new array of strings, empty
 * if there is no directory.
 */
GPtrArray *lsb_tree_list(const LsbTree *tree, const char *directory);

/* As stat(2) and lstat(2), below the root; false with errno. */
bool lsb_tree_stat(const LsbTree *tree, const char *path, bool follow, struct stat *ret);

/* Returns: the target of a symbolic link, as written; a new string, NULL if @path is not a link. */
char *lsb_tree_read_link(const LsbTree *tree, const char *path);

/**
 * lsb_tree_read() - the content of a regular file
 * @ret_problem: on failure one sentence without the file's name, a new string; NULL: there is no
 * such file
 * Returns: the bytes with a NUL after them that @ret_length does not count; NULL on failure.
 */
char *lsb_tree_read(const LsbTree *tree, const char *path, gsize max_bytes, gsize *ret_length,
		    char **ret_problem);

#endif
