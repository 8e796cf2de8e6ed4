/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Exec run: a process that becomes svc-exec like a child of the keeper, and its results.
 */
#include "config.h"

#include "tests/lib/exec-run.h"

#include <check.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "model/exec-read.h"

void exec_run_clear(ExecRun *run)
{
	g_free(run->output);
}

static void G_GNUC_NORETURN run_as(int spec_fd, int status_fd, int output_fd, int ready_fd)
{
	char *const argv[] = { (char *)"svc-exec", NULL };
	char *const environment[] = { NULL };
	const int fds[] = { spec_fd, status_fd, ready_fd };
	const struct rlimit few = { .rlim_cur = 16, .rlim_max = 16 };
	int parked[G_N_ELEMENTS(fds)];

	(void)setsid();
	(void)dup2(output_fd, STDOUT_FILENO);
	(void)dup2(output_fd, STDERR_FILENO);
	for (size_t i = 0; i < G_N_ELEMENTS(fds); i++)
		parked[i] = fds[i] < 0 ? -1 : fcntl(fds[i], F_DUPFD_CLOEXEC, 200);
	(void)close_range(3, 199, 0);
	for (size_t i = 0; i < G_N_ELEMENTS(fds); i++) {
		if (parked[i] >= 0)
			(void)dup2(parked[i], 3 + (int)i);
	}
	(void)close_range(ready_fd < 0 ? 5 : 6, ~0u, 0);
	/*
	 * LimitNOFILE= is in force before svc-exec starts. A readiness descriptor may have any
	 * number.
	 */
	if (ready_fd < 0)
		(void)setrlimit(RLIMIT_NOFILE, &few);
	(void)execve(SVC_EXEC, argv, environment);
	_exit(126);
}

static char *read_all(int fd)
{
	g_autoptr(GBytes) bytes = fd_read_bounded(fd, 1024 * 1024, "the output", NULL);

	ck_assert_ptr_nonnull(bytes);
	return g_bytes_get_size(bytes) > 0 ?
		       g_strndup(g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes)) :
		       g_strdup("");
}

ExecRun run_spec(int spec_fd, int ready_fd)
{
	ExecRun run = { 0 };
	int status_pipe[2];
	int output_pipe[2];
	int wait_status;
	pid_t pid;

	ck_assert_int_eq(pipe2(status_pipe, O_CLOEXEC), 0);
	ck_assert_int_eq(pipe2(output_pipe, O_CLOEXEC), 0);
	pid = fork();
	if (pid == 0)
		run_as(spec_fd, status_pipe[1], output_pipe[1], ready_fd);
	(void)close(spec_fd);
	(void)close(status_pipe[1]);
	(void)close(output_pipe[1]);
	(void)!read(status_pipe[0], &run.status, sizeof run.status); /* end of file: executed */
	run.output = read_all(output_pipe[0]);
	ck_assert_int_eq(waitpid(pid, &wait_status, 0), pid);
	run.exit_status = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) :
						   256 + WTERMSIG(wait_status);
	(void)close(status_pipe[0]);
	(void)close(output_pipe[0]);
	return run;
}

static const char *const base_environment[] = { "PATH=/usr/bin:/bin", "FROM=base", NULL };

Wish *wish_new(const char *const *argv)
{
	Wish *wish = g_new0(Wish, 1);

	exec_def_init(&wish->execution);
	wish->input = (ExecSpecInput){ .execution = &wish->execution,
				       .argv = argv,
				       .environment = base_environment,
				       .ready_number = -1 };
	return wish;
}

void wish_free(Wish *wish)
{
	exec_def_clear(&wish->execution);
	g_free(wish);
}

void wish_sandbox(Wish *wish, enum SandboxKey key, const char *value)
{
	g_autofree char *problem = exec_read_sandbox(&wish->execution, (int)key, value);

	ck_assert_msg(!problem, "%s", problem);
}

ExecRun wish_run(const Wish *wish)
{
	g_autoptr(GError) error = NULL;
	int fd = exec_spec_new(&wish->input, &error);

	ck_assert_msg(fd >= 0, "%s", error ? error->message : "?");
	return run_spec(fd, -1);
}

void expect_refusal(const ExecRun *run, enum ExecStep step, int error)
{
	ck_assert_msg(run->status.step == (int)step && run->status.error == error,
		      "step %d (%s); output: %s", run->status.step, g_strerror(run->status.error),
		      run->output);
	ck_assert_int_eq(run->exit_status, 127);
	ck_assert_str_eq(run->output, "");
}

void expect_output(const ExecRun *run, const char *output)
{
	ck_assert_msg(run->status.step == 0, "step %d: %s", run->status.step,
		      g_strerror(run->status.error));
	ck_assert_str_eq(run->output, output);
}
