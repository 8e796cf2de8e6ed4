/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tree: files below a scratch directory.
 */
#include "config.h"

#include "tests/lib/tree.h"

#include <check.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/lib/scratch.h"

Tree *tree_new(void)
{
	Tree *tree = g_new0(Tree, 1);

	tree->root = scratch_new();
	return tree;
}

void tree_free(Tree *tree)
{
	if (!tree)
		return;
	scratch_free(tree->root);
	g_free(tree);
}

char *tree_path(const Tree *tree, const char *path)
{
	return g_build_filename(tree->root, path, NULL);
}

static char *path_with_parents(const Tree *tree, const char *path)
{
	char *whole = tree_path(tree, path);
	g_autofree char *parent = g_path_get_dirname(whole);

	ck_assert_int_eq(g_mkdir_with_parents(parent, 0755), 0);
	return whole;
}

void tree_write_bytes(const Tree *tree, const char *path, const char *bytes, gsize length)
{
	g_autofree char *whole = path_with_parents(tree, path);

	/* The file may be absent. Without this call the end of a longer file would remain. */
	(void)!truncate(whole, 0);
	ck_assert(g_file_set_contents_full(whole, bytes, (gssize)length, G_FILE_SET_CONTENTS_NONE,
					   0644, NULL));
}

char *tree_read(const Tree *tree, const char *path)
{
	g_autofree char *whole = tree_path(tree, path);
	char *text = NULL;

	if (!g_file_get_contents(whole, &text, NULL, NULL))
		text = g_strdup("");
	return text;
}

void tree_write(const Tree *tree, const char *path, const char *text)
{
	tree_write_bytes(tree, path, text, strlen(text));
}

void tree_mkdir(const Tree *tree, const char *path)
{
	g_autofree char *whole = tree_path(tree, path);

	ck_assert_int_eq(g_mkdir_with_parents(whole, 0755), 0);
}

void tree_symlink(const Tree *tree, const char *target, const char *path)
{
	g_autofree char *whole = path_with_parents(tree, path);

	ck_assert_int_eq(symlink(target, whole), 0);
}

void tree_link_script(const Tree *tree, const char *runlevel, const char *link)
{
	g_autofree char *path = g_strdup_printf("/etc/rc%s.d/%s", runlevel, link);
	g_autofree char *script = g_strconcat("../init.d/", link + strlen("S01"), NULL);

	tree_symlink(tree, script, path);
}
