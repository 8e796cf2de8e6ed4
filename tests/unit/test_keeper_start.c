/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Invalid starts of svcd: the message and the exit status.
 */
#include "config.h"

#include <check.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/lib/keeper-stage.h"
#include "tests/lib/scratch.h"

#define MAX_ARGUMENTS 4

static char *directory;

static void set_up(void)
{
	directory = scratch_new();
	(void)setenv("XDG_RUNTIME_DIR", directory, 1);
}

static void tear_down(void)
{
	scratch_free(directory);
}

/* Returns: the exit status. The buffer gets standard error. */
static int start(const char *const *arguments, int fd_three, char *output, size_t size)
{
	char name[] = "svcd";
	char *argv[MAX_ARGUMENTS + 2] = { name };
	size_t used = 0;
	int status = 0;
	int ends[2];
	ssize_t n;
	pid_t pid;

	for (size_t i = 0; i < MAX_ARGUMENTS && arguments[i]; i++)
		memcpy(&argv[i + 1], &arguments[i], sizeof(argv[0]));
	ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		(void)dup2(ends[1], STDOUT_FILENO);
		(void)dup2(ends[1], STDERR_FILENO);
		(void)dup2(fd_three, 3);
		(void)execv("./svcd", argv);
		_exit(126);
	}
	(void)close(ends[1]);
	while (used < size - 1 && (n = read(ends[0], output + used, size - 1 - used)) > 0)
		used += (size_t)n;
	output[used] = '\0';
	(void)close(ends[0]);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static const struct {
	const char *arguments[MAX_ARGUMENTS];
	const char *fd_three; /* the file open there */
	int status;
	const char *output;
} starts[] = {
	{ { "--version" }, "/dev/null", 0, "svcd " PACKAGE_VERSION },
	{ { "--help" }, "/dev/null", 0, "Usage: svcd" },
	{ { "--nonsense", "--user" }, "/dev/null", 2, "unknown argument --nonsense" },
	{ { NULL }, "/dev/null", 2, "this is not process 1" },
	{ { "--try-tables=3" }, "/dev/null", 1, "" },
	{ { "--try-tables=3" }, "/", 1, "" },
	{ { "--try-tables=3" }, "/etc/passwd", 1, "" },
	{ { "--try-tables=99" }, "/dev/null", 1, "" },
};

START_TEST(an_impossible_role_is_reported)
{
	int fd = open(starts[_i].fd_three, O_RDONLY | O_CLOEXEC);
	char output[8192];

	ck_assert_int_eq(start(starts[_i].arguments, fd, output, sizeof(output)),
			 starts[_i].status);

	ck_assert_msg(strstr(output, starts[_i].output), "its output: %s", output);
	(void)close(fd);
}
END_TEST

static const char *const as_user[MAX_ARGUMENTS] = { "--user" };

START_TEST(a_user_without_a_directory_of_its_own_has_no_keeper)
{
	char output[1024];

	(void)unsetenv("XDG_RUNTIME_DIR");
	ck_assert_int_eq(start(as_user, STDIN_FILENO, output, sizeof(output)), 1);
	ck_assert_ptr_nonnull(strstr(output, "is not set to a directory"));

	(void)setenv("XDG_RUNTIME_DIR", "/no/such/place", 1);
	ck_assert_int_eq(start(as_user, STDIN_FILENO, output, sizeof(output)), 1);
	ck_assert_ptr_nonnull(strstr(output, "there is no directory /no/such/place"));

	(void)setenv("XDG_RUNTIME_DIR", directory, 1);
	(void)chmod(directory, 0777);
	ck_assert_int_eq(start(as_user, STDIN_FILENO, output, sizeof(output)), 1);
	ck_assert_ptr_nonnull(strstr(output, "can be written to by others"));
}
END_TEST

START_TEST(a_lock_that_cannot_be_opened_is_named)
{
	char path[128];
	char output[1024];

	(void)snprintf(path, sizeof(path), "%s/svcd", directory);
	ck_assert_int_eq(symlink("/no/such/place", path), 0);

	ck_assert_int_eq(start(as_user, STDIN_FILENO, output, sizeof(output)), 1);

	ck_assert_ptr_nonnull(strstr(output, "/svcd/lock: No such file or directory"));
}
END_TEST

START_TEST(the_second_keeper_of_a_user_names_the_first)
{
	char expected[64];
	char output[1024];

	(void)setenv("XDG_RUNTIME_DIR", run.directory, 1);
	ck_assert_int_eq(start(as_user, STDIN_FILENO, output, sizeof(output)), 0);

	(void)snprintf(expected, sizeof(expected), "another svcd --user runs already, process %d",
		       (int)run.pid);
	ck_assert_msg(strstr(output, expected), "its output: %s", output);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("keeper start");

	(void)suite_add_loop(suite, "starts", an_impossible_role_is_reported,
			     sizeof(starts) / sizeof(starts[0]));
	ADD_CASE_AROUND(suite, "user", set_up, tear_down,
			a_user_without_a_directory_of_its_own_has_no_keeper,
			a_lock_that_cannot_be_opened_is_named);
	ADD_CASE_AROUND(suite, "second", keeper_set_up, keeper_tear_down,
			the_second_keeper_of_a_user_names_the_first);
	return suite;
}
