/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Logs: the end of a service's output, for callers that may read it but cannot open the log file.
 *
 * Log files are in memory (/run), and only root can list their directory or write them. So no user
 * can make a read of these files wait. The answer contains bytes and no descriptor, because a
 * connection that passes descriptors also receives those of attackers.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/errors.h"
#include "base/fd.h"
#include "base/limits.h"
#include "manager/manager.h"

/* Puts the last bytes of the file before the bytes in @text, as far as there is room. */
static bool prepend_tail(GByteArray *text, const char *path, GError **error)
{
	auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	g_autofree guint8 *bytes = g_malloc(LIMIT_LOG_ANSWER_BYTES);
	const off_t n_left = LIMIT_LOG_ANSWER_BYTES - (off_t)text->len;
	struct stat st;
	ssize_t n;

	if (fd < 0 && errno == ENOENT)
		return true;
	if (fd < 0 || fstat(fd, &st) < 0)
		return fail_errno(error, errno, "cannot open %s", path);
	if (!S_ISREG(st.st_mode))
		return fail(error, SVCD_ERROR_FAILED, "%s is not a regular file", path);
	n = pread(fd, bytes, (size_t)n_left, MAX(st.st_size - n_left, 0));
	if (n < 0)
		return fail_errno(error, errno, "cannot read %s", path);
	g_byte_array_prepend(text, bytes, (guint)n);
	return true;
}

GByteArray *logs_read(void *manager, const char *service, GError **error)
{
	const Manager *m = manager;
	g_autofree char *path = g_strdup_printf("%s/log/%s.log", m->runtime_dir, service);
	g_autofree char *older = g_strconcat(path, ".1", NULL);
	g_autoptr(GByteArray) text = g_byte_array_new();

	if (!prepend_tail(text, path, error) || !prepend_tail(text, older, error))
		return NULL;
	return g_steal_pointer(&text);
}
