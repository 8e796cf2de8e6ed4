/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Child: a fork that closes all descriptors that the call does not need, because a stuck child
 * would keep them open for ever.
 */
#include "config.h"

#include "logger/child.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"

pid_t child_fork(int fd)
{
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	if (fd != CHILD_FD && dup2(fd, CHILD_FD) < 0)
		_exit(1);
	(void)close_range(CHILD_FD + 1, ~0U, 0); /* since Linux 5.9; svcd needs 5.12 */
	return 0;
}

/* Holds @fd until the logger has closed @fd and then the other end of @closed_fd. */
static _Noreturn void hold(int fd, int closed_fd)
{
	char byte;

	if (dup2(closed_fd, STDIN_FILENO) < 0 || dup2(fd, CHILD_FD) < 0)
		_exit(1);
	(void)close_range(CHILD_FD + 1, ~0U, 0);
	while (read(STDIN_FILENO, &byte, 1) < 0 && errno == EINTR)
		;
	_exit(0);
}

/*
 * The holder is PID 1's child, because the logger would otherwise have to reap it. Returns: false
 * if it cannot be started.
 */
static bool start_holder(int fd, int closed_fd)
{
	pid_t pid = fork();
	int status = 1;

	if (pid == 0) {
		pid = fork();
		if (pid == 0)
			hold(fd, closed_fd);
		_exit(pid < 0);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

void child_close(int fd)
{
	auto_fd int read_end = -1;
	auto_fd int write_end = -1;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return; /* @fd stays open, because closing it here could block */
	read_end = ends[0];
	write_end = ends[1];
	if (start_holder(fd, read_end))
		(void)close(fd);
}
