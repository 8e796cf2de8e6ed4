/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The permissions of the files that a policy change writes.
 */
#include "config.h"

#include <check.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/lib/edit-world.h"
#include "tests/lib/suite.h"

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

START_TEST(a_key_of_policy_is_written_and_can_be_read_by_all)
{
	g_autoptr(Tree) tree = edit_machine();
	g_autofree char *path = tree_path(tree, POLICY_EDIT_FILE);
	g_autofree char *directory = g_path_get_dirname(path);
	struct stat st;
	const mode_t mask = umask(077);

	ck_assert_uint_eq(edit_set(tree, "ssh", "Activation", "never"), 1);
	umask(mask);

	edit_expect_file(tree, POLICY_EDIT_FILE, HEAD "\n[service ssh]\nActivation=never\n");
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_uint_eq(st.st_mode & 07777, 0644);
	ck_assert_int_eq(stat(directory, &st), 0);
	ck_assert_uint_eq(st.st_mode & 07777, 0755);
}
END_TEST

START_TEST(a_file_that_is_replaced_keeps_mode_and_group)
{
	const struct Access *it = &accesses[_i];
	g_autoptr(Tree) tree = edit_machine();
	g_autoptr(Change) change = change_new(tree->root, false);

	tree_write(tree, POLICY_EDIT_FILE, "[service cron]\nReason=x\n");
	give(tree, POLICY_EDIT_FILE, it->mode, it->gid);
	tree_write(tree, DROP_IN, "[Service]\nEnvironment=TOKEN=x\n");
	give(tree, DROP_IN, it->mode, it->gid);
	ck_assert(change_set_policy(change, "ssh", "Activation", "never", NULL));
	ck_assert(change_set_override(change, "ssh", "Nice", "5", NULL));
	ck_assert_uint_eq(edit_apply(change), 1);
	edit_expect_file(tree, DROP_IN, "[Service]\nEnvironment=TOKEN=x\nNice=5\n");
	expect_access(tree, POLICY_EDIT_FILE, it->mode, it->gid);
	expect_access(tree, DROP_IN, it->mode, it->gid);
	edit_undo(tree, 0);
	edit_expect_file(tree, DROP_IN, "[Service]\nEnvironment=TOKEN=x\n");
	expect_access(tree, DROP_IN, it->mode, it->gid);
}
END_TEST

START_TEST(what_undo_brings_back_can_be_read_by_the_same)
{
	const struct Access *it = &accesses[_i];
	g_autoptr(Tree) tree = edit_machine();
	g_autoptr(Change) change = change_new(tree->root, false);

	tree_write(tree, DROP_IN, "[Service]\nEnvironment=TOKEN=x\n");
	give(tree, DROP_IN, it->mode, it->gid);
	ck_assert(change_revert(change, "ssh", NULL));
	edit_apply(change);
	edit_expect_file(tree, DROP_IN, NULL);
	edit_undo(tree, 0);
	edit_expect_file(tree, DROP_IN, "[Service]\nEnvironment=TOKEN=x\n");
	expect_access(tree, DROP_IN, it->mode, it->gid);
}
END_TEST

static void override(const Tree *tree, const char *service)
{
	g_autoptr(Change) change = change_new(tree->root, false);
	g_autoptr(GError) error = NULL;

	ck_assert(change_set_override(change, service, "Nice", "5", NULL));
	ck_assert_msg(change_apply(change, &edit_author, NULL, &error), "%s",
		      error ? error->message : "");
}

START_TEST(a_new_drop_in_has_the_access_mode_of_its_service_file)
{
	static const char *const secret = SVCD_SYSCONFDIR "/services.d/ssh.svc.d/10-token.conf";
	const struct Access *it = &accesses[_i];
	g_autoptr(Tree) tree = edit_machine();

	tree_write(tree, secret, "[Service]\nEnvironment=TOKEN=x\n");
	give(tree, secret, it->mode, it->gid);
	override(tree, "ssh");
	expect_access(tree, DROP_IN, it->mode & 0644, it->gid);
	override(tree, "cron");
	expect_access(tree, SVCD_SYSCONFDIR "/services.d/cron.svc.d/90-svcctl.conf", 0644,
		      getegid());
}
END_TEST

START_TEST(files_for_different_groups_make_a_drop_in_for_root_alone)
{
	static const char *const secret = SVCD_SYSCONFDIR "/services.d/getty@.svc.d/10-token.conf";
	g_autoptr(Tree) tree = edit_machine();
	const struct {
		mode_t mode;
		gid_t gid;
	} expected = { geteuid() == 0 ? 0600 : 0640, 34 };

	tree_write(tree, secret, "[Service]\nEnvironment=TOKEN=x\n");
	give(tree, secret, 0640, 34);
	give(tree, VENDOR "getty@.svc", 0640, 33);
	override(tree, "getty@tty1");
	expect_access(tree, SVCD_SYSCONFDIR "/services.d/getty@tty1.svc.d/90-svcctl.conf",
		      expected.mode, expected.gid);
}
END_TEST

START_TEST(the_history_is_for_root_alone)
{
	g_autoptr(Tree) tree = edit_machine();
	g_autofree char *directory = tree_path(tree, POLICY_EDIT_HISTORY);
	struct stat st;

	/* An older version created this directory readable by all users. */
	tree_mkdir(tree, POLICY_EDIT_HISTORY);
	ck_assert_int_eq(chmod(directory, 0755), 0);
	edit_set(tree, "ssh", "Activation", "never");
	expect_access(tree, POLICY_EDIT_HISTORY "/000001.step", 0600, getegid());
	ck_assert_int_eq(stat(directory, &st), 0);
	ck_assert_uint_eq(st.st_mode & 07777, 0700);
	directory[strlen(directory) - strlen("/policy-history")] = '\0';
	ck_assert_int_eq(stat(directory, &st), 0);
	ck_assert_uint_eq(st.st_mode & 07777, 0755);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("policy-access");

	ADD_CASE(suite, "access", a_key_of_policy_is_written_and_can_be_read_by_all,
		 files_for_different_groups_make_a_drop_in_for_root_alone,
		 the_history_is_for_root_alone);
	suite_add_loop(suite, "replaced", a_file_that_is_replaced_keeps_mode_and_group,
		       G_N_ELEMENTS(accesses));
	suite_add_loop(suite, "undone", what_undo_brings_back_can_be_read_by_the_same,
		       G_N_ELEMENTS(accesses));
	suite_add_loop(suite, "new", a_new_drop_in_has_the_access_mode_of_its_service_file,
		       G_N_ELEMENTS(accesses));
	return suite;
}
