/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Edit world: a machine with three services, for policy changes and their undo.
 */
#include "config.h"

#include "tests/lib/edit-world.h"

#include <check.h>

const ChangeAuthor edit_author = { .uid = 1000, .command = "svcctl set ssh never" };

Tree *edit_machine(void)
{
	Tree *tree = tree_new();

	tree_write(tree, VENDOR "ssh.svc", PLAIN);
	tree_write(tree, VENDOR "cron.svc", PLAIN);
	tree_write(tree, VENDOR "getty@.svc", PLAIN);
	return tree;
}

void edit_expect_file(const Tree *tree, const char *path, const char *expected)
{
	g_autofree char *whole = tree_path(tree, path);
	g_autofree char *text = NULL;

	(void)g_file_get_contents(whole, &text, NULL, NULL); /* NULL: no such file */
	if (expected && text)
		ck_assert_str_eq(text, expected);
	else
		ck_assert_msg(!expected && !text, "%s: %s", path, text ? text : "is not there");
}

uint64_t edit_apply(Change *change)
{
	g_autoptr(GError) error = NULL;
	uint64_t number = 0;

	ck_assert_msg(change_apply(change, &edit_author, &number, &error), "%s",
		      error ? error->message : "");
	return number;
}

void edit_expect_error(const Tree *tree, GError **error, const char *expected)
{
	g_auto(GStrv) parts = NULL;
	g_autofree char *message = NULL;

	ck_assert_ptr_nonnull(*error);
	parts = g_strsplit((*error)->message, tree->root, -1);
	message = g_strjoinv("", parts);
	ck_assert_str_eq(message, expected);
	g_clear_error(error);
}

uint64_t edit_set(const Tree *tree, const char *service, const char *key, const char *value)
{
	g_autoptr(Change) change = change_new(tree->root, false);
	g_autoptr(GError) error = NULL;

	ck_assert_msg(change_set_policy(change, service, key, value, &error), "%s",
		      error ? error->message : "");
	return edit_apply(change);
}

uint64_t edit_undo(const Tree *tree, uint64_t number)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(Change) change = history_undo(tree->root, number, &error);

	ck_assert_msg(change != NULL, "%s", error ? error->message : "");
	return edit_apply(change);
}
