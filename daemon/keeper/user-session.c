/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * User session: a lock, and the parent's death.
 */
#include "config.h"

#include "keeper/user-session.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "keeper/keeper.h"

/*
 * The directory belongs to the user and is removed after the user's last session, so its content is
 * current.
 */
static const char *find_runtime_directory(void)
{
	const char *path = getenv("XDG_RUNTIME_DIR");
	struct stat st;

	if (!path || path[0] != '/' || strlen(path) >= KEEPER_PATH_BYTES - 32) {
		(void)fprintf(stderr, "svcd: XDG_RUNTIME_DIR is not set to a directory; the session manager sets it (elogind)\n");
		return NULL;
	}
	if (stat(path, &st) < 0 || !S_ISDIR(st.st_mode)) {
		(void)fprintf(stderr, "svcd: there is no directory %s, which XDG_RUNTIME_DIR names\n", path);
		return NULL;
	}
	if (st.st_uid != geteuid() || (st.st_mode & (S_IWGRP | S_IWOTH))) {
		(void)fprintf(stderr, "svcd: %s, which XDG_RUNTIME_DIR names, can be written to by others\n", path);
		return NULL;
	}
	return path;
}

/*
 * Returns: a descriptor above 2 that execve(2) leaves open; -1 on failure, and the reason was
 * printed.
 */
static int open_lock(void)
{
	const char *directory = find_runtime_directory();
	char path[KEEPER_PATH_BYTES];
	int opened;
	int fd;

	if (!directory)
		return -1;
	(void)snprintf(path, sizeof(path), "%s/svcd", directory); /* find_runtime_directory() has checked the length */
	(void)mkdir(path, 0700);				  /* it exists, or open(2) fails */
	(void)snprintf(path, sizeof(path), "%s/svcd/lock", directory);
	opened = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	fd = opened < 0 ? -1 : fcntl(opened, F_DUPFD, STDERR_FILENO + 1);
	if (fd < 0)
		(void)fprintf(stderr, "svcd: cannot open %s: %s\n", path, strerror(errno));
	if (opened >= 0)
		(void)close(opened); /* the lock belongs to the open file, which the other descriptor shares */
	return fd;
}

/* The holder of the lock has written its pid to the file. */
static void report_holder(int fd)
{
	char text[16] = "";

	(void)!pread(fd, text, sizeof(text) - 1, 0); /* empty: the holder has not written it yet */
	text[strcspn(text, "\n")] = '\0';
	(void)fprintf(stderr, "svcd: another svcd --user runs already%s%s; see svcctl --user\n", text[0] ? ", process " : "", text);
}

static void write_pid(int fd)
{
	char text[16];
	int length = snprintf(text, sizeof(text), "%d\n", (int)getpid());

	if (ftruncate(fd, 0) == 0)
		(void)!pwrite(fd, text, (size_t)length, 0); /* only for users who look */
}

/* A child of PID 1 was detached on purpose and outlives its session. */
static void follow_parent(void)
{
	const pid_t parent = getppid();

	if (parent == 1)
		return;
	(void)prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent) /* it has died meanwhile, so the kernel sends no signal */
		(void)raise(SIGTERM);
}

int user_session_begin(bool waits)
{
	int fd;

	follow_parent();
	fd = open_lock();
	if (fd < 0)
		return EXIT_FAILURE;
	while (flock(fd, waits ? LOCK_EX : LOCK_EX | LOCK_NB) < 0) {
		if (errno == EINTR)
			continue;
		if (errno == EWOULDBLOCK)
			report_holder(fd);
		else
			(void)fprintf(stderr, "svcd: cannot lock: %s\n", strerror(errno));
		return errno == EWOULDBLOCK ? EXIT_SUCCESS : EXIT_FAILURE;
	}
	write_pid(fd);
	return USER_SESSION_BEGINS;
}
