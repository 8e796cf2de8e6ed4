/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * svc-exec, directories: RuntimeDirectory= and similar keys, removal, and the working directory.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/list.h"
#include "tests/lib/exec-run.h"
#include "tests/lib/suite.h"
#include "tests/lib/tree.h"

static char *runtime_name(const char *suffix)
{
	return g_strdup_printf("svcd-test-%d%s", (int)getpid(), suffix);
}

START_TEST(runtime_directories_are_made_for_the_user)
{
	g_autoptr(Wish) wish =
		wish_new(SHELL("stat -c '%U:%G %a' $(echo $RUNTIME_DIRECTORY | tr : ' '); touch "
			       "${RUNTIME_DIRECTORY##*:}/x"));
	g_autofree char *one = runtime_name("");
	g_autofree char *two = runtime_name("/on/the/way");
	g_autofree char *command = g_strdup_printf("rm -r /run/%s", one);
	g_auto(ExecRun) first = { 0 };
	g_auto(ExecRun) again = { 0 };

	wish->execution.user = g_strdup("daemon");
	wish_sandbox(wish, SANDBOX_RUNTIME_DIRECTORY_MODE, "0750");
	(void)umask(077); /* UMask= is in force before svc-exec starts */
	wish_sandbox(wish, SANDBOX_RUNTIME_DIRECTORY, one);
	wish_sandbox(wish, SANDBOX_RUNTIME_DIRECTORY, two);
	first = wish_run(wish);
	again = wish_run(wish);
	ck_assert_int_eq(system(command), 0);

	expect_output(&first, "daemon:daemon 750\ndaemon:daemon 750\n");
	expect_output(&again, "daemon:daemon 750\ndaemon:daemon 750\n");
}
END_TEST

START_TEST(runtime_directory_follows_no_link)
{
	g_autoptr(Wish) wish = wish_new(SHELL("exit 0"));
	g_autoptr(Tree) tree = tree_new();
	g_autofree char *name = runtime_name("-link");
	g_autofree char *below = g_strconcat(name, "/x", NULL);
	g_autofree char *link_path = g_strconcat("/run/", name, NULL);
	g_autofree char *victim = tree_path(tree, "/x");
	g_auto(ExecRun) itself = { 0 };
	g_auto(ExecRun) through = { 0 };

	ck_assert_int_eq(symlink(tree->root, link_path), 0);
	wish_sandbox(wish, SANDBOX_RUNTIME_DIRECTORY, name);
	itself = wish_run(wish);
	list_empty(wish->execution.sandbox_lines);
	wish_sandbox(wish, SANDBOX_RUNTIME_DIRECTORY, below);
	through = wish_run(wish);
	ck_assert_int_eq(unlink(link_path), 0);

	expect_refusal(&itself, EXEC_STEP_RUNTIME, ENOTDIR);
	expect_refusal(&through, EXEC_STEP_RUNTIME, ENOTDIR);
	ck_assert_int_ne(access(victim, F_OK), 0);
}
END_TEST

/* The manager never sends such names. */
static const char *const bad_directories[] = { "..", "a/../b", ".", "''", "a//b", "/a" };

START_TEST(runtime_directory_stays_below_run)
{
	g_autoptr(Wish) wish = wish_new(SHELL("exit 0"));
	g_auto(ExecRun) run = { 0 };

	list_add(&wish->execution.sandbox_lines,
		 g_strconcat("RuntimeDirectory=", bad_directories[_i], NULL), g_free);
	run = wish_run(wish);

	expect_refusal(&run, EXEC_STEP_SPEC, EINVAL);
	ck_assert_int_ne(access("/run/a", F_OK), 0);
}
END_TEST

static ExecRun remove_runtime(const Wish *wish)
{
	g_autoptr(GError) error = NULL;
	int fd = exec_spec_new_removal(&wish->execution, true, "/run/svcd-test-none", &error);

	ck_assert_msg(fd >= 0, "%s", error ? error->message : "?");
	return run_spec(fd, -1);
}

START_TEST(removal_takes_a_whole_directory_and_follows_no_link)
{
	g_autoptr(Wish) wish = wish_new(
		SHELL("cd $RUNTIME_DIRECTORY && mkdir -p a/b/c && touch a/b/c/x .hidden && ln -s "
		      "$VICTIM a/link"));
	g_autoptr(Tree) tree = tree_new();
	g_autofree char *name = runtime_name("-gone");
	g_autofree char *path = g_strconcat("/run/", name, NULL);
	g_autofree char *victim = tree_path(tree, "/victim");
	g_auto(ExecRun) made = { 0 };
	g_auto(ExecRun) removed = { 0 };
	g_auto(ExecRun) again = { 0 };

	tree_write(tree, "/victim", "");
	list_add(&wish->execution.environment, g_strdup_printf("VICTIM=%s", tree->root), g_free);
	wish_sandbox(wish, SANDBOX_RUNTIME_DIRECTORY, name);
	made = wish_run(wish);
	expect_output(&made, "");
	removed = remove_runtime(wish);
	again = remove_runtime(wish);

	ck_assert_int_eq(removed.exit_status, 0);
	ck_assert_int_eq(again.exit_status, 0);
	ck_assert_int_ne(access(path, F_OK), 0);
	ck_assert_int_eq(access(victim, F_OK), 0);
}
END_TEST

START_TEST(removal_of_a_link_removes_the_link)
{
	g_autoptr(Wish) wish = wish_new(SHELL("exit 0"));
	g_autoptr(Tree) tree = tree_new();
	g_autofree char *name = runtime_name("-link");
	g_autofree char *path = g_strconcat("/run/", name, NULL);
	g_autofree char *victim = tree_path(tree, "/victim");
	g_auto(ExecRun) removed = { 0 };

	tree_write(tree, "/victim", "");
	ck_assert_int_eq(symlink(tree->root, path), 0);
	wish_sandbox(wish, SANDBOX_RUNTIME_DIRECTORY, name);
	removed = remove_runtime(wish);

	ck_assert_int_eq(removed.exit_status, 0);
	ck_assert_int_ne(access(path, F_OK), 0);
	ck_assert_int_eq(access(victim, F_OK), 0);
}
END_TEST

/*
 * A user has created a directory with the name that the link contains, to read what a service
 * writes.
 */
START_TEST(private_tmp_is_never_another_users_directory)
{
	g_autoptr(Wish) wish = wish_new(SHELL("touch /tmp/word && stat -c %a /tmp"));
	g_autoptr(Tree) tree = tree_new();
	g_autofree char *trap = g_strdup_printf("svcd-trap-%d", (int)getpid());
	g_autofree char *trap_path = g_strconcat("/tmp/", trap, NULL);
	g_autofree char *trapped = g_strconcat(trap_path, "/tmp", NULL);
	g_autofree char *link_path = tree_path(tree, "/private/service");
	g_autofree char *reported = NULL;
	g_auto(ExecRun) run = { 0 };
	g_auto(ExecRun) removed = { 0 };

	tree_mkdir(tree, "/private");
	ck_assert_int_eq(mkdir(trap_path, 0777), 0);
	ck_assert_int_eq(chown(trap_path, 1, 1), 0);
	ck_assert_int_eq(symlink(trap, link_path), 0);
	wish_sandbox(wish, SANDBOX_PRIVATE_TMP, "yes");
	wish->input.private_tmp = link_path;
	run = wish_run(wish);
	reported = g_file_read_link(link_path, NULL);
	removed = run_spec(exec_spec_new_removal(&wish->execution, false, link_path, NULL), -1);

	expect_output(&run, "1777\n");
	ck_assert_str_ne(reported, trap);
	ck_assert_int_ne(access(trapped, F_OK), 0);
	ck_assert_int_eq(rmdir(trap_path), 0);
	ck_assert_int_eq(removed.exit_status, 0);
	ck_assert_int_ne(access(link_path, F_OK), 0);
}
END_TEST

START_TEST(a_failure_is_reported_with_its_key)
{
	g_autoptr(Wish) wish = wish_new(SHELL("exit 0"));
	g_auto(ExecRun) run = { 0 };

	wish_sandbox(wish, SANDBOX_INACCESSIBLE_PATHS, "/no/such/path");
	run = wish_run(wish);

	expect_refusal(&run, EXEC_STEP_SANDBOX, ENOENT);
	ck_assert_str_eq(run.status.what, "InaccessiblePaths=: cannot find /no/such/path");
}
END_TEST

START_TEST(working_directory_is_entered_as_the_user)
{
	g_autoptr(Wish) wish = wish_new(SHELL("pwd"));
	g_autoptr(Tree) tree = tree_new();
	g_auto(ExecRun) closed = { 0 };
	g_auto(ExecRun) open_run = { 0 };

	ck_assert_int_eq(chmod(tree->root, 0700), 0);
	wish->execution.user = g_strdup("daemon");
	wish->execution.directory = g_strdup(tree->root);
	closed = wish_run(wish);
	g_free(wish->execution.directory);
	wish->execution.directory = g_strdup("/usr");
	open_run = wish_run(wish);

	expect_refusal(&closed, EXEC_STEP_DIRECTORY, EACCES);
	expect_output(&open_run, "/usr\n");
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("svc-exec: directories");

	if (geteuid() != 0)
		return suite; /* only root may change its uid */
	suite_add_loop(suite, "directories", runtime_directory_stays_below_run,
		       G_N_ELEMENTS(bad_directories));
	ADD_CASE(suite, "directories", runtime_directories_are_made_for_the_user,
		 runtime_directory_follows_no_link,
		 removal_takes_a_whole_directory_and_follows_no_link,
		 removal_of_a_link_removes_the_link, private_tmp_is_never_another_users_directory,
		 a_failure_is_reported_with_its_key, working_directory_is_entered_as_the_user);
	return suite;
}
