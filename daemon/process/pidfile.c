/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Pid file: one bounded read.
 */
#include "config.h"

#include "process/pidfile.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/errors.h"
#include "base/fd.h"
#include "base/text.h"
#include "paths/safe-path.h"

#define PID_MAX 4194304

bool pidfile_parse(const char *text, pid_t *ret_pid)
{
	g_autofree char *line = g_strndup(text, strcspn(text, "\n"));
	uint64_t value;

	if (!text_parse_uint(g_strstrip(line), 10, PID_MAX, &value) || value < 2)
		return false;
	*ret_pid = (pid_t)value;
	return true;
}

bool pidfile_read(const char *path, pid_t *ret_pid, uid_t *ret_owner, GError **error)
{
	auto_fd int fd = safe_open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0);
	char text[LIMIT_PIDFILE_BYTES + 1];
	struct stat st;
	ssize_t n;

	if (fd < 0)
		return fail_errno(error, errno, "cannot open %s", path);
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return fail(error, SVCD_ERROR_INVALID_ARGUMENT, "%s is not a regular file", path);
	n = read(fd, text, LIMIT_PIDFILE_BYTES);
	if (n < 0)
		return fail_errno(error, errno, "cannot read %s", path);
	text[n] = '\0';
	if (strlen(text) != (size_t)n || !pidfile_parse(text, ret_pid))
		return fail(error, SVCD_ERROR_INVALID_ARGUMENT, "%s does not contain a process ID",
			    path);
	*ret_owner = st.st_uid;
	return true;
}
