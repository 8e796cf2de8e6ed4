/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Descriptors: closing, reading with a limit, replacing a file so that either the old or the new is there.
 */
#ifndef SVCD_BASE_FD_H
#define SVCD_BASE_FD_H

#include <errno.h>
#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <unistd.h>

static inline void fd_close_auto(int *fd)
{
	int saved = errno;

	if (*fd >= 0)
		(void)close(*fd); /* read-only or already synced: nothing to lose */
	errno = saved;
}

/* A local descriptor that is closed when its block ends. */
#define auto_fd __attribute__((cleanup(fd_close_auto)))

/* Hands an auto_fd over to somebody else. */
static inline int fd_steal(int *fd)
{
	int taken = *fd;

	*fd = -1;
	return taken;
}

/* Closes *@fd if it is open and makes it -1; for descriptors that live in a struct. */
void fd_close(int *fd);

bool fd_set_nonblocking(int fd, bool nonblocking);
bool fd_set_cloexec(int fd, bool cloexec);

/**
 * fd_open_in_root() - open @path as a process would whose root directory is @root_fd
 * @flags: as for open(2); O_CLOEXEC is added
 *
 * Symbolic links and ".." stay below @root_fd, and nothing is made. A kernel that cannot vouch for a ".." because
 * something, anywhere, was renamed or mounted at that moment (EAGAIN of openat2(2)) is asked again.
 *
 * Returns: a descriptor, or -1 with errno.
 */
int fd_open_in_root(int root_fd, const char *path, int flags);

/* Writes all of @bytes; false with errno. */
bool fd_write_all(int fd, const void *bytes, size_t length);

/**
 * fd_read_bounded() - read @fd to its end
 * @max_bytes: more than this is an error
 * @what:      its name in the error
 * Returns: a GBytes, or NULL with @error set.
 */
GBytes *fd_read_bounded(int fd, size_t max_bytes, const char *what, GError **error);

/**
 * file_read_bounded() - the same by path; never blocks on a FIFO or a device
 */
GBytes *file_read_bounded(const char *path, size_t max_bytes, GError **error);

/**
 * file_replace() - write @text to @path through a temporary file, fsync, rename, fsync of the directory
 */
bool file_replace(const char *path, const char *text, mode_t mode, GError **error);

/**
 * directory_ensure() - make @path and its parents, mode 0755; there already is fine
 */
bool directory_ensure(const char *path, GError **error);

#endif
