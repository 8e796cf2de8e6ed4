/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Policy changes: files, refusals, previews.
 */
#include "config.h"

#include <check.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/errors.h"
#include "base/fd.h"
#include "tests/lib/edit-world.h"
#include "tests/lib/suite.h"

/* --- files --- */

START_TEST(the_file_is_removed_with_its_last_entry)
{
	g_autoptr(Tree) tree = edit_machine();

	edit_set(tree, "ssh", "Activation", "never");
	ck_assert_uint_eq(edit_set(tree, "ssh", "Activation", NULL), 2);
	edit_expect_file(tree, POLICY_EDIT_FILE, NULL);
	ck_assert_uint_eq(edit_set(tree, "ssh", "Activation", NULL), 0);
}
END_TEST

START_TEST(until_reboot_is_written_below_run_without_history)
{
	g_autoptr(Tree) tree = edit_machine();
	g_autoptr(Change) change = change_new(tree->root, true);
	g_autoptr(GPtrArray) steps = NULL;

	ck_assert(change_set_policy(change, "ssh", "Activation", "never", NULL));
	ck_assert(change_set_override(change, "ssh", "Nice", "5", NULL));
	ck_assert_uint_eq(edit_apply(change), 0);
	ck_assert_ptr_null(change_warning(change));
	edit_expect_file(tree, POLICY_EDIT_FILE, NULL);
	edit_expect_file(tree, POLICY_EDIT_FILE_UNTIL_REBOOT,
			 HEAD "\n[service ssh]\nActivation=never\n");
	edit_expect_file(tree, "/run/svcd/services.d/ssh.svc.d/90-svcctl.conf",
			 HEAD "\n[Service]\nNice=5\n");
	steps = history_list(tree->root, NULL, NULL);
	ck_assert_uint_eq(steps->len, 0);
}
END_TEST

START_TEST(instances_of_a_template_are_services_too)
{
	g_autoptr(Tree) tree = edit_machine();

	ck_assert_uint_eq(edit_set(tree, "getty@tty7", "Activation", "boot"), 1);
	ck_assert_uint_eq(edit_set(tree, "getty@", "Activation", "never"), 2);
}
END_TEST

START_TEST(what_others_changed_in_the_meantime_is_kept)
{
	g_autoptr(Tree) tree = edit_machine();
	g_autoptr(Change) change = change_new(tree->root, false);
	g_autoptr(Change) whole = change_new(tree->root, false);
	g_autoptr(GError) error = NULL;

	ck_assert(change_set_policy(change, "ssh", "Activation", "never", NULL));
	ck_assert(change_set_file(whole, POLICY_EDIT_FILE, "[service ssh]\nReason=x\n", NULL));
	edit_set(tree, "cron", "Activation", "boot");
	edit_apply(change);
	edit_expect_file(tree, POLICY_EDIT_FILE,
			 HEAD
			 "\n[service cron]\nActivation=boot\n\n[service ssh]\nActivation=never\n");

	ck_assert(!change_apply(whole, &edit_author, NULL, &error));
	ck_assert(g_error_matches(error, SVCD_ERROR_DOMAIN, SVCD_ERROR_BUSY));
}
END_TEST

START_TEST(a_writer_waits_for_another_and_not_for_ever)
{
	g_autoptr(Tree) tree = edit_machine();
	g_autoptr(Change) change = change_new(tree->root, false);
	g_autofree char *lock = tree_path(tree, "/run/svcd/policy.lock");
	g_autoptr(GError) error = NULL;
	auto_fd int fd = -1;
	struct stat st;

	edit_set(tree, "cron", "Activation", "boot");
	fd = open(lock, O_RDWR | O_CLOEXEC);
	ck_assert_int_eq(flock(fd, LOCK_EX), 0);
	ck_assert_int_eq(fstat(fd, &st), 0);
	ck_assert_uint_eq(st.st_mode & 07777, 0600); /* only root may read it */
	ck_assert(change_set_policy(change, "ssh", "Activation", "never", NULL));
	ck_assert(!change_apply(change, &edit_author, NULL, &error));
	ck_assert(g_error_matches(error, SVCD_ERROR_DOMAIN, SVCD_ERROR_BUSY));
	edit_expect_file(tree, POLICY_EDIT_FILE, HEAD "\n[service cron]\nActivation=boot\n");
	fd_close(&fd);
	edit_apply(change);
}
END_TEST

START_TEST(a_whole_file_may_be_written_where_policy_and_services_are)
{
	g_autoptr(Tree) tree = edit_machine();
	g_autoptr(Change) change = change_new(tree->root, false);
	g_autoptr(GError) error = NULL;

	ck_assert(change_set_file(change, &(SVCD_SYSCONFDIR "/policy.d/local.policy")[1],
				  "[service other]\nReason=x", NULL));
	ck_assert(!change_set_file(change, "/etc/passwd", "", &error));
	edit_expect_error(tree, &error,
			  "/etc/passwd is not a file below " SVCD_SYSCONFDIR
			  "/policy.d or " SVCD_SYSCONFDIR "/services.d");
	ck_assert(!change_set_file(change, SVCD_SYSCONFDIR "/policy.d/../../passwd", "", NULL));
	ck_assert(!change_set_file(change, "/run/svcd/policy.d/x.policy", "", NULL));
	edit_apply(change);
	edit_expect_file(tree, SVCD_SYSCONFDIR "/policy.d/local.policy",
			 "[service other]\nReason=x\n");
}
END_TEST

START_TEST(a_directory_may_be_a_link_but_a_file_may_not)
{
	g_autoptr(Tree) tree = edit_machine();
	g_autoptr(Change) change = change_new(tree->root, false);
	g_autoptr(GError) error = NULL;

	tree_mkdir(tree, "/srv/policy");
	tree_symlink(tree, "/srv/policy", SVCD_SYSCONFDIR "/policy.d");
	edit_set(tree, "ssh", "Activation", "never");
	edit_expect_file(tree, "/srv/policy/90-svcctl.policy",
			 HEAD "\n[service ssh]\nActivation=never\n");

	edit_set(tree, "ssh", "Activation", NULL);
	tree_write(tree, "/srv/dotfiles/x", "# kept\n");
	tree_symlink(tree, "/srv/dotfiles/x", "/srv/policy/90-svcctl.policy");
	ck_assert(!change_set_policy(change, "ssh", "Activation", "never", &error));
	edit_expect_error(
		tree, &error,
		SVCD_SYSCONFDIR
		"/policy.d/90-svcctl.policy is a symbolic link to /srv/dotfiles/x, which is not "
		"followed; change that file by hand, or remove the link and repeat the command");
	edit_expect_file(tree, "/srv/dotfiles/x", "# kept\n");
}
END_TEST

/* --- refusals --- */

static const struct Refused {
	const char *service;
	const char *key;
	const char *value;
	const char *message;
} refused[] = {
	{ "sssh", "Activation", "boot",
	  SVCD_SYSCONFDIR
	  "/policy.d/90-svcctl.policy:4: there is no service \"sssh\"; did you mean \"ssh\"?" },
	{ "frobnicator", "Activation", "boot",
	  SVCD_SYSCONFDIR "/policy.d/90-svcctl.policy:4: there is no service \"frobnicator\"" },
	{ "ssh", "Activation", "sometimes",
	  SVCD_SYSCONFDIR
	  "/policy.d/90-svcctl.policy:5: Activation=sometimes: \"sometimes\" is not one of boot, "
	  "on-demand, "
	  "manual, never" },
};

START_TEST(what_would_be_wrong_is_refused_and_nothing_written)
{
	g_autoptr(Tree) tree = edit_machine();
	g_autoptr(Change) change = change_new(tree->root, false);
	g_autoptr(GError) error = NULL;

	ck_assert(change_set_policy(change, refused[_i].service, refused[_i].key, refused[_i].value,
				    NULL));
	ck_assert(!change_apply(change, &edit_author, NULL, &error));
	ck_assert(g_error_matches(error, SVCD_ERROR_DOMAIN, SVCD_ERROR_INVALID_CONFIGURATION));
	edit_expect_error(tree, &error, refused[_i].message);
	edit_expect_file(tree, POLICY_EDIT_FILE, NULL);
}
END_TEST

START_TEST(conflicting_services_are_not_both_wanted)
{
	g_autoptr(Tree) tree = edit_machine();
	g_autoptr(Change) change = change_new(tree->root, false);
	g_autoptr(GError) error = NULL;

	tree_write(tree, VENDOR "cron.svc", PLAIN "[Conditions]\nConflicts=ssh\n");
	edit_set(tree, "ssh", "Runlevels", "2");
	ck_assert(change_set_policy(change, "cron", "Runlevels", "2", NULL));
	ck_assert(!change_apply(change, &edit_author, NULL, &error));
	ck_assert_ptr_nonnull(strstr(error->message, "ssh"));
	edit_expect_file(tree, POLICY_EDIT_FILE, HEAD "\n[service ssh]\nRunlevels=2\n");
}
END_TEST

START_TEST(earlier_errors_block_no_edit)
{
	g_autoptr(Tree) tree = edit_machine();

	tree_write(tree, VENDOR "bad.svc", "[Service]\nNonsense=1\n");
	tree_write(tree, SVCD_SYSCONFDIR "/policy.d/10-bad.policy",
		   "[service ssh]\nActivation=perhaps\n");
	tree_write(tree, POLICY_EDIT_FILE, "[service gone]\nReason=was once here\n");
	ck_assert_uint_eq(edit_set(tree, "ssh", "Activation", "never"), 1);
	ck_assert_uint_eq(edit_set(tree, "gone", "Reason", NULL), 2);
}
END_TEST

START_TEST(keys_are_not_added_to_a_file_with_errors)
{
	static const char text[] = "[service cron]\nActivation=perhaps\n";
	g_autoptr(Tree) tree = edit_machine();
	g_autoptr(Change) change = change_new(tree->root, false);
	g_autoptr(GError) error = NULL;

	tree_write(tree, POLICY_EDIT_FILE, text);
	ck_assert(change_set_policy(change, "ssh", "Activation", "never", NULL));
	ck_assert(!change_apply(change, &edit_author, NULL, &error));
	edit_expect_file(tree, POLICY_EDIT_FILE, text);
	/* But a setting can still be removed. */
	ck_assert_uint_eq(edit_set(tree, "cron", "Activation", NULL), 1);
}
END_TEST

/* --- previews --- */

START_TEST(a_preview_shows_what_would_be_and_writes_nothing)
{
	g_autoptr(Tree) tree = edit_machine();
	g_autoptr(Change) change = change_new(tree->root, false);
	g_autoptr(DiagList) errors = NULL;
	g_autoptr(Configuration) after = NULL;
	PolicyDecision decision;

	ck_assert(change_set_policy(change, "ssh", "Activation", "never", NULL));
	ck_assert(change_set_override(change, "ssh", "Nice", "5", NULL));
	after = change_preview(change, "quiet", &errors);
	ck_assert_uint_eq(diag_list_length(errors), 0);
	policy_decide(after->policy, "ssh", "2", &decision);
	ck_assert_int_eq(decision.activation, ACTIVATION_NEVER);
	ck_assert_int_eq(service_set_find(after->set, "ssh")->execution->nice, 5);
	edit_expect_file(tree, POLICY_EDIT_FILE, NULL);
}
END_TEST

START_TEST(a_preview_of_a_removal_is_without_the_file)
{
	g_autoptr(Tree) tree = edit_machine();
	g_autoptr(Change) change = change_new(tree->root, false);
	g_autoptr(DiagList) errors = NULL;
	g_autoptr(Configuration) after = NULL;

	tree_write(tree, DROP_IN, "[Service]\nNice=5\n");
	ck_assert(change_revert(change, "ssh", NULL));
	after = change_preview(change, NULL, &errors);
	ck_assert_uint_eq(diag_list_length(errors), 0);
	ck_assert_int_eq(service_set_find(after->set, "ssh")->execution->nice, 0);
	edit_expect_file(tree, DROP_IN, "[Service]\nNice=5\n");
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("policy-edit");

	ADD_CASE(suite, "written", the_file_is_removed_with_its_last_entry,
		 until_reboot_is_written_below_run_without_history,
		 instances_of_a_template_are_services_too);
	ADD_CASE(suite, "beside others", what_others_changed_in_the_meantime_is_kept,
		 a_writer_waits_for_another_and_not_for_ever,
		 a_whole_file_may_be_written_where_policy_and_services_are,
		 a_directory_may_be_a_link_but_a_file_may_not);
	suite_add_loop(suite, "refused", what_would_be_wrong_is_refused_and_nothing_written,
		       G_N_ELEMENTS(refused));
	ADD_CASE(suite, "refused or not", conflicting_services_are_not_both_wanted,
		 earlier_errors_block_no_edit, keys_are_not_added_to_a_file_with_errors);
	ADD_CASE(suite, "preview", a_preview_shows_what_would_be_and_writes_nothing,
		 a_preview_of_a_removal_is_without_the_file);
	return suite;
}
