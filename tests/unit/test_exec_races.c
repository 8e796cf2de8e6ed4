/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * svc-exec, while another process exchanges a directory on a path that svc-exec uses. svc-exec
 * never reads, shows, changes, removes or gives away what only root can reach. Needs root.
 */
#include "config.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/list.h"
#include "tests/lib/exec-run.h"
#include "tests/lib/suite.h"
#include "tests/lib/swapper.h"

#define ROUNDS 100

/* Executes the wish many times. Returns: the number of executions. */
static unsigned run_often(const Wish *wish)
{
	unsigned n_executed = 0;

	for (unsigned i = 0; i < ROUNDS; i++) {
		g_auto(ExecRun) run = wish_run(wish);

		ck_assert_msg(!strstr(run.output, "secret"), "%s", run.output);
		n_executed += run.status.step == 0;
	}
	return n_executed;
}

static void add_file(Wish *wish, char *path)
{
	EnvironmentFile *file = g_new0(EnvironmentFile, 1);

	file->path = path;
	list_add(&wish->execution.environment_files, file, (GDestroyNotify)environment_file_free);
}

/* Takes ownership of both. */
static void add_bind(Wish *wish, char *source, char *path)
{
	g_autofree char *line = g_strdup_printf("%s:%s", source, path);

	wish_sandbox(wish, SANDBOX_BIND_PATHS, line);
	g_free(source);
	g_free(path);
}

START_TEST(files_that_are_read_are_never_the_victims)
{
	g_autoptr(Tree) tree = tree_new();
	Swapper *swapper = swapper_new(tree);
	g_autoptr(Wish) wish = wish_new(SHELL("echo \"$X\"; cat"));
	unsigned n_executed;

	add_file(wish, swapper_path(swapper, "env"));
	wish->execution.input = swapper_path(swapper, "text");
	wish->execution.user = g_strdup("daemon");
	n_executed = run_often(wish);
	swapper_end(swapper);

	ck_assert_uint_gt(n_executed, 0);
	ck_assert_uint_lt(n_executed, ROUNDS);
}
END_TEST

START_TEST(the_source_of_a_bind_is_never_the_victims)
{
	g_autoptr(Tree) tree = tree_new();
	Swapper *swapper = swapper_new(tree);
	g_autofree char *command = g_strdup_printf("cat %s/show/text", tree->root);
	g_autoptr(Wish) wish = wish_new(SHELL(command));
	unsigned n_executed;

	add_bind(wish, swapper_path(swapper, ""), tree_path(tree, "/show"));
	n_executed = run_often(wish);
	swapper_end(swapper);

	ck_assert_uint_gt(n_executed, 0);
}
END_TEST

START_TEST(the_target_of_a_bind_is_never_the_victims)
{
	g_autoptr(Tree) tree = tree_new();
	Swapper *swapper = swapper_new(tree);
	g_autoptr(Wish) wish = wish_new(SHELL("true"));

	add_bind(wish, tree_path(tree, "/victim"), swapper_path(swapper, "made/here"));
	add_bind(wish, tree_path(tree, "/victim/text"), swapper_path(swapper, "file"));
	(void)run_often(wish);
	swapper_end(swapper);
}
END_TEST

/* These directories exist only below /run. */
static Tree *tree_in_run(void)
{
	Tree *tree = g_new0(Tree, 1);

	tree->root = g_strdup_printf("/run/svcd-test-races-%d", (int)getpid());
	ck_assert_int_eq(mkdir(tree->root, 0755), 0);
	return tree;
}

static void remove_runtime(const Wish *wish)
{
	g_autoptr(GError) error = NULL;
	const int fd = exec_spec_new_removal(&wish->execution, true, "/run/svcd-test-none", &error);
	g_auto(ExecRun) run = { 0 };

	ck_assert_msg(fd >= 0, "%s", error ? error->message : "?");
	run = run_spec(fd, -1);
}

START_TEST(directories_that_are_made_and_removed_are_never_the_victims)
{
	g_autoptr(Tree) tree = tree_in_run();
	Swapper *swapper = swapper_new(tree);
	g_autofree char *made = swapper_path(swapper, "fifo");
	g_autofree char *below = swapper_path(swapper, "a/b");
	g_autoptr(Wish) wish = wish_new(SHELL("true"));

	wish->execution.user = g_strdup("www-data"); /* SWAPPER_UID */
	wish_sandbox(wish, SANDBOX_RUNTIME_DIRECTORY, below + strlen("/run/"));
	wish_sandbox(wish, SANDBOX_RUNTIME_DIRECTORY, made + strlen("/run/"));
	for (unsigned i = 0; i < ROUNDS; i++) {
		g_auto(ExecRun) run = wish_run(wish);

		remove_runtime(wish);
	}
	swapper_end(swapper);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("svc-exec: races");

	if (geteuid() == 0)
		ADD_CASE(suite, "exchanged", files_that_are_read_are_never_the_victims,
			 the_source_of_a_bind_is_never_the_victims,
			 the_target_of_a_bind_is_never_the_victims,
			 directories_that_are_made_and_removed_are_never_the_victims);
	return suite;
}
