/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The history of policy: steps, and their undo.
 */
#include "config.h"

#include <check.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"
#include "tests/lib/diags.h"
#include "tests/lib/edit-world.h"
#include "tests/lib/suite.h"

START_TEST(the_history_lists_author_time_change_and_file_newest_first)
{
	g_autoptr(Tree) tree = edit_machine();
	const gint64 begun_us = g_get_real_time();
	g_autoptr(GPtrArray) steps = NULL;
	const HistoryStep *step;

	edit_set(tree, "ssh", "Activation", "never");
	edit_set(tree, "cron", "Activation", "boot");
	steps = history_list(tree->root, NULL, NULL);
	ck_assert_uint_eq(steps->len, 2);
	step = g_ptr_array_index(steps, 0);
	ck_assert_uint_eq(step->number, 2);
	step = g_ptr_array_index(steps, 1);
	ck_assert_uint_eq(step->number, 1);
	ck_assert_uint_eq(step->uid, 1000);
	ck_assert_str_eq(step->command, "svcctl set ssh never");
	ck_assert_str_eq(step->paths[0], POLICY_EDIT_FILE);
	ck_assert_ptr_null(step->paths[1]);
	ck_assert_int_ge(step->at_us, begun_us);
}
END_TEST

START_TEST(undo_goes_back_step_by_step_and_an_undo_can_be_undone)
{
	g_autoptr(Tree) tree = edit_machine();
	g_autoptr(GError) error = NULL;

	edit_set(tree, "ssh", "Activation", "never");
	edit_set(tree, "ssh", "Activation", "manual");
	ck_assert_uint_eq(edit_undo(tree, 0), 3);
	edit_expect_file(tree, POLICY_EDIT_FILE, HEAD "\n[service ssh]\nActivation=never\n");
	ck_assert_uint_eq(edit_undo(tree, 0), 4);
	edit_expect_file(tree, POLICY_EDIT_FILE, NULL);
	ck_assert_ptr_null(history_undo(tree->root, 0, &error));
	edit_expect_error(tree, &error, "there is nothing to undo");
	ck_assert_uint_eq(edit_undo(tree, 4), 5);
	edit_expect_file(tree, POLICY_EDIT_FILE, HEAD "\n[service ssh]\nActivation=never\n");
	ck_assert_uint_eq(edit_undo(tree, 3), 6);
	edit_expect_file(tree, POLICY_EDIT_FILE, HEAD "\n[service ssh]\nActivation=manual\n");
	ck_assert_uint_eq(edit_undo(tree, 0), 7);
	edit_expect_file(tree, POLICY_EDIT_FILE, HEAD "\n[service ssh]\nActivation=never\n");
}
END_TEST

START_TEST(a_step_whose_files_are_as_before_it_is_not_in_effect)
{
	g_autoptr(Tree) tree = edit_machine();
	g_autoptr(DiagList) diags = diag_list_new();
	g_autoptr(GPtrArray) steps = NULL;
	g_autoptr(GError) error = NULL;
	const char *first = HEAD "\n[service ssh]\nActivation=never\n";

	edit_set(tree, "ssh", "Activation", "never");
	edit_set(tree, "ssh", "Activation", "manual");
	/* An edit by hand, or a power failure before the write, has the same effect. */
	tree_write(tree, POLICY_EDIT_FILE, first);

	steps = history_list(tree->root, diags, NULL);
	expect_diags(diags, POLICY_EDIT_HISTORY
		     ": warning: step 2 is not in effect: its files are as before this step\n");
	ck_assert_ptr_null(history_undo(tree->root, 2, &error));
	edit_expect_error(tree, &error,
			  "step 2 is not in effect: its files are as before this step");
	ck_assert_uint_eq(edit_undo(tree, 0), 3);
	edit_expect_file(tree, POLICY_EDIT_FILE, NULL);
}
END_TEST

/* Step 2, which undoes step 1, was not written, so step 1 is still in effect. */
START_TEST(an_undo_that_was_not_written_can_be_repeated)
{
	g_autoptr(Tree) tree = edit_machine();
	const char *first = HEAD "\n[service ssh]\nActivation=never\n";

	edit_set(tree, "ssh", "Activation", "never");
	edit_undo(tree, 0);
	tree_write(tree, POLICY_EDIT_FILE, first);

	ck_assert_uint_eq(edit_undo(tree, 0), 3);
	edit_expect_file(tree, POLICY_EDIT_FILE, NULL);
}
END_TEST

/* A file that cannot be read is not a missing file: undo does not go on to an older step. */
START_TEST(undo_reports_an_unreadable_file)
{
	g_autoptr(Tree) tree = edit_machine();
	g_autofree char *path = tree_path(tree, POLICY_EDIT_FILE);
	g_autoptr(GError) error = NULL;

	edit_set(tree, "ssh", "Activation", "never");
	ck_assert_uint_eq(edit_undo(tree, 0), 2);
	edit_set(tree, "cron", "Activation", "boot");
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(mkdir(path, 0755), 0);

	ck_assert_ptr_null(history_undo(tree->root, 0, &error));
	edit_expect_error(tree, &error,
			  SVCD_SYSCONFDIR "/policy.d/90-svcctl.policy is not a regular file");
}
END_TEST

START_TEST(a_command_that_is_not_utf_8_gets_into_the_history)
{
	static const ChangeAuthor author = { .command = "svcctl set ssh Reason=\xff" };
	g_autoptr(Tree) tree = edit_machine();
	g_autoptr(Change) change = change_new(tree->root, false);
	g_autoptr(GPtrArray) steps = NULL;
	const HistoryStep *step;
	uint64_t number;

	ck_assert(change_set_policy(change, "ssh", "Activation", "never", NULL));
	ck_assert(change_apply(change, &author, &number, NULL));
	steps = history_list(tree->root, NULL, NULL);
	step = g_ptr_array_index(steps, 0);
	ck_assert_uint_eq(step->number, number);
	ck_assert_str_eq(step->command, "svcctl set ssh Reason=\xef\xbf\xbd");
}
END_TEST

START_TEST(undo_is_refused_after_a_later_change)
{
	g_autoptr(Tree) tree = edit_machine();
	g_autoptr(GError) error = NULL;

	edit_set(tree, "ssh", "Activation", "never");
	edit_set(tree, "cron", "Activation", "boot");
	ck_assert_ptr_null(history_undo(tree->root, 1, &error));
	edit_expect_error(tree, &error,
			  "step 1 cannot be undone: step 2 has changed " SVCD_SYSCONFDIR
			  "/policy.d/90-svcctl.policy since; undo the "
			  "later steps first");
	tree_write(tree, POLICY_EDIT_FILE, "# mine now\n");
	ck_assert_ptr_null(history_undo(tree->root, 2, &error));
	edit_expect_error(tree, &error,
			  "step 2 cannot be undone: " SVCD_SYSCONFDIR
			  "/policy.d/90-svcctl.policy has been changed by hand since");
	ck_assert_ptr_null(history_undo(tree->root, 9, &error));
	edit_expect_error(
		tree, &error,
		"there is no step 9 in the history; \"svcctl policy log\" lists the steps");
}
END_TEST

START_TEST(undo_restores_exactly_whatever_was_changed)
{
	static const char *const services[] = { "ssh", "cron", "getty@tty1" };
	static const char *const values[] = { "never", "manual", "boot", NULL };
	g_autoptr(Tree) tree = edit_machine();
	g_autoptr(GRand) rand = g_rand_new_with_seed((guint32)_i);
	g_autofree char *path = tree_path(tree, POLICY_EDIT_FILE);
	g_autoptr(GPtrArray) texts = g_ptr_array_new_with_free_func(g_free);

	if (_i % 2)
		tree_write(tree, POLICY_EDIT_FILE,
			   "# mine\n\n[service cron]\n# why\nReason=a\n   b\n\n# end\n");
	for (int n = 0; n < 8; n++) {
		g_autofree char *text = NULL;

		(void)g_file_get_contents(path, &text, NULL, NULL); /* NULL: no such file */
		if (edit_set(tree, services[g_rand_int_range(rand, 0, 3)], "Activation",
			     values[g_rand_int_range(rand, 0, 4)]))
			g_ptr_array_add(texts, g_steal_pointer(&text));
	}
	while (texts->len > 0) {
		g_autofree char *text = g_ptr_array_steal_index(texts, texts->len - 1);

		edit_undo(tree, 0);
		edit_expect_file(tree, POLICY_EDIT_FILE, text);
	}
}
END_TEST

START_TEST(without_a_history_directory_the_change_is_made_with_a_warning)
{
	g_autoptr(Tree) tree = edit_machine();
	g_autoptr(Change) change = change_new(tree->root, false);

	tree_write(tree, POLICY_EDIT_HISTORY, "not a directory");
	ck_assert(change_set_policy(change, "ssh", "Activation", "never", NULL));
	ck_assert_uint_eq(edit_apply(change), 0);
	edit_expect_file(tree, POLICY_EDIT_FILE, HEAD "\n[service ssh]\nActivation=never\n");
	ck_assert_ptr_nonnull(strstr(change_warning(change), "the history could not be written: "));
}
END_TEST

START_TEST(an_unreadable_step_is_skipped_and_reported)
{
	g_autoptr(Tree) tree = edit_machine();
	g_autoptr(DiagList) diags = diag_list_new();
	g_autoptr(GPtrArray) steps = NULL;

	edit_set(tree, "ssh", "Activation", "never");
	tree_write(tree, POLICY_EDIT_HISTORY "/000002.step", "(5, 0, 0, 'svcctl', [])");
	steps = history_list(tree->root, diags, NULL);
	ck_assert_uint_eq(steps->len, 1);
	expect_diags(diags,
		     POLICY_EDIT_HISTORY ": warning: step 2: its file in the history is damaged\n");
}
END_TEST

START_TEST(the_oldest_steps_go)
{
	g_autoptr(Tree) tree = edit_machine();
	g_autofree char *path = tree_path(tree, POLICY_EDIT_HISTORY "/000001.step");
	g_autofree char *text = NULL;
	g_autoptr(GPtrArray) steps = NULL;

	edit_set(tree, "ssh", "Activation", "never");
	ck_assert(g_file_get_contents(path, &text, NULL, NULL));
	for (unsigned i = 2; i <= LIMIT_HISTORY_STEPS; i++) {
		g_autofree char *copy = g_strdup_printf(POLICY_EDIT_HISTORY "/%06u.step", i);

		tree_write(tree, copy, text);
	}
	ck_assert_uint_eq(edit_set(tree, "ssh", "Activation", "manual"), LIMIT_HISTORY_STEPS + 1);
	steps = history_list(tree->root, NULL, NULL);
	ck_assert_uint_eq(steps->len, LIMIT_HISTORY_STEPS);
	ck_assert_uint_eq(((HistoryStep *)g_ptr_array_index(steps, steps->len - 1))->number, 2);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("policy-history");

	ADD_CASE(suite, "history", the_history_lists_author_time_change_and_file_newest_first,
		 without_a_history_directory_the_change_is_made_with_a_warning,
		 an_unreadable_step_is_skipped_and_reported,
		 a_command_that_is_not_utf_8_gets_into_the_history, the_oldest_steps_go);
	ADD_CASE(suite, "undo", undo_goes_back_step_by_step_and_an_undo_can_be_undone,
		 a_step_whose_files_are_as_before_it_is_not_in_effect,
		 an_undo_that_was_not_written_can_be_repeated, undo_is_refused_after_a_later_change,
		 undo_reports_an_unreadable_file);
	suite_add_loop(suite, "undo of anything", undo_restores_exactly_whatever_was_changed, 20);
	return suite;
}
