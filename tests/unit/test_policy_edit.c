/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <check.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/errors.h"
#include "base/fd.h"
#include "base/limits.h"
#include "policy-edit/ini-edit.h"
#include "policy-edit/policy-edit.h"
#include "tests/lib/diags.h"
#include "tests/lib/tree.h"

Suite *make_suite(void);

#define HEAD INI_EDIT_HEAD
#define VENDOR SVCD_LIBDIR "/services.d/"
#define PLAIN "[Service]\nExec=/bin/x\n"
#define DROP_IN SVCD_SYSCONFDIR "/services.d/ssh.svc.d/90-svcctl.conf"

static const ChangeAuthor author = { .uid = 1000, .command = "svcctl set ssh never" };

static Tree *machine(void)
{
	Tree *tree = tree_new();

	tree_write(tree, VENDOR "ssh.svc", PLAIN);
	tree_write(tree, VENDOR "cron.svc", PLAIN);
	tree_write(tree, VENDOR "getty@.svc", PLAIN);
	return tree;
}

/* NULL: there is no such file. */
static void expect_file(const Tree *tree, const char *path, const char *expected)
{
	g_autofree char *whole = tree_path(tree, path);
	g_autofree char *text = NULL;

	(void)g_file_get_contents(whole, &text, NULL, NULL); /* no text: no file */
	if (expected && text)
		ck_assert_str_eq(text, expected);
	else
		ck_assert_msg(!expected && !text, "%s: %s", path, text ? text : "is not there");
}

static uint64_t apply(Change *change)
{
	g_autoptr(GError) error = NULL;
	uint64_t number = 0;

	ck_assert_msg(change_apply(change, &author, &number, &error), "%s", error ? error->message : "");
	return number;
}

/* The root is left out of what was said. */
static void expect_error(const Tree *tree, GError **error, const char *expected)
{
	g_auto(GStrv) parts = NULL;
	g_autofree char *said = NULL;

	ck_assert_ptr_nonnull(*error);
	parts = g_strsplit((*error)->message, tree->root, -1);
	said = g_strjoinv("", parts);
	ck_assert_str_eq(said, expected);
	g_clear_error(error);
}

static uint64_t set(const Tree *tree, const char *service, const char *key, const char *value)
{
	g_autoptr(Change) change = change_new(tree->root, false);
	g_autoptr(GError) error = NULL;

	ck_assert_msg(change_set_policy(change, service, key, value, &error), "%s", error ? error->message : "");
	return apply(change);
}

static uint64_t undo(const Tree *tree, uint64_t number)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(Change) change = history_undo(tree->root, number, &error);

	ck_assert_msg(change != NULL, "%s", error ? error->message : "");
	return apply(change);
}

START_TEST(a_key_of_policy_is_written_and_can_be_read_by_all)
{
	g_autoptr(Tree) tree = machine();
	g_autofree char *path = tree_path(tree, POLICY_EDIT_FILE);
	g_autofree char *directory = g_path_get_dirname(path);
	struct stat st;
	const mode_t mask = umask(077);

	ck_assert_uint_eq(set(tree, "ssh", "Activation", "never"), 1);
	umask(mask);

	expect_file(tree, POLICY_EDIT_FILE, HEAD "\n[service ssh]\nActivation=never\n");
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_uint_eq(st.st_mode & 07777, 0644);
	ck_assert_int_eq(stat(directory, &st), 0);
	ck_assert_uint_eq(st.st_mode & 07777, 0755);
}
END_TEST

static void give(const Tree *tree, const char *path, mode_t mode, gid_t gid)
{
	g_autofree char *whole = tree_path(tree, path);

	/* Only root may give a file to a group that it is not in. */
	if (geteuid() == 0)
		ck_assert_int_eq(chown(whole, 0, gid), 0);
	ck_assert_int_eq(chmod(whole, mode), 0);
}

static void expect_access(const Tree *tree, const char *path, mode_t mode, gid_t gid)
{
	g_autofree char *whole = tree_path(tree, path);
	struct stat st;

	ck_assert_int_eq(stat(whole, &st), 0);
	ck_assert_msg((st.st_mode & 07777) == mode, "%s: mode %04o", path, st.st_mode & 07777);
	if (geteuid() == 0)
		ck_assert_uint_eq(st.st_gid, gid);
}

static const struct Access {
	mode_t mode;
	gid_t gid;
} accesses[] = { { 0600, 0 }, { 0640, 33 }, { 0660, 0 }, { 0644, 0 } };

START_TEST(a_file_that_is_replaced_keeps_mode_and_group)
{
	const struct Access *it = &accesses[_i];
	g_autoptr(Tree) tree = machine();
	g_autoptr(Change) change = change_new(tree->root, false);

	tree_write(tree, POLICY_EDIT_FILE, "[service cron]\nReason=x\n");
	give(tree, POLICY_EDIT_FILE, it->mode, it->gid);
	tree_write(tree, DROP_IN, "[Service]\nEnvironment=TOKEN=x\n");
	give(tree, DROP_IN, it->mode, it->gid);
	ck_assert(change_set_policy(change, "ssh", "Activation", "never", NULL));
	ck_assert(change_set_override(change, "ssh", "Nice", "5", NULL));
	ck_assert_uint_eq(apply(change), 1);
	expect_file(tree, DROP_IN, "[Service]\nEnvironment=TOKEN=x\nNice=5\n");
	expect_access(tree, POLICY_EDIT_FILE, it->mode, it->gid);
	expect_access(tree, DROP_IN, it->mode, it->gid);
	undo(tree, 0);
	expect_file(tree, DROP_IN, "[Service]\nEnvironment=TOKEN=x\n");
	expect_access(tree, DROP_IN, it->mode, it->gid);
}
END_TEST

START_TEST(what_undo_brings_back_can_be_read_by_the_same)
{
	const struct Access *it = &accesses[_i];
	g_autoptr(Tree) tree = machine();
	g_autoptr(Change) change = change_new(tree->root, false);

	tree_write(tree, DROP_IN, "[Service]\nEnvironment=TOKEN=x\n");
	give(tree, DROP_IN, it->mode, it->gid);
	ck_assert(change_revert(change, "ssh", NULL));
	apply(change);
	expect_file(tree, DROP_IN, NULL);
	undo(tree, 0);
	expect_file(tree, DROP_IN, "[Service]\nEnvironment=TOKEN=x\n");
	expect_access(tree, DROP_IN, it->mode, it->gid);
}
END_TEST

static void override(const Tree *tree, const char *service)
{
	g_autoptr(Change) change = change_new(tree->root, false);
	g_autoptr(GError) error = NULL;

	ck_assert(change_set_override(change, service, "Nice", "5", NULL));
	ck_assert_msg(change_apply(change, &author, NULL, &error), "%s", error ? error->message : "");
}

START_TEST(a_new_drop_in_is_for_those_who_may_read_the_files_of_its_service)
{
	static const char *const secret = SVCD_SYSCONFDIR "/services.d/ssh.svc.d/10-token.conf";
	const struct Access *it = &accesses[_i];
	g_autoptr(Tree) tree = machine();

	tree_write(tree, secret, "[Service]\nEnvironment=TOKEN=x\n");
	give(tree, secret, it->mode, it->gid);
	override(tree, "ssh");
	expect_access(tree, DROP_IN, it->mode & 0644, it->gid);
	override(tree, "cron");
	expect_access(tree, SVCD_SYSCONFDIR "/services.d/cron.svc.d/90-svcctl.conf", 0644, getegid());
}
END_TEST

START_TEST(files_for_different_groups_make_a_drop_in_for_root_alone)
{
	static const char *const secret = SVCD_SYSCONFDIR "/services.d/getty@.svc.d/10-token.conf";
	g_autoptr(Tree) tree = machine();
	const struct {
		mode_t mode;
		gid_t gid;
	} expected = { geteuid() == 0 ? 0600 : 0640, 34 };

	tree_write(tree, secret, "[Service]\nEnvironment=TOKEN=x\n");
	give(tree, secret, 0640, 34);
	give(tree, VENDOR "getty@.svc", 0640, 33);
	override(tree, "getty@tty1");
	expect_access(tree, SVCD_SYSCONFDIR "/services.d/getty@tty1.svc.d/90-svcctl.conf", expected.mode, expected.gid);
}
END_TEST

START_TEST(the_history_is_for_root_alone)
{
	g_autoptr(Tree) tree = machine();
	g_autofree char *directory = tree_path(tree, POLICY_EDIT_HISTORY);
	struct stat st;

	/* An older version let all read it. */
	tree_mkdir(tree, POLICY_EDIT_HISTORY);
	ck_assert_int_eq(chmod(directory, 0755), 0);
	set(tree, "ssh", "Activation", "never");
	expect_access(tree, POLICY_EDIT_HISTORY "/000001.step", 0600, getegid());
	ck_assert_int_eq(stat(directory, &st), 0);
	ck_assert_uint_eq(st.st_mode & 07777, 0700);
	directory[strlen(directory) - strlen("/policy-history")] = '\0';
	ck_assert_int_eq(stat(directory, &st), 0);
	ck_assert_uint_eq(st.st_mode & 07777, 0755);
}
END_TEST

START_TEST(with_its_last_word_the_file_goes)
{
	g_autoptr(Tree) tree = machine();

	set(tree, "ssh", "Activation", "never");
	ck_assert_uint_eq(set(tree, "ssh", "Activation", NULL), 2);
	expect_file(tree, POLICY_EDIT_FILE, NULL);
	ck_assert_uint_eq(set(tree, "ssh", "Activation", NULL), 0);
}
END_TEST

START_TEST(until_reboot_is_written_below_run_without_history)
{
	g_autoptr(Tree) tree = machine();
	g_autoptr(Change) change = change_new(tree->root, true);
	g_autoptr(GPtrArray) steps = NULL;

	ck_assert(change_set_policy(change, "ssh", "Activation", "never", NULL));
	ck_assert(change_set_override(change, "ssh", "Nice", "5", NULL));
	ck_assert_uint_eq(apply(change), 0);
	ck_assert_ptr_null(change_warning(change));
	expect_file(tree, POLICY_EDIT_FILE, NULL);
	expect_file(tree, POLICY_EDIT_FILE_UNTIL_REBOOT, HEAD "\n[service ssh]\nActivation=never\n");
	expect_file(tree, "/run/svcd/services.d/ssh.svc.d/90-svcctl.conf", HEAD "\n[Service]\nNice=5\n");
	steps = history_list(tree->root, NULL, NULL);
	ck_assert_uint_eq(steps->len, 0);
}
END_TEST

START_TEST(runlevels_and_defaults_have_sections_of_their_own)
{
	g_autoptr(Tree) tree = machine();
	g_autoptr(Change) change = change_new(tree->root, false);

	ck_assert(change_set_section(change, "runlevel 5", "Activate", "ssh cron", NULL));
	ck_assert(change_set_section(change, "defaults", "Runlevel", "5", NULL));
	apply(change);
	expect_file(tree, POLICY_EDIT_FILE, HEAD "\n[runlevel 5]\nActivate=ssh cron\n\n[defaults]\nRunlevel=5\n");
}
END_TEST

START_TEST(an_override_is_a_drop_in_with_the_right_section)
{
	g_autoptr(Tree) tree = machine();
	g_autoptr(Change) change = change_new(tree->root, false);

	ck_assert(change_set_override(change, "ssh", "Nice", "5", NULL));
	ck_assert(change_set_override(change, "ssh", "While", "network:up", NULL));
	apply(change);
	expect_file(tree, DROP_IN, HEAD "\n[Service]\nNice=5\n\n[Conditions]\nWhile=network:up\n");
}
END_TEST

START_TEST(an_override_may_give_a_list_several_values_and_anything_else_one)
{
	g_autoptr(Tree) tree = machine();
	g_autoptr(Change) change = change_new(tree->root, false);
	g_autoptr(GError) error = NULL;

	tree_write(tree, DROP_IN, "[Conditions]\nWhen=path:/old\n");
	ck_assert(change_set_override(change, "ssh", "When", "", NULL));
	ck_assert(change_set_override(change, "ssh", "When", "path:/a", NULL));
	ck_assert(change_set_override(change, "ssh", "When", "path:/b", NULL));
	ck_assert(change_set_override(change, "ssh", "Nice", "5", NULL));
	ck_assert(!change_set_override(change, "ssh", "Nice", "6", &error));
	expect_error(tree, &error, "Nice= has one value, and it is given twice");
	apply(change);
	expect_file(tree, DROP_IN, "[Conditions]\nWhen=\nWhen=path:/a\nWhen=path:/b\n\n[Service]\nNice=5\n");
}
END_TEST

static const struct {
	const char *key;
	const char *value;
	const char *said;
} refused_orders[] = {
	{ "After", "cron", "closes a cycle" },
	{ "Before", "crom", "there is no service \"crom\"; did you mean \"cron\"?" },
	{ "Wants", "cron nobody", "there is no service \"nobody\"" },
};

START_TEST(an_override_with_an_order_that_cannot_be_kept_is_refused)
{
	g_autoptr(Tree) tree = machine();
	g_autoptr(Change) change = change_new(tree->root, false);
	g_autoptr(GError) error = NULL;

	tree_write(tree, VENDOR "cron.svc", PLAIN "[Conditions]\nAfter=ssh gone\n");
	ck_assert(change_set_override(change, "ssh", refused_orders[_i].key, refused_orders[_i].value, NULL));
	ck_assert(!change_apply(change, &author, NULL, &error));
	ck_assert_msg(strstr(error->message, refused_orders[_i].said) != NULL, "%s", error->message);
	expect_file(tree, DROP_IN, NULL);
}
END_TEST

START_TEST(an_order_that_was_dropped_before_holds_no_override_up)
{
	g_autoptr(Tree) tree = machine();
	g_autoptr(Change) change = change_new(tree->root, false);

	tree_write(tree, VENDOR "cron.svc", PLAIN "[Conditions]\nAfter=ssh\nBefore=ssh\n");
	ck_assert(change_set_override(change, "ssh", "Nice", "5", NULL));
	ck_assert(change_set_override(change, "ssh", "After", "$syslog getty@tty1", NULL));
	ck_assert(change_set_override(change, "ssh", "Conflicts", "nobody", NULL));
	apply(change);
}
END_TEST

START_TEST(an_override_of_policy_names_the_verb_for_it)
{
	g_autoptr(Tree) tree = machine();
	g_autoptr(Change) change = change_new(tree->root, false);
	g_autoptr(GError) error = NULL;

	ck_assert(!change_set_override(change, "ssh", "Activation", "never", &error));
	expect_error(tree, &error,
		     "Activation= is policy, not how a service runs; \"svcctl set ssh boot|on-demand|manual|never\" is "
		     "for that, with --runlevel and --reason");
	ck_assert(!change_set_override(change, "ssh", "Nicee", "5", &error));
	expect_error(tree, &error, "unknown key Nicee= in [Service]; did you mean Nice=?");
	ck_assert(change_is_empty(change));
}
END_TEST

START_TEST(revert_takes_out_all_about_one_service_and_nothing_else)
{
	g_autoptr(Tree) tree = machine();
	g_autoptr(Change) change = change_new(tree->root, false);
	g_autoptr(Change) revert = change_new(tree->root, false);

	ck_assert(change_set_policy(change, "ssh", "Activation", "never", NULL));
	ck_assert(change_set_policy(change, "ssh", "Reason", "rule 12", NULL));
	ck_assert(change_set_policy(change, "cron", "Activation", "boot", NULL));
	ck_assert(change_set_override(change, "ssh", "Nice", "5", NULL));
	apply(change);
	ck_assert(change_revert(revert, "ssh", NULL));
	apply(revert);
	expect_file(tree, POLICY_EDIT_FILE, HEAD "\n[service cron]\nActivation=boot\n");
	expect_file(tree, DROP_IN, NULL);
	undo(tree, 0);
	expect_file(tree, DROP_IN, HEAD "\n[Service]\nNice=5\n");
}
END_TEST

static const struct Refused {
	const char *service;
	const char *key;
	const char *value;
	const char *said;
} refused[] = {
	{ "sssh", "Activation", "boot",
	  SVCD_SYSCONFDIR "/policy.d/90-svcctl.policy:4: there is no service \"sssh\"; did you mean \"ssh\"?" },
	{ "frobnicator", "Activation", "boot",
	  SVCD_SYSCONFDIR "/policy.d/90-svcctl.policy:4: there is no service \"frobnicator\"" },
	{ "ssh", "Activation", "sometimes",
	  SVCD_SYSCONFDIR "/policy.d/90-svcctl.policy:5: Activation=sometimes: \"sometimes\" is none of boot, on-demand, "
	  "manual, never" },
};

START_TEST(what_would_be_wrong_is_refused_and_nothing_written)
{
	g_autoptr(Tree) tree = machine();
	g_autoptr(Change) change = change_new(tree->root, false);
	g_autoptr(GError) error = NULL;

	ck_assert(change_set_policy(change, refused[_i].service, refused[_i].key, refused[_i].value, NULL));
	ck_assert(!change_apply(change, &author, NULL, &error));
	ck_assert(g_error_matches(error, SVCD_ERROR_DOMAIN, SVCD_ERROR_INVALID_CONFIGURATION));
	expect_error(tree, &error, refused[_i].said);
	expect_file(tree, POLICY_EDIT_FILE, NULL);
}
END_TEST

START_TEST(a_change_that_would_close_a_circle_is_refused_with_the_circle)
{
	g_autoptr(Tree) tree = machine();
	g_autoptr(Change) change = change_new(tree->root, false);
	g_autoptr(GError) error = NULL;

	tree_write(tree, VENDOR "cron.svc", PLAIN "[Conditions]\nWhile=service:ssh\n");
	ck_assert(change_set_override(change, "ssh", "While", "service:cron", NULL));
	ck_assert(!change_apply(change, &author, NULL, &error));
	ck_assert_ptr_nonnull(strstr(error->message, "cron"));
	ck_assert_ptr_nonnull(strstr(error->message, "(and 1 more)"));
	expect_file(tree, DROP_IN, NULL);
}
END_TEST

START_TEST(two_that_exclude_each_other_are_not_both_wanted)
{
	g_autoptr(Tree) tree = machine();
	g_autoptr(Change) change = change_new(tree->root, false);
	g_autoptr(GError) error = NULL;

	tree_write(tree, VENDOR "cron.svc", PLAIN "[Conditions]\nConflicts=ssh\n");
	set(tree, "ssh", "Runlevels", "2");
	ck_assert(change_set_policy(change, "cron", "Runlevels", "2", NULL));
	ck_assert(!change_apply(change, &author, NULL, &error));
	ck_assert_ptr_nonnull(strstr(error->message, "ssh"));
	expect_file(tree, POLICY_EDIT_FILE, HEAD "\n[service ssh]\nRunlevels=2\n");
}
END_TEST

START_TEST(an_override_for_a_service_that_nobody_has_is_refused)
{
	g_autoptr(Tree) tree = machine();
	g_autoptr(Change) change = change_new(tree->root, false);
	g_autoptr(GError) error = NULL;

	ck_assert(change_set_override(change, "crom", "Nice", "5", NULL));
	ck_assert(!change_apply(change, &author, NULL, &error));
	expect_error(tree, &error,
		     SVCD_SYSCONFDIR "/services.d/crom.svc.d/90-svcctl.conf: there is no service \"crom\"; did you mean \"cron\"?");
}
END_TEST

START_TEST(what_was_wrong_before_holds_nobody_up)
{
	g_autoptr(Tree) tree = machine();

	tree_write(tree, VENDOR "bad.svc", "[Service]\nNonsense=1\n");
	tree_write(tree, SVCD_SYSCONFDIR "/policy.d/10-bad.policy", "[service ssh]\nActivation=perhaps\n");
	tree_write(tree, POLICY_EDIT_FILE, "[service gone]\nReason=was once here\n");
	ck_assert_uint_eq(set(tree, "ssh", "Activation", "never"), 1);
	ck_assert_uint_eq(set(tree, "gone", "Reason", NULL), 2);
}
END_TEST

START_TEST(keys_are_not_put_into_a_file_that_counts_for_nothing)
{
	static const char text[] = "[service cron]\nActivation=perhaps\n";
	g_autoptr(Tree) tree = machine();
	g_autoptr(Change) change = change_new(tree->root, false);
	g_autoptr(GError) error = NULL;

	tree_write(tree, POLICY_EDIT_FILE, text);
	ck_assert(change_set_policy(change, "ssh", "Activation", "never", NULL));
	ck_assert(!change_apply(change, &author, NULL, &error));
	expect_file(tree, POLICY_EDIT_FILE, text);
	/* But the way out is open. */
	ck_assert_uint_eq(set(tree, "cron", "Activation", NULL), 1);
}
END_TEST

START_TEST(instances_of_a_template_are_services_too)
{
	g_autoptr(Tree) tree = machine();

	ck_assert_uint_eq(set(tree, "getty@tty7", "Activation", "boot"), 1);
	ck_assert_uint_eq(set(tree, "getty@", "Activation", "never"), 2);
}
END_TEST

START_TEST(a_preview_shows_what_would_be_and_writes_nothing)
{
	g_autoptr(Tree) tree = machine();
	g_autoptr(Change) change = change_new(tree->root, false);
	g_autoptr(DiagList) errors = NULL;
	g_autoptr(Configuration) after = NULL;
	g_autofree char *diff = NULL;
	PolicyDecision decision;

	ck_assert(change_set_policy(change, "ssh", "Activation", "never", NULL));
	ck_assert(change_set_override(change, "ssh", "Nice", "5", NULL));
	after = change_preview(change, "quiet", &errors);
	ck_assert_uint_eq(diag_list_length(errors), 0);
	policy_decide(after->policy, "ssh", "2", &decision);
	ck_assert_int_eq(decision.activation, ACTIVATION_NEVER);
	ck_assert_int_eq(service_set_find(after->set, "ssh")->execution->nice, 5);
	expect_file(tree, POLICY_EDIT_FILE, NULL);
	diff = change_diff(change);
	ck_assert_str_eq(diff, "--- /dev/null\n+++ " POLICY_EDIT_FILE "\n@@ -0,0 +1,5 @@\n"
			       "+# Written by svcctl; may be edited by hand, comments and other sections are kept.\n"
			       "+# \"svcctl policy log\" tells the changes, \"svcctl policy undo\" takes them back.\n"
			       "+\n+[service ssh]\n+Activation=never\n"
			       "--- /dev/null\n+++ " DROP_IN "\n@@ -0,0 +1,5 @@\n"
			       "+# Written by svcctl; may be edited by hand, comments and other sections are kept.\n"
			       "+# \"svcctl policy log\" tells the changes, \"svcctl policy undo\" takes them back.\n"
			       "+\n+[Service]\n+Nice=5\n");
}
END_TEST

START_TEST(a_preview_of_a_removal_is_without_the_file)
{
	g_autoptr(Tree) tree = machine();
	g_autoptr(Change) change = change_new(tree->root, false);
	g_autoptr(DiagList) errors = NULL;
	g_autoptr(Configuration) after = NULL;

	tree_write(tree, DROP_IN, "[Service]\nNice=5\n");
	ck_assert(change_revert(change, "ssh", NULL));
	after = change_preview(change, NULL, &errors);
	ck_assert_uint_eq(diag_list_length(errors), 0);
	ck_assert_int_eq(service_set_find(after->set, "ssh")->execution->nice, 0);
	expect_file(tree, DROP_IN, "[Service]\nNice=5\n");
}
END_TEST

START_TEST(a_diff_shows_three_lines_around_each_place)
{
	g_autoptr(Tree) tree = machine();
	g_autoptr(Change) change = change_new(tree->root, false);
	g_autofree char *diff = NULL;

	tree_write(tree, POLICY_EDIT_FILE,
		   "# 1\n# 2\n# 3\n# 4\n[service ssh]\nReason=x\n# 7\n# 8\n# 9\n# 10\n# 11\n# 12\n# 13\n# 14\n"
		   "[service cron]\nReason=y\n");
	ck_assert(change_set_policy(change, "ssh", "Reason", "z", NULL));
	ck_assert(change_set_policy(change, "cron", "Activation", "boot", NULL));
	diff = change_diff(change);
	ck_assert_str_eq(diff, "--- " POLICY_EDIT_FILE "\n+++ " POLICY_EDIT_FILE "\n"
			       "@@ -3,7 +3,7 @@\n # 3\n # 4\n [service ssh]\n-Reason=x\n+Reason=z\n # 7\n # 8\n # 9\n"
			       "@@ -14,3 +14,4 @@\n # 14\n [service cron]\n Reason=y\n+Activation=boot\n");
}
END_TEST

START_TEST(what_others_changed_in_the_meantime_is_kept)
{
	g_autoptr(Tree) tree = machine();
	g_autoptr(Change) change = change_new(tree->root, false);
	g_autoptr(Change) whole = change_new(tree->root, false);
	g_autoptr(GError) error = NULL;

	ck_assert(change_set_policy(change, "ssh", "Activation", "never", NULL));
	ck_assert(change_set_file(whole, POLICY_EDIT_FILE, "[service ssh]\nReason=x\n", NULL));
	set(tree, "cron", "Activation", "boot");
	apply(change);
	expect_file(tree, POLICY_EDIT_FILE, HEAD "\n[service cron]\nActivation=boot\n\n[service ssh]\nActivation=never\n");

	ck_assert(!change_apply(whole, &author, NULL, &error));
	ck_assert(g_error_matches(error, SVCD_ERROR_DOMAIN, SVCD_ERROR_BUSY));
}
END_TEST

START_TEST(a_writer_waits_for_another_and_not_for_ever)
{
	g_autoptr(Tree) tree = machine();
	g_autoptr(Change) change = change_new(tree->root, false);
	g_autofree char *lock = tree_path(tree, "/run/svcd/policy.lock");
	g_autoptr(GError) error = NULL;
	auto_fd int fd = -1;
	struct stat st;

	set(tree, "cron", "Activation", "boot");
	fd = open(lock, O_RDWR | O_CLOEXEC);
	ck_assert_int_eq(flock(fd, LOCK_EX), 0);
	ck_assert_int_eq(fstat(fd, &st), 0);
	ck_assert_uint_eq(st.st_mode & 07777, 0600); /* not for everybody to take */
	ck_assert(change_set_policy(change, "ssh", "Activation", "never", NULL));
	ck_assert(!change_apply(change, &author, NULL, &error));
	ck_assert(g_error_matches(error, SVCD_ERROR_DOMAIN, SVCD_ERROR_BUSY));
	expect_file(tree, POLICY_EDIT_FILE, HEAD "\n[service cron]\nActivation=boot\n");
	fd_close(&fd);
	apply(change);
}
END_TEST

START_TEST(a_whole_file_may_be_written_where_policy_and_services_are)
{
	g_autoptr(Tree) tree = machine();
	g_autoptr(Change) change = change_new(tree->root, false);
	g_autoptr(GError) error = NULL;

	ck_assert(change_set_file(change, &(SVCD_SYSCONFDIR "/policy.d/local.policy")[1], "[service other]\nReason=x", NULL));
	ck_assert(!change_set_file(change, "/etc/passwd", "", &error));
	expect_error(tree, &error, "/etc/passwd is not a file below " SVCD_SYSCONFDIR "/policy.d or " SVCD_SYSCONFDIR "/services.d");
	ck_assert(!change_set_file(change, SVCD_SYSCONFDIR "/policy.d/../../passwd", "", NULL));
	ck_assert(!change_set_file(change, "/run/svcd/policy.d/x.policy", "", NULL));
	apply(change);
	expect_file(tree, SVCD_SYSCONFDIR "/policy.d/local.policy", "[service other]\nReason=x\n");
}
END_TEST

START_TEST(a_directory_may_be_a_link_but_a_file_may_not)
{
	g_autoptr(Tree) tree = machine();
	g_autoptr(Change) change = change_new(tree->root, false);
	g_autoptr(GError) error = NULL;

	tree_mkdir(tree, "/srv/policy");
	tree_symlink(tree, "/srv/policy", SVCD_SYSCONFDIR "/policy.d");
	set(tree, "ssh", "Activation", "never");
	expect_file(tree, "/srv/policy/90-svcctl.policy", HEAD "\n[service ssh]\nActivation=never\n");

	set(tree, "ssh", "Activation", NULL);
	tree_write(tree, "/srv/dotfiles/x", "# kept\n");
	tree_symlink(tree, "/srv/dotfiles/x", "/srv/policy/90-svcctl.policy");
	ck_assert(!change_set_policy(change, "ssh", "Activation", "never", &error));
	expect_error(tree, &error,
		     SVCD_SYSCONFDIR "/policy.d/90-svcctl.policy is a symbolic link to /srv/dotfiles/x, which we do not write "
		     "through; change that file by hand, or remove the link and say it again");
	expect_file(tree, "/srv/dotfiles/x", "# kept\n");
}
END_TEST

START_TEST(the_history_tells_who_when_what_and_where_the_newest_first)
{
	g_autoptr(Tree) tree = machine();
	const gint64 begun_us = g_get_real_time();
	g_autoptr(GPtrArray) steps = NULL;
	const HistoryStep *step;

	set(tree, "ssh", "Activation", "never");
	set(tree, "cron", "Activation", "boot");
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
	g_autoptr(Tree) tree = machine();
	g_autoptr(GError) error = NULL;

	set(tree, "ssh", "Activation", "never");
	set(tree, "ssh", "Activation", "manual");
	ck_assert_uint_eq(undo(tree, 0), 3);
	expect_file(tree, POLICY_EDIT_FILE, HEAD "\n[service ssh]\nActivation=never\n");
	ck_assert_uint_eq(undo(tree, 0), 4);
	expect_file(tree, POLICY_EDIT_FILE, NULL);
	ck_assert_ptr_null(history_undo(tree->root, 0, &error));
	expect_error(tree, &error, "there is nothing to undo");
	ck_assert_uint_eq(undo(tree, 4), 5);
	expect_file(tree, POLICY_EDIT_FILE, HEAD "\n[service ssh]\nActivation=never\n");
	ck_assert_uint_eq(undo(tree, 3), 6);
	expect_file(tree, POLICY_EDIT_FILE, HEAD "\n[service ssh]\nActivation=manual\n");
	ck_assert_uint_eq(undo(tree, 0), 7);
	expect_file(tree, POLICY_EDIT_FILE, HEAD "\n[service ssh]\nActivation=never\n");
}
END_TEST

/* The power was cut when the files were written and the step did not have its last name yet. */
START_TEST(undo_after_a_power_cut_takes_back_the_step_that_was_being_written)
{
	g_autoptr(Tree) tree = machine();
	g_autofree char *begun = tree_path(tree, POLICY_EDIT_HISTORY "/000002.begun");
	g_autofree char *step = tree_path(tree, POLICY_EDIT_HISTORY "/000002.step");

	set(tree, "ssh", "Activation", "never");
	set(tree, "ssh", "Activation", "manual");
	ck_assert_int_eq(rename(step, begun), 0);

	ck_assert_uint_eq(undo(tree, 0), 3);
	expect_file(tree, POLICY_EDIT_FILE, HEAD "\n[service ssh]\nActivation=never\n");
}
END_TEST

START_TEST(undo_is_refused_when_somebody_has_been_there_since)
{
	g_autoptr(Tree) tree = machine();
	g_autoptr(GError) error = NULL;

	set(tree, "ssh", "Activation", "never");
	set(tree, "cron", "Activation", "boot");
	ck_assert_ptr_null(history_undo(tree->root, 1, &error));
	expect_error(tree, &error,
		     "step 1 cannot be undone: step 2 has changed " SVCD_SYSCONFDIR "/policy.d/90-svcctl.policy since; undo the "
		     "later steps first");
	tree_write(tree, POLICY_EDIT_FILE, "# mine now\n");
	ck_assert_ptr_null(history_undo(tree->root, 2, &error));
	expect_error(tree, &error,
		     "step 2 cannot be undone: " SVCD_SYSCONFDIR "/policy.d/90-svcctl.policy has been changed by hand since");
	ck_assert_ptr_null(history_undo(tree->root, 9, &error));
	expect_error(tree, &error, "there is no step 9 in the history; \"svcctl policy log\" lists them");
}
END_TEST

START_TEST(undo_restores_exactly_whatever_was_changed)
{
	static const char *const services[] = { "ssh", "cron", "getty@tty1" };
	static const char *const values[] = { "never", "manual", "boot", NULL };
	g_autoptr(Tree) tree = machine();
	g_autoptr(GRand) rand = g_rand_new_with_seed((guint32)_i);
	g_autofree char *path = tree_path(tree, POLICY_EDIT_FILE);
	g_autoptr(GPtrArray) texts = g_ptr_array_new_with_free_func(g_free);

	if (_i % 2)
		tree_write(tree, POLICY_EDIT_FILE, "# mine\n\n[service cron]\n# why\nReason=a\n   b\n\n# end\n");
	for (int n = 0; n < 8; n++) {
		g_autofree char *text = NULL;

		(void)g_file_get_contents(path, &text, NULL, NULL); /* no text: no file */
		if (set(tree, services[g_rand_int_range(rand, 0, 3)], "Activation",
			values[g_rand_int_range(rand, 0, 4)]))
			g_ptr_array_add(texts, g_steal_pointer(&text));
	}
	while (texts->len > 0) {
		g_autofree char *text = g_ptr_array_steal_index(texts, texts->len - 1);

		undo(tree, 0);
		expect_file(tree, POLICY_EDIT_FILE, text);
	}
}
END_TEST

START_TEST(without_a_place_for_the_history_the_change_is_made_and_that_is_said)
{
	g_autoptr(Tree) tree = machine();
	g_autoptr(Change) change = change_new(tree->root, false);

	tree_write(tree, POLICY_EDIT_HISTORY, "not a directory");
	ck_assert(change_set_policy(change, "ssh", "Activation", "never", NULL));
	ck_assert_uint_eq(apply(change), 0);
	expect_file(tree, POLICY_EDIT_FILE, HEAD "\n[service ssh]\nActivation=never\n");
	ck_assert_ptr_nonnull(strstr(change_warning(change), "this cannot be undone, for it could not be put into the "
							     "history: "));
}
END_TEST

START_TEST(a_step_that_cannot_be_read_is_left_out_and_told)
{
	g_autoptr(Tree) tree = machine();
	g_autoptr(DiagList) diags = diag_list_new();
	g_autoptr(GPtrArray) steps = NULL;

	set(tree, "ssh", "Activation", "never");
	tree_write(tree, POLICY_EDIT_HISTORY "/000002.step", "svcd policy history 1\nat 5\nuid x\n");
	steps = history_list(tree->root, diags, NULL);
	ck_assert_uint_eq(steps->len, 1);
	expect_diags(diags, POLICY_EDIT_HISTORY ": warning: step 2: byte 33 is not what a step of the policy's history has there\n");
}
END_TEST

START_TEST(the_oldest_steps_go)
{
	g_autoptr(Tree) tree = machine();
	g_autofree char *path = tree_path(tree, POLICY_EDIT_HISTORY "/000001.step");
	g_autofree char *text = NULL;
	g_autoptr(GPtrArray) steps = NULL;

	set(tree, "ssh", "Activation", "never");
	ck_assert(g_file_get_contents(path, &text, NULL, NULL));
	for (unsigned i = 2; i <= LIMIT_HISTORY_STEPS; i++) {
		g_autofree char *copy = g_strdup_printf(POLICY_EDIT_HISTORY "/%06u.step", i);

		tree_write(tree, copy, text);
	}
	ck_assert_uint_eq(set(tree, "ssh", "Activation", "manual"), LIMIT_HISTORY_STEPS + 1);
	steps = history_list(tree->root, NULL, NULL);
	ck_assert_uint_eq(steps->len, LIMIT_HISTORY_STEPS);
	ck_assert_uint_eq(((HistoryStep *)g_ptr_array_index(steps, steps->len - 1))->number, 2);
}
END_TEST

START_TEST(the_links_of_sysv_become_policy_and_twice_is_once)
{
	g_autoptr(Tree) tree = machine();
	g_autoptr(Change) change = change_new(tree->root, false);
	g_autoptr(Change) again = change_new(tree->root, false);
	g_autoptr(DiagList) diags = diag_list_new();

	tree_write(tree, VENDOR "network-manager.svc", PLAIN "[Conditions]\nProvides=NetworkManager\n");
	tree_symlink(tree, "../init.d/ssh", "/etc/rc2.d/S01ssh");
	tree_symlink(tree, "../init.d/cron", "/etc/rc2.d/S02cron");
	tree_symlink(tree, "../init.d/NetworkManager", "/etc/rc2.d/S02NetworkManager");
	tree_symlink(tree, "../init.d/home-made", "/etc/rc2.d/S03home-made");
	tree_symlink(tree, "../init.d/cron", "/etc/rc3.d/K01cron");
	tree_symlink(tree, "../init.d/home-made", "/etc/rc3.d/S01home-made");
	tree_symlink(tree, "../init.d/ssh", "/etc/rcS.d/S01ssh");
	tree_symlink(tree, "../init.d/ssh", "/etc/rc6.d/S01ssh");
	tree_write(tree, "/etc/rc2.d/README", "not a link");
	ck_assert(policy_import_sysv(change, diags, NULL));
	ck_assert_uint_eq(apply(change), 1);
	expect_file(tree, SVCD_SYSCONFDIR "/policy.d/" POLICY_EDIT_SYSV_FILE,
		    "# Made by \"svcctl policy import --sysv\" from the links in /etc/rcN.d and from /etc/inittab; may be edited by hand.\n"
		    "# A further import replaces this file.\n"
		    "\n[runlevel S]\nActivate=ssh\n"
		    "\n[runlevel 2]\nActivate=ssh\nActivate=network-manager\nActivate=cron\n"
		    "\n[runlevel 3]\nActivate=-cron\n"
		    "\n# Scripts that no service stands for, left out:\n#   home-made\n");
	ck_assert_uint_eq(diag_list_length(diags), 1);
	ck_assert_str_eq(diag_list_get(diags, 0)->text,
			 "no service stands for the script \"home-made\"; it is left out");
	ck_assert(policy_import_sysv(again, diags, NULL));
	ck_assert(change_is_empty(again));
}
END_TEST

static const char *const sysv_file = SVCD_SYSCONFDIR "/policy.d/" POLICY_EDIT_SYSV_FILE;

static void link_script(const Tree *tree, const char *runlevel, const char *link)
{
	g_autofree char *path = g_strdup_printf("/etc/rc%s.d/%s", runlevel, link);
	g_autofree char *script = g_strconcat("../init.d/", link + 3, NULL);

	tree_symlink(tree, script, path);
}

static uint64_t import_links(const Tree *tree)
{
	g_autoptr(Change) change = change_new(tree->root, false);
	g_autoptr(DiagList) diags = diag_list_new();

	ck_assert(policy_import_sysv(change, diags, NULL));
	ck_assert_uint_eq(diag_list_length(diags), 0);
	return apply(change);
}

START_TEST(a_script_that_is_named_after_its_shell_is_the_service_without)
{
	g_autoptr(Tree) tree = machine();

	tree_write(tree, VENDOR "hwclock.svc", PLAIN "[Conditions]\nProvides=clock\n");
	tree_write(tree, VENDOR "own.sh.svc", PLAIN);
	tree_write(tree, VENDOR "own.svc", PLAIN);
	link_script(tree, "S", "S01hwclock.sh");
	link_script(tree, "S", "S02own.sh");
	link_script(tree, "2", "S02clock.sh");
	ck_assert_uint_eq(import_links(tree), 1);
	expect_file(tree, sysv_file,
		    "# Made by \"svcctl policy import --sysv\" from the links in /etc/rcN.d and from /etc/inittab; may be edited by hand.\n"
		    "# A further import replaces this file.\n"
		    "\n[runlevel S]\nActivate=hwclock\nActivate=own.sh\n"
		    "\n[runlevel 2]\nActivate=hwclock\n");
}
END_TEST

/* The vendor wants cron, ssh, udev and hwclock; 3 includes 2. Links: cron is off everywhere, hwclock too, ssh in 2 and not in 3. */
START_TEST(what_the_links_keep_off_is_taken_out_of_what_the_vendor_wants)
{
	g_autoptr(Tree) tree = machine();

	tree_write(tree, VENDOR "hwclock.svc", PLAIN);
	tree_write(tree, VENDOR "udev.svc", PLAIN);
	tree_write(tree, VENDOR "web.svc", PLAIN);
	tree_write(tree, SVCD_LIBDIR "/policy.d/50-svcd.policy",
		   "[runlevel S]\nActivate=udev hwclock\n[runlevel 2]\nActivate=cron ssh\n[runlevel 3]\nInclude=2\n");
	link_script(tree, "1", "K01ssh");
	link_script(tree, "2", "K01cron");
	link_script(tree, "2", "S01ssh");
	link_script(tree, "2", "K01web");
	link_script(tree, "S", "K01hwclock.sh");
	link_script(tree, "6", "K01udev");
	ck_assert_uint_eq(import_links(tree), 1);
	expect_file(tree, sysv_file,
		    "# Made by \"svcctl policy import --sysv\" from the links in /etc/rcN.d and from /etc/inittab; may be edited by hand.\n"
		    "# A further import replaces this file.\n"
		    "\n[runlevel S]\nActivate=-hwclock\n"
		    "\n[runlevel 2]\nActivate=ssh\nActivate=-cron\nActivate=-web\n"
		    "\n[runlevel 3]\nActivate=-ssh\n");
	ck_assert_uint_eq(import_links(tree), 0);
}
END_TEST

START_TEST(an_import_is_offered_until_the_admin_has_a_policy)
{
	g_autoptr(Tree) tree = machine();
	g_autoptr(Change) decline = change_new(tree->root, false);

	ck_assert(!policy_sysv_is_offered(tree->root));
	link_script(tree, "0", "K01ssh");
	link_script(tree, "6", "S01ssh");
	ck_assert(!policy_sysv_is_offered(tree->root));
	link_script(tree, "2", "S01ssh");
	ck_assert(policy_sysv_is_offered(tree->root));
	tree_write(tree, SVCD_SYSCONFDIR "/policy.d/README", "no policy");
	tree_write(tree, SVCD_SYSCONFDIR "/policy.d/.old.policy", "no policy");
	ck_assert(policy_sysv_is_offered(tree->root));

	ck_assert_uint_eq(import_links(tree), 1);
	ck_assert(!policy_sysv_is_offered(tree->root));
	ck_assert_uint_eq(undo(tree, 0), 2);
	ck_assert(policy_sysv_is_offered(tree->root));

	ck_assert(policy_decline_sysv(decline, NULL));
	ck_assert_uint_eq(apply(decline), 3);
	ck_assert(!policy_sysv_is_offered(tree->root));
	ck_assert_uint_eq(undo(tree, 0), 4);
	ck_assert_uint_eq(set(tree, "cron", "Activation", "never"), 5);
	ck_assert(!policy_sysv_is_offered(tree->root));
}
END_TEST

START_TEST(what_was_made_of_inittab_is_imported_too)
{
	g_autoptr(Tree) tree = machine();

	tree_write(tree, "/run/svcd/generated/rc-links/inittab.policy",
		   "# Made by svc-generate from /etc/inittab; changes are lost.\n\n# line 1\n[defaults]\nRunlevel=3\n");
	ck_assert_uint_eq(import_links(tree), 1);
	expect_file(tree, sysv_file,
		    "# Made by \"svcctl policy import --sysv\" from the links in /etc/rcN.d and from /etc/inittab; may be edited by hand.\n"
		    "# A further import replaces this file.\n"
		    "\n# From the lines of /etc/inittab:\n\n# line 1\n[defaults]\nRunlevel=3\n");
	ck_assert_uint_eq(import_links(tree), 0);
}
END_TEST

START_TEST(without_links_there_is_nothing_to_import)
{
	g_autoptr(Tree) tree = machine();
	g_autoptr(Change) change = change_new(tree->root, false);
	g_autoptr(DiagList) diags = diag_list_new();
	g_autoptr(GError) error = NULL;

	ck_assert(!policy_import_sysv(change, diags, &error));
	expect_error(tree, &error, "no link in /etc/rcN.d and no line of /etc/inittab starts anything; there is nothing to import");
}
END_TEST

static void add_history_tests(TCase *tc)
{
	tcase_add_test(tc, the_history_tells_who_when_what_and_where_the_newest_first);
	tcase_add_test(tc, undo_goes_back_step_by_step_and_an_undo_can_be_undone);
	tcase_add_test(tc, undo_after_a_power_cut_takes_back_the_step_that_was_being_written);
	tcase_add_test(tc, undo_is_refused_when_somebody_has_been_there_since);
	tcase_add_loop_test(tc, undo_restores_exactly_whatever_was_changed, 0, 20);
	tcase_add_test(tc, without_a_place_for_the_history_the_change_is_made_and_that_is_said);
	tcase_add_test(tc, a_step_that_cannot_be_read_is_left_out_and_told);
	tcase_add_test(tc, the_oldest_steps_go);
	tcase_add_test(tc, the_history_is_for_root_alone);
}

Suite *make_suite(void)
{
	Suite *suite = suite_create("policy-edit");
	TCase *changes = tcase_create("changes");
	TCase *history = tcase_create("history");

	tcase_add_test(changes, a_key_of_policy_is_written_and_can_be_read_by_all);
	tcase_add_loop_test(changes, a_file_that_is_replaced_keeps_mode_and_group, 0, G_N_ELEMENTS(accesses));
	tcase_add_loop_test(changes, what_undo_brings_back_can_be_read_by_the_same, 0, G_N_ELEMENTS(accesses));
	tcase_add_loop_test(changes, a_new_drop_in_is_for_those_who_may_read_the_files_of_its_service, 0,
			    G_N_ELEMENTS(accesses));
	tcase_add_test(changes, files_for_different_groups_make_a_drop_in_for_root_alone);
	tcase_add_test(changes, with_its_last_word_the_file_goes);
	tcase_add_test(changes, until_reboot_is_written_below_run_without_history);
	tcase_add_test(changes, runlevels_and_defaults_have_sections_of_their_own);
	tcase_add_test(changes, an_override_is_a_drop_in_with_the_right_section);
	tcase_add_test(changes, an_override_of_policy_names_the_verb_for_it);
	tcase_add_test(changes, an_override_may_give_a_list_several_values_and_anything_else_one);
	tcase_add_loop_test(changes, an_override_with_an_order_that_cannot_be_kept_is_refused, 0, G_N_ELEMENTS(refused_orders));
	tcase_add_test(changes, an_order_that_was_dropped_before_holds_no_override_up);
	tcase_add_test(changes, revert_takes_out_all_about_one_service_and_nothing_else);
	tcase_add_loop_test(changes, what_would_be_wrong_is_refused_and_nothing_written, 0, G_N_ELEMENTS(refused));
	tcase_add_test(changes, a_change_that_would_close_a_circle_is_refused_with_the_circle);
	tcase_add_test(changes, two_that_exclude_each_other_are_not_both_wanted);
	tcase_add_test(changes, an_override_for_a_service_that_nobody_has_is_refused);
	tcase_add_test(changes, what_was_wrong_before_holds_nobody_up);
	tcase_add_test(changes, keys_are_not_put_into_a_file_that_counts_for_nothing);
	tcase_add_test(changes, instances_of_a_template_are_services_too);
	tcase_add_test(changes, a_preview_shows_what_would_be_and_writes_nothing);
	tcase_add_test(changes, a_preview_of_a_removal_is_without_the_file);
	tcase_add_test(changes, a_diff_shows_three_lines_around_each_place);
	tcase_add_test(changes, what_others_changed_in_the_meantime_is_kept);
	tcase_add_test(changes, a_writer_waits_for_another_and_not_for_ever);
	tcase_add_test(changes, a_whole_file_may_be_written_where_policy_and_services_are);
	tcase_add_test(changes, a_directory_may_be_a_link_but_a_file_may_not);
	tcase_add_test(changes, the_links_of_sysv_become_policy_and_twice_is_once);
	tcase_add_test(changes, a_script_that_is_named_after_its_shell_is_the_service_without);
	tcase_add_test(changes, what_the_links_keep_off_is_taken_out_of_what_the_vendor_wants);
	tcase_add_test(changes, an_import_is_offered_until_the_admin_has_a_policy);
	tcase_add_test(changes, what_was_made_of_inittab_is_imported_too);
	tcase_add_test(changes, without_links_there_is_nothing_to_import);
	add_history_tests(history);
	tcase_set_timeout(changes, 60);
	tcase_set_timeout(history, 60);
	suite_add_tcase(suite, changes);
	suite_add_tcase(suite, history);
	return suite;
}
