/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tree: a temporary root directory for one test, removed when its variable goes out of scope.
 */
#ifndef SVCD_TESTS_TREE_H
#define SVCD_TESTS_TREE_H

#include <glib.h>

typedef struct Tree {
	char *root;
} Tree;

Tree *tree_new(void);
void tree_free(Tree *tree); /* with its content */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Tree, tree_free)

/* The absolute path of "/etc/x" in the tree; a new string. */
char *tree_path(const Tree *tree, const char *path);

/* The content of a file, a new string; "" if there is none. */
char *tree_read(const Tree *tree, const char *path);

/* Writes a file, mode 0644, and makes its directories. */
void tree_write(const Tree *tree, const char *path, const char *text);
void tree_write_bytes(const Tree *tree, const char *path, const char *bytes, gsize length);
void tree_mkdir(const Tree *tree, const char *path);
void tree_symlink(const Tree *tree, const char *target, const char *path);
/* Makes a SysV link: @link, such as "S01ssh", in /etc/rc@runlevel.d. */
void tree_link_script(const Tree *tree, const char *runlevel, const char *link);

#endif
