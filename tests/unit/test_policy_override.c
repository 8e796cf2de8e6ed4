/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Overrides: drop-ins that change how a service runs, and refusals before a drop-in is written.
 */
#include "config.h"

#include <check.h>
#include <string.h>

#include "tests/lib/edit-world.h"
#include "tests/lib/suite.h"

START_TEST(an_override_is_a_drop_in_with_the_right_section)
{
	g_autoptr(Tree) tree = edit_machine();
	g_autoptr(Change) change = change_new(tree->root, false);

	ck_assert(change_set_override(change, "ssh", "Nice", "5", NULL));
	ck_assert(change_set_override(change, "ssh", "While", "network:up", NULL));
	edit_apply(change);
	edit_expect_file(tree, DROP_IN,
			 HEAD "\n[Service]\nNice=5\n\n[Conditions]\nWhile=network:up\n");
}
END_TEST

START_TEST(an_override_may_give_a_list_several_values_and_anything_else_one)
{
	g_autoptr(Tree) tree = edit_machine();
	g_autoptr(Change) change = change_new(tree->root, false);
	g_autoptr(GError) error = NULL;

	tree_write(tree, DROP_IN, "[Conditions]\nWhen=path:/old\n");
	ck_assert(change_set_override(change, "ssh", "When", "", NULL));
	ck_assert(change_set_override(change, "ssh", "When", "path:/a", NULL));
	ck_assert(change_set_override(change, "ssh", "When", "path:/b", NULL));
	ck_assert(change_set_override(change, "ssh", "Nice", "5", NULL));
	ck_assert(!change_set_override(change, "ssh", "Nice", "6", &error));
	edit_expect_error(tree, &error, "Nice= takes one value, but two are given");
	edit_apply(change);
	edit_expect_file(tree, DROP_IN,
			 "[Conditions]\nWhen=\nWhen=path:/a\nWhen=path:/b\n\n[Service]\nNice=5\n");
}
END_TEST

START_TEST(an_override_of_policy_names_the_verb_for_it)
{
	g_autoptr(Tree) tree = edit_machine();
	g_autoptr(Change) change = change_new(tree->root, false);
	g_autoptr(GError) error = NULL;

	ck_assert(!change_set_override(change, "ssh", "Activation", "never", &error));
	edit_expect_error(
		tree, &error,
		"Activation= is policy, not a setting of the service; use \"svcctl set ssh "
		"boot|on-demand|manual|never\", with --runlevel and --reason");
	ck_assert(!change_set_override(change, "ssh", "Nicee", "5", &error));
	edit_expect_error(tree, &error, "unknown key Nicee= in [Service]; did you mean Nice=?");
	ck_assert(change_is_empty(change));
}
END_TEST

START_TEST(an_override_for_an_unknown_service_is_refused)
{
	g_autoptr(Tree) tree = edit_machine();
	g_autoptr(Change) change = change_new(tree->root, false);
	g_autoptr(GError) error = NULL;

	ck_assert(change_set_override(change, "crom", "Nice", "5", NULL));
	ck_assert(!change_apply(change, &edit_author, NULL, &error));
	edit_expect_error(
		tree, &error,
		SVCD_SYSCONFDIR
		"/services.d/crom.svc.d/90-svcctl.conf: there is no service \"crom\"; did you "
		"mean \"cron\"?");
}
END_TEST

START_TEST(revert_removes_all_overrides_of_one_service_and_nothing_else)
{
	g_autoptr(Tree) tree = edit_machine();
	g_autoptr(Change) change = change_new(tree->root, false);
	g_autoptr(Change) revert = change_new(tree->root, false);

	ck_assert(change_set_policy(change, "ssh", "Activation", "never", NULL));
	ck_assert(change_set_policy(change, "ssh", "Reason", "rule 12", NULL));
	ck_assert(change_set_policy(change, "cron", "Activation", "boot", NULL));
	ck_assert(change_set_override(change, "ssh", "Nice", "5", NULL));
	edit_apply(change);
	ck_assert(change_revert(revert, "ssh", NULL));
	edit_apply(revert);
	edit_expect_file(tree, POLICY_EDIT_FILE, HEAD "\n[service cron]\nActivation=boot\n");
	edit_expect_file(tree, DROP_IN, NULL);
	edit_undo(tree, 0);
	edit_expect_file(tree, DROP_IN, HEAD "\n[Service]\nNice=5\n");
}
END_TEST

/* --- ordering --- */

static const struct {
	const char *key;
	const char *value;
	const char *expected;
} refused_orders[] = {
	{ "After", "cron", "closes a cycle" },
	{ "Before", "crom", "there is no service \"crom\"; did you mean \"cron\"?" },
	{ "Wants", "cron nobody", "there is no service \"nobody\"" },
};

START_TEST(an_override_with_an_order_that_cannot_be_kept_is_refused)
{
	g_autoptr(Tree) tree = edit_machine();
	g_autoptr(Change) change = change_new(tree->root, false);
	g_autoptr(GError) error = NULL;

	tree_write(tree, VENDOR "cron.svc", PLAIN "[Conditions]\nAfter=ssh gone\n");
	ck_assert(change_set_override(change, "ssh", refused_orders[_i].key,
				      refused_orders[_i].value, NULL));
	ck_assert(!change_apply(change, &edit_author, NULL, &error));
	ck_assert_msg(strstr(error->message, refused_orders[_i].expected) != NULL, "%s",
		      error->message);
	edit_expect_file(tree, DROP_IN, NULL);
}
END_TEST

START_TEST(an_order_that_was_dropped_before_blocks_no_override)
{
	g_autoptr(Tree) tree = edit_machine();
	g_autoptr(Change) change = change_new(tree->root, false);

	tree_write(tree, VENDOR "cron.svc", PLAIN "[Conditions]\nAfter=ssh\nBefore=ssh\n");
	ck_assert(change_set_override(change, "ssh", "Nice", "5", NULL));
	ck_assert(change_set_override(change, "ssh", "After", "$syslog getty@tty1", NULL));
	ck_assert(change_set_override(change, "ssh", "Conflicts", "nobody", NULL));
	edit_apply(change);
}
END_TEST

START_TEST(a_change_that_would_close_a_circle_is_refused_with_the_circle)
{
	g_autoptr(Tree) tree = edit_machine();
	g_autoptr(Change) change = change_new(tree->root, false);
	g_autoptr(GError) error = NULL;

	tree_write(tree, VENDOR "cron.svc", PLAIN "[Conditions]\nWhile=service:ssh\n");
	ck_assert(change_set_override(change, "ssh", "While", "service:cron", NULL));
	ck_assert(!change_apply(change, &edit_author, NULL, &error));
	ck_assert_ptr_nonnull(strstr(error->message, "cron"));
	ck_assert_ptr_nonnull(strstr(error->message, "(and 1 more)"));
	edit_expect_file(tree, DROP_IN, NULL);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("policy-override");

	ADD_CASE(suite, "override", an_override_is_a_drop_in_with_the_right_section,
		 an_override_may_give_a_list_several_values_and_anything_else_one,
		 an_override_of_policy_names_the_verb_for_it,
		 an_override_for_an_unknown_service_is_refused,
		 revert_removes_all_overrides_of_one_service_and_nothing_else);
	suite_add_loop(suite, "orders that cannot be kept",
		       an_override_with_an_order_that_cannot_be_kept_is_refused,
		       G_N_ELEMENTS(refused_orders));
	ADD_CASE(suite, "orders", an_order_that_was_dropped_before_blocks_no_override,
		 a_change_that_would_close_a_circle_is_refused_with_the_circle);
	return suite;
}
