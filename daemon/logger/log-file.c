/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Log file: append, and rotate by renaming.
 */
#include "config.h"

#include "logger/log-file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/limits.h"

bool log_file_name_is_safe(const char *service)
{
	size_t length = strlen(service);

	return length > 0 && length <= LIMIT_NAME_BYTES && service[0] != '.' &&
	       !strchr(service, '/');
}

static int open_log(int directory_fd, const char *name, struct stat *ret_stat)
{
	auto_fd int fd = openat(
		directory_fd, name,
		O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0640);

	if (fd < 0 || fstat(fd, ret_stat) < 0)
		return -1;
	if (!S_ISREG(ret_stat->st_mode)) {
		errno = EINVAL;
		return -1;
	}
	return fd_steal(&fd);
}

static bool is_full(const struct stat *st, size_t length)
{
	return st->st_size > 0 && st->st_size + (off_t)length > LIMIT_LOG_BYTES;
}

/*
 * Ends the half line of a logger that was killed during a write. The next logger writes that block
 * again.
 */
static void end_half_line(int fd, const struct stat *st)
{
	char last = '\n';

	if (st->st_size > 0 && pread(fd, &last, 1, st->st_size - 1) == 1 && last != '\n')
		(void)!write(fd, "\n", 1); /* on failure the next line fails, too */
}

static int write_whole(int fd, const struct stat *st, const char *text, size_t length)
{
	ssize_t n;
	int error;

	end_half_line(fd, st);
	n = write(fd, text, length);

	if (n == (ssize_t)length)
		return 0;
	error = n < 0 ? errno : ENOSPC;
	if (n > 0)
		/* on failure half a line runs into the next one */
		(void)!ftruncate(fd, st->st_size);
	return error;
}

/*
 * The mode is the same for every log: root writes, the group reads. A new group may read the
 * existing lines as well.
 */
static int set_group(int fd, const struct stat *st, gid_t group)
{
	return st->st_gid == group || fchown(fd, (uid_t)-1, group) == 0 ? 0 : errno;
}

/* The previous file may be absent, and is not made. */
static int set_group_of_old(int directory_fd, const char *name, gid_t group)
{
	auto_fd int fd = openat(directory_fd, name,
				O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0)
		return errno == ENOENT ? 0 : errno;
	if (fstat(fd, &st) < 0)
		return errno;
	return S_ISREG(st.st_mode) ? set_group(fd, &st, group) : EINVAL;
}

int log_file_set_group(int directory_fd, const char *service, gid_t group)
{
	char name[LIMIT_NAME_BYTES + 16];
	auto_fd int fd = -1;
	struct stat st;
	int error;

	if (!log_file_name_is_safe(service))
		return EINVAL;
	(void)snprintf(name, sizeof name, "%s.log.1", service);
	error = set_group_of_old(directory_fd, name, group);
	(void)snprintf(name, sizeof name, "%s.log", service);
	if (group == 0) /* a file that does not exist yet will belong to root */
		return error ? error : set_group_of_old(directory_fd, name, 0);
	fd = open_log(directory_fd, name, &st);
	if (fd < 0)
		return errno;
	return error ? error : set_group(fd, &st, group);
}

int log_file_append(int directory_fd, const char *service, const char *text, size_t length)
{
	char name[LIMIT_NAME_BYTES + 16];
	char before[LIMIT_NAME_BYTES + 16];
	auto_fd int fd = -1;
	struct stat st;

	if (!log_file_name_is_safe(service))
		return EINVAL;
	(void)snprintf(name, sizeof name, "%s.log", service);
	(void)snprintf(before, sizeof before, "%s.log.1", service);
	fd = open_log(directory_fd, name, &st);
	if (fd >= 0 && is_full(&st, length) &&
	    renameat(directory_fd, name, directory_fd, before) == 0) {
		const gid_t group = st.st_gid;

		fd_close(&fd);
		fd = open_log(directory_fd, name, &st);
		if (fd >= 0)
			(void)set_group(fd, &st, group); /* on failure only root can read it */
	}
	return fd < 0 ? errno : write_whole(fd, &st, text, length);
}
