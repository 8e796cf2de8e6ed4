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

	return length > 0 && length <= LIMIT_NAME_BYTES && service[0] != '.' && !strchr(service, '/');
}

static int open_log(int directory_fd, const char *name, struct stat *ret_stat)
{
	auto_fd int fd = openat(directory_fd, name,
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

/* A logger that was killed in the middle of a write leaves half a line, and the next one writes that block again. */
static void end_half_line(int fd, const struct stat *st)
{
	char last = '\n';

	if (st->st_size > 0 && pread(fd, &last, 1, st->st_size - 1) == 1 && last != '\n')
		(void)!write(fd, "\n", 1); /* if there is no room for it, there is none for what follows */
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
		(void)!ftruncate(fd, st->st_size); /* half a line would run into the next one; if not, it does */
	return error;
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
	if (fd >= 0 && is_full(&st, length) && renameat(directory_fd, name, directory_fd, before) == 0) {
		fd_close(&fd);
		fd = open_log(directory_fd, name, &st);
	}
	return fd < 0 ? errno : write_whole(fd, &st, text, length);
}
