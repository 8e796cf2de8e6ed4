/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Descriptors: closing, reading with a limit, and atomic replacement of a file.
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
		(void)close(*fd); /* no data can be lost: read-only or synced */
	errno = saved;
}

/* A local descriptor that is closed at the end of its block. */
#define auto_fd __attribute__((cleanup(fd_close_auto)))

/* Passes an auto_fd to another owner. */
static inline int fd_steal(int *fd)
{
	int taken = *fd;

	*fd = -1;
	return taken;
}

/* Closes *@fd if it is open and sets it to -1; for descriptors in a struct. */
void fd_close(int *fd);

bool fd_set_nonblocking(int fd, bool nonblocking);

/**
 * fd_open_in_root() - open @path like a process with the root directory @root_fd
 * @flags: as for open(2); O_CLOEXEC is added
 *
 * Symbolic links and ".." cannot leave @root_fd, and nothing is created. openat2(2) returns EAGAIN
 * if it cannot verify a "..", because another process renamed or mounted something. Then the call
 * is repeated.
 *
 * Returns: a descriptor, or -1 with errno.
 */
int fd_open_in_root(int root_fd, const char *path, int flags);

/* Writes all of @bytes; false with errno. */
bool fd_write_all(int fd, const void *bytes, size_t length);

/**
 * fd_read_bounded() - read @fd to its end
 * @max_bytes: more than this is an error
 * @what: the name of the file in the error message
 * Returns: a GBytes, whose data are not NULL even if it is empty, or NULL with @error set.
 */
GBytes *fd_read_bounded(int fd, size_t max_bytes, const char *what, GError **error);

/**
 * file_read_bounded() - read the file at @path like fd_read_bounded(); never blocks on a FIFO or a
 * device
 */
GBytes *file_read_bounded(const char *path, size_t max_bytes, GError **error);

/**
 * file_replace() - write @text to @path through a temporary file, fsync, rename, fsync of the
 * directory
 */
bool file_replace(const char *path, const char *text, mode_t mode, GError **error);

/**
 * directory_ensure() - make @path and its parents with mode 0755, if they do not exist
 */
bool directory_ensure(const char *path, GError **error);

#endif
