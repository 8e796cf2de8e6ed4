/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * svc-exec, environment: files that it reads, and invalid ones.
 */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/list.h"
#include "tests/lib/exec-run.h"
#include "tests/lib/suite.h"
#include "tests/lib/tree.h"

static void add_file(Wish *wish, const char *path, bool optional)
{
	EnvironmentFile *file = g_new0(EnvironmentFile, 1);

	file->path = g_strdup(path);
	file->optional = optional;
	list_add(&wish->execution.environment_files, file, (GDestroyNotify)environment_file_free);
}

static const struct {
	const char *file;
	const char *output; /* of "env", without the fixed variables */
} files[] = {
	{ "A=1\n", "A=1\n" },
	{ "A=1", "A=1\n" },
	{ "# comment\n; comment\n\n  A=1  \n", "A=1\n" },
	{ "A=\"two words\"\nB='it''s'\nC=a\\ b\n", "A=two words\nB=its\nC=a b\n" },
	{ "A=one two\t\nB=\n", "A=one two\nB=\n" },
	{ "A=\"a\\\"b\\$c\\d\"\n", "A=a\"b$c\\d\n" },
	{ "A=$HOME `id` $(id)\n", "A=$HOME `id` $(id)\n" },
	{ "A=first \\\nsecond\n", "A=first second\n" },
	{ "A='no end\nB=2\n", "A=no end\nB=2\n\n" },
	{ "export A=1\nexportB=2\n", "A=1\nexportB=2\n" },
	{ "1A=x\n=x\nA B=x\nno assignment\nA=1\n", "A=1\n" },
	{ "A=1\r\nB=2\r\n", "A=1\nB=2\n" },
	{ "A=1\nA=2\n", "A=2\n" },
	{ "A=x#y ;z\n", "A=x#y ;z\n" },
	{ "", "" },
	{ "A=\\", "A=\n" },
	{ "A=\"", "A=\n" },
};

static const char *const env_argv[] = { "/usr/bin/env", NULL };

START_TEST(environment_file_is_read_as_a_shell_would_write_it)
{
	g_autoptr(Wish) wish = wish_new(env_argv);
	g_autoptr(Tree) tree = tree_new();
	g_autofree char *path = tree_path(tree, "/env");
	g_autofree char *expected =
		g_strconcat("PATH=/usr/bin:/bin\nFROM=base\n", files[_i].output, NULL);
	g_auto(ExecRun) run = { 0 };

	tree_write(tree, "/env", files[_i].file);
	add_file(wish, path, false);
	run = wish_run(wish);

	expect_output(&run, expected);
}
END_TEST

START_TEST(later_assignment_wins)
{
	g_autoptr(Wish) wish = wish_new(SHELL("echo $FROM $A $HOME $NOTIFY_SOCKET"));
	g_autoptr(Tree) tree = tree_new();
	g_autofree char *path = tree_path(tree, "/env");
	const char *const fixed[] = { "NOTIFY_SOCKET=/ours", NULL };
	g_auto(ExecRun) run = { 0 };

	tree_write(tree, "/env", "A=file\nNOTIFY_SOCKET=/theirs\n");
	add_file(wish, path, false);
	wish->execution.user = g_strdup("daemon");
	list_add(&wish->execution.environment, g_strdup("FROM=setting"), g_free);
	list_add(&wish->execution.environment, g_strdup("A=setting"), g_free);
	list_add(&wish->execution.environment, g_strdup("HOME=/elsewhere"), g_free);
	wish->input.fixed = fixed;
	run = wish_run(wish);

	expect_output(&run, "setting file /elsewhere /ours\n");
}
END_TEST

START_TEST(what_is_not_an_environment_file_is_refused)
{
	g_autoptr(Tree) tree = tree_new();
	g_autofree char *large = g_strnfill(64 * 1024 + 1, '\n');
	g_autofree char *fifo = tree_path(tree, "/fifo");
	const struct {
		const char *path;
		int error; /* if not optional */
		int optional_error;
	} cases[] = {
		{ "/absent", ENOENT, 0 },    { "/directory", EINVAL, EINVAL },
		{ "/fifo", EINVAL, EINVAL }, { "/large", EFBIG, EFBIG },
		{ "/nul", EINVAL, EINVAL },
	};

	tree_mkdir(tree, "/directory");
	ck_assert_int_eq(mkfifo(fifo, 0600), 0);
	tree_write(tree, "/large", large);
	tree_write_bytes(tree, "/nul", "A=1\0\n", 5);

	for (size_t i = 0; i < G_N_ELEMENTS(cases) * 2; i++) {
		g_autoptr(Wish) wish = wish_new(SHELL("exit 0"));
		g_autofree char *path = tree_path(tree, cases[i / 2].path);
		int error = i % 2 ? cases[i / 2].optional_error : cases[i / 2].error;
		g_auto(ExecRun) run = { 0 };

		add_file(wish, path, i % 2);
		run = wish_run(wish);

		if (error)
			expect_refusal(&run, EXEC_STEP_ENVIRONMENT, error);
		else
			expect_output(&run, "");
	}
}
END_TEST

START_TEST(largest_environment_file_is_read)
{
	g_autoptr(Wish) wish = wish_new(SHELL("echo ${#A}"));
	g_autoptr(Tree) tree = tree_new();
	g_autofree char *path = tree_path(tree, "/env");
	g_autofree char *text = g_strnfill(64 * 1024, 'x');
	g_auto(ExecRun) run = { 0 };

	memcpy(text, "A=", 2);
	tree_write(tree, "/env", text);
	add_file(wish, path, false);
	run = wish_run(wish);

	expect_output(&run, "65534\n");
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("svc-exec: environment");

	suite_add_loop(suite, "environment", environment_file_is_read_as_a_shell_would_write_it,
		       G_N_ELEMENTS(files));
	ADD_CASE(suite, "environment", what_is_not_an_environment_file_is_refused,
		 largest_environment_file_is_read);
	if (geteuid() != 0)
		return suite; /* only root may change its uid */
	ADD_CASE(suite, "environment", later_assignment_wins);
	return suite;
}
