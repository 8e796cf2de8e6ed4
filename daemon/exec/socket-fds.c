/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Socket fds: each socket is moved down to a number that is free, or that another socket has left.
 */
#include "config.h"

#include "exec/socket-fds.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#define FIRST_SOCKET 3

/* More than any service has; the manager has its own limit. */
#define MOST_SOCKETS 1024

int sockets_check(const struct Spec *spec)
{
	if (spec->n_sockets > MOST_SOCKETS || !spec->socket_names)
		return EINVAL;
	return spec_has(spec, EXEC_SPEC_READY) &&
			       spec->ready_number < FIRST_SOCKET + spec->n_sockets ?
		       EINVAL :
		       0;
}

int sockets_park(int *fd, int from)
{
	const int flags = fcntl(*fd, F_GETFD);
	const int parked = fcntl(*fd, flags & FD_CLOEXEC ? F_DUPFD_CLOEXEC : F_DUPFD, from);

	if (parked < 0)
		return errno;
	(void)close(*fd); /* the duplicate stays */
	*fd = parked;
	return 0;
}

static int make_blocking(int fd)
{
	const int flags = fcntl(fd, F_GETFL);

	return flags < 0 || fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) < 0 ? errno : 0;
}

int sockets_install(int first, int n)
{
	for (int i = 0; i < n; i++) {
		int error;

		if (dup2(first + i, FIRST_SOCKET + i) < 0)
			return errno;
		error = make_blocking(FIRST_SOCKET + i);
		if (error)
			return error;
	}
	for (int fd = first > FIRST_SOCKET + n ? first : FIRST_SOCKET + n; fd < first + n; fd++)
		(void)close(fd); /* their duplicates stay */
	return 0;
}

int sockets_environment(const struct Spec *spec, struct Environment *environment)
{
	char number[16];
	int error;

	(void)snprintf(number, sizeof(number), "%u", (unsigned)spec->n_sockets);
	error = environment_set_pair(environment, "LISTEN_FDS", number);
	(void)snprintf(number, sizeof(number), "%d", (int)getpid());
	if (!error)
		error = environment_set_pair(environment, "LISTEN_PID", number);
	return error ? error :
		       environment_set_pair(environment, "LISTEN_FDNAMES", spec->socket_names);
}
