/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Spawn: see spawn.h.
 */
#include "config.h"

#include "svc-systemd1/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"

/* Above all descriptors that a program gets. */
enum { TEMPORARY_FD = 128, FDS_MAX = 64 };

/* A global variable: all processes get the same pipe. A pid is written in one piece (pipe(7)). */
static int ready_pipe = -1;

int spawn_open_ready_pipe(void)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0 || fcntl(ends[0], F_SETFL, O_NONBLOCK) < 0)
		return -1;
	ready_pipe = ends[1];
	return ends[0];
}

/* First all move out of the way, because a descriptor may be where another one belongs. */
static bool place_fds(const int *fds, unsigned n_fds)
{
	const int ready = fcntl(ready_pipe, F_DUPFD_CLOEXEC, TEMPORARY_FD);
	int moved[FDS_MAX];

	if (n_fds > FDS_MAX)
		return false;
	for (unsigned i = 0; i < n_fds; i++)
		if ((moved[i] = fcntl(fds[i], F_DUPFD_CLOEXEC, TEMPORARY_FD)) < 0)
			return false;
	for (unsigned i = 0; i < n_fds; i++)
		if (dup2(moved[i], SPAWN_FIRST_FD + (int)i) < 0)
			return false;
	return ready >= 0 && dup2(ready, SPAWN_READY_FD) >= 0;
}

static pid_t spawn_with(const char *const *argv, const int *fds, unsigned n_fds, int output)
{
	const pid_t pid = fork();
	sigset_t none;

	if (pid > 0)
		return pid;
	if (pid < 0) {
		log_error(NULL, "cannot start %s: %s", argv[0], strerror(errno));
		return 0;
	}
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	if (place_fds(fds, n_fds) && (output < 0 || dup2(output, STDOUT_FILENO) >= 0))
		(void)execv(argv[0], (char *const *)argv);
	log_error(NULL, "cannot start %s: %s", argv[0], strerror(errno));
	_exit(127);
}

pid_t spawn(const char *const *argv, const int *fds, unsigned n_fds)
{
	return spawn_with(argv, fds, n_fds, -1);
}

int spawn_reader(const char *const *argv)
{
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -1;
	pid = spawn_with(argv, NULL, 0, ends[1]);
	(void)close(ends[1]);
	if (pid > 0)
		return ends[0];
	(void)close(ends[0]);
	return -1;
}
