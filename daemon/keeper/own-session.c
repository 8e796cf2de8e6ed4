/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Own session: a lock, and the parent's death.
 */
#include "config.h"

#include "keeper/own-session.h"

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

/* Its directory is the user's, and goes when the last session of the user ends: what is in it is of this time. */
static const char *find_runtime_directory(void)
{
	const char *path = getenv("XDG_RUNTIME_DIR");
	struct stat st;

	if (!path || path[0] != '/' || strlen(path) >= KEEPER_PATH_BYTES - 32) {
		(void)fprintf(stderr, "svcd: XDG_RUNTIME_DIR names no directory; who opens a session sets it (elogind does)\n");
		return NULL;
	}
	if (stat(path, &st) < 0 || !S_ISDIR(st.st_mode)) {
		(void)fprintf(stderr, "svcd: there is no directory %s, which XDG_RUNTIME_DIR names\n", path);
		return NULL;
	}
	if (st.st_uid != geteuid() || (st.st_mode & (S_IWGRP | S_IWOTH))) {
		(void)fprintf(stderr, "svcd: %s, which XDG_RUNTIME_DIR names, is not yours alone to write to\n", path);
		return NULL;
	}
	return path;
}

/* Returns: a descriptor above those of standard input and output that an execve(2) leaves open; -1, and why was said. */
static int open_lock(void)
{
	const char *directory = find_runtime_directory();
	char path[KEEPER_PATH_BYTES];
	int opened;
	int fd;

	if (!directory)
		return -1;
	(void)snprintf(path, sizeof(path), "%s/svcd", directory); /* measured by find_runtime_directory() */
	(void)mkdir(path, 0700);				  /* there already, or open(2) says why not */
	(void)snprintf(path, sizeof(path), "%s/svcd/lock", directory);
	opened = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	fd = opened < 0 ? -1 : fcntl(opened, F_DUPFD, STDERR_FILENO + 1);
	if (fd < 0)
		(void)fprintf(stderr, "svcd: cannot open %s: %s\n", path, strerror(errno));
	if (opened >= 0)
		(void)close(opened); /* nothing was written; the lock belongs to what both descriptors are of */
	return fd;
}

/* Who holds the lock has written its pid there. */
static void say_who(int fd)
{
	char text[16] = "";

	(void)!pread(fd, text, sizeof(text) - 1, 0); /* empty: it is just about to write it */
	text[strcspn(text, "\n")] = '\0';
	(void)fprintf(stderr, "svcd: one of yours runs already%s%s: svcctl --user finds it\n", text[0] ? ", process " : "", text);
}

static void write_who(int fd)
{
	char text[16];
	int length = snprintf(text, sizeof(text), "%d\n", (int)getpid());

	if (ftruncate(fd, 0) == 0)
		(void)!pwrite(fd, text, (size_t)length, 0); /* only for people */
}

/* Of PID 1 we are no child: whoever detached us has decided that we live longer. */
static void follow_parent(void)
{
	const pid_t parent = getppid();

	if (parent == 1)
		return;
	(void)prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent) /* it has just died: nobody would tell us */
		(void)raise(SIGTERM);
}

int own_session_begin(bool waits)
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
			say_who(fd);
		else
			(void)fprintf(stderr, "svcd: cannot lock: %s\n", strerror(errno));
		return errno == EWOULDBLOCK ? EXIT_SUCCESS : EXIT_FAILURE;
	}
	write_who(fd);
	return OWN_SESSION_BEGINS;
}
