/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Log tail: reads both files completely; svc-logger limits their size.
 */
#include "config.h"

#include "svcctl/log-tail.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/limits.h"

char *log_path(const char *directory, const char *name)
{
	return g_strdup_printf("%s/%s.log", directory, name);
}

/* The contents of @path, and the file's identity; NULL if it cannot be read. */
static GBytes *read_log(const char *path, LogEnd *ret_end)
{
	auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return NULL;
	ret_end->inode = st.st_ino;
	/* The writer may exceed its limit by its last line. */
	return fd_read_bounded(fd, 4 * LIMIT_LOG_BYTES, path, NULL);
}

static void add_lines(GPtrArray *lines, const char *path, bool only_whole, LogEnd *ret_end)
{
	g_autoptr(GBytes) bytes = read_log(path, ret_end);
	gsize length = 0;
	const char *text = bytes ? g_bytes_get_data(bytes, &length) : NULL;

	while (length > 0) {
		const char *end = memchr(text, '\n', length);
		const gsize line = end ? (gsize)(end - text) : length;
		const gsize used = MIN(length, line + 1);

		if (!end && only_whole)
			return;
		g_ptr_array_add(lines, g_strndup(text, line));
		length -= used;
		text += used;
		ret_end->offset += (off_t)used;
	}
}

GPtrArray *log_tail(const char *directory, const char *name, unsigned n, LogEnd *ret_end)
{
	GPtrArray *lines = g_ptr_array_new_with_free_func(g_free);
	g_autofree char *path = log_path(directory, name);
	g_autofree char *older = g_strconcat(path, ".1", NULL);
	LogEnd end = { 0 };
	LogEnd unused = { 0 };

	add_lines(lines, older, false, &unused);
	add_lines(lines, path, ret_end != NULL, &end);
	if (lines->len > n)
		g_ptr_array_remove_range(lines, 0, lines->len - n);
	if (ret_end)
		*ret_end = end;
	return lines;
}

/* --- the system log --- */

/* The part at the end of a system log file that is searched. */
#define SYSLOG_TAIL_BYTES (256 * 1024)

/* The files of Debian's rsyslog; the first one with matching lines is named. */
static const char *const syslog_files[] = { "/var/log/auth.log",   "/var/log/cron.log",
					    "/var/log/daemon.log", "/var/log/mail.log",
					    "/var/log/syslog",     "/var/log/messages" };

static bool ends_with_lines_of(const char *path, const char *program)
{
	auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	g_autofree char *mark = g_strdup_printf(" %s[", program);
	g_autofree char *text = NULL;
	struct stat st;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return false;
	text = g_malloc(SYSLOG_TAIL_BYTES);
	n = pread(fd, text, SYSLOG_TAIL_BYTES, MAX(st.st_size - SYSLOG_TAIL_BYTES, 0));
	return n > 0 && memmem(text, (size_t)n, mark, strlen(mark));
}

bool log_syslog_is_closed(void)
{
	for (size_t i = 0; i < G_N_ELEMENTS(syslog_files); i++) {
		if (access(syslog_files[i], R_OK) < 0 && errno == EACCES)
			return true;
	}
	return false;
}

const char *log_find_in_syslog(const char *program)
{
	for (size_t i = 0; i < G_N_ELEMENTS(syslog_files); i++) {
		if (ends_with_lines_of(syslog_files[i], program))
			return syslog_files[i];
	}
	return NULL;
}
