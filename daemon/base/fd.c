/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Descriptors: small functions for all components.
 */
#include "config.h"

#include "base/fd.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "base/errors.h"

/*
 * Large enough that processes which rename constantly on every CPU cannot prevent an open. Limited,
 * because a lease (fcntl(2)) also causes EAGAIN and must not block us forever.
 */
#define MAX_OPEN_TRIES 4096

void fd_close(int *fd)
{
	fd_close_auto(fd);
	*fd = -1;
}

bool fd_set_nonblocking(int fd, bool nonblocking)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0)
		return false;
	flags = nonblocking ? flags | O_NONBLOCK : flags & ~O_NONBLOCK;
	return fcntl(fd, F_SETFL, flags) == 0;
}

int fd_open_in_root(int root_fd, const char *path, int flags)
{
	struct open_how how = { .flags = (unsigned)(flags | O_CLOEXEC),
				.resolve = RESOLVE_IN_ROOT };
	int fd = -1;

	for (unsigned i = 0; i < MAX_OPEN_TRIES; i++) {
		fd = (int)syscall(SYS_openat2, root_fd, path, &how, sizeof how);
		if (fd >= 0 || errno != EAGAIN)
			break;
	}
	return fd;
}

GBytes *fd_read_bounded(int fd, size_t max_bytes, const char *what, GError **error)
{
	g_autoptr(GByteArray) bytes = g_byte_array_sized_new(1);
	guint8 buffer[4096];

	for (;;) {
		ssize_t n = read(fd, buffer, sizeof buffer);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			fail_errno(error, errno, "cannot read %s", what);
			return NULL;
		}
		if (n == 0)
			return g_byte_array_free_to_bytes(g_steal_pointer(&bytes));
		if (bytes->len + (size_t)n > max_bytes) {
			fail(error, SVCD_ERROR_LIMIT_REACHED, "%s is longer than %zu bytes", what,
			     max_bytes);
			return NULL;
		}
		g_byte_array_append(bytes, buffer, (guint)n);
	}
}

GBytes *file_read_bounded(const char *path, size_t max_bytes, GError **error)
{
	/* O_NONBLOCK, because open(2) of a FIFO without a writer would block. */
	auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0) {
		fail_errno(error, errno, "cannot open %s", path);
		return NULL;
	}
	if (!S_ISREG(st.st_mode)) {
		fail(error, SVCD_ERROR_INVALID_ARGUMENT, "%s is not a regular file", path);
		return NULL;
	}
	return fd_read_bounded(fd, max_bytes, path, error);
}

bool fd_write_all(int fd, const void *bytes, size_t length)
{
	const char *text = bytes;

	while (length > 0) {
		ssize_t n = write(fd, text, length);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return false;
		text += n;
		length -= (size_t)n;
	}
	return true;
}

static bool directory_sync(const char *path)
{
	g_autofree char *directory = g_path_get_dirname(path);
	auto_fd int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd >= 0 && fsync(fd) == 0;
}

bool file_replace(const char *path, const char *text, mode_t mode, GError **error)
{
	g_autofree char *temporary = g_strdup_printf("%s.XXXXXX", path);
	auto_fd int fd = mkostemp(temporary, O_CLOEXEC);

	if (fd < 0)
		return fail_errno(error, errno, "cannot write %s", path);
	if (!fd_write_all(fd, text, strlen(text)) || fchmod(fd, mode) < 0 || fsync(fd) < 0 ||
	    rename(temporary, path) < 0) {
		int errnum = errno;

		(void)unlink(temporary); /* only the first error is returned */
		return fail_errno(error, errnum, "cannot write %s", path);
	}
	if (!directory_sync(path))
		return fail_errno(error, errno, "cannot sync the directory of %s", path);
	return true;
}

bool directory_ensure(const char *path, GError **error)
{
	if (g_mkdir_with_parents(path, 0755) < 0)
		return fail_errno(error, errno, "cannot make directory %s", path);
	return true;
}
