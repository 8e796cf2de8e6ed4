/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Boot logs: all new copies are written, then synced together, then renamed. A sync for each file
 * would delay a shutdown.
 */
#include "config.h"

#include "svcctl/boot-logs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/errors.h"
#include "base/fd.h"
#include "svcctl/log-tail.h"

typedef struct Log {
	char *name; /* of the service */
	struct stat st; /* of its current file */
	off_t size; /* together with the earlier one */
	bool is_written;
} Log;

static void log_free(gpointer data)
{
	Log *log = data;

	g_free(log->name);
	g_free(log);
}

/* A new array of Log *. */
static GPtrArray *logs_list(const char *directory)
{
	GPtrArray *logs = g_ptr_array_new_with_free_func(log_free);
	g_autoptr(GDir) dir = g_dir_open(directory, 0, NULL);
	const char *entry;

	while (dir && (entry = g_dir_read_name(dir))) {
		g_autofree char *path = g_build_filename(directory, entry, NULL);
		g_autofree char *older = g_strconcat(path, ".1", NULL);
		struct stat st;
		struct stat old;
		Log *log;

		if (!g_str_has_suffix(entry, ".log") || lstat(path, &st) < 0 ||
		    !S_ISREG(st.st_mode))
			continue;
		log = g_new0(Log, 1);
		log->name = g_strndup(entry, strlen(entry) - strlen(".log"));
		log->st = st;
		log->size = st.st_size + (lstat(older, &old) == 0 ? old.st_size : 0);
		g_ptr_array_add(logs, log);
	}
	return logs;
}

/* The largest size per copy with which all copies together stay within the limit. */
static size_t size_limit(const GPtrArray *logs)
{
	off_t limit = BOOT_LOG_BYTES;

	for (;; limit /= 2) {
		off_t sum = 0;

		for (guint i = 0; i < logs->len; i++)
			sum += MIN(((const Log *)g_ptr_array_index(logs, i))->size, limit);
		if (sum <= BOOT_LOGS_BYTES)
			return (size_t)limit;
	}
}

/* The last lines, at most @limit bytes in all; a new string. */
static GString *tail(const char *directory, const char *name, size_t limit)
{
	g_autoptr(GPtrArray) lines = log_tail(directory, name, G_MAXUINT, NULL);
	GString *text = g_string_new(NULL);
	size_t bytes = 0;
	guint first = lines->len;

	while (first > 0) {
		bytes += strlen(g_ptr_array_index(lines, first - 1)) + 1;
		if (bytes > limit)
			break;
		first--;
	}
	for (guint i = first; i < lines->len; i++)
		g_string_append_printf(text, "%s\n", (const char *)g_ptr_array_index(lines, i));
	return text;
}

/* A copy has the time of its source. */
static bool is_current(const Log *log, const char *path, size_t limit)
{
	struct stat st;

	return lstat(path, &st) == 0 && st.st_mtim.tv_sec == log->st.st_mtim.tv_sec &&
	       st.st_mtim.tv_nsec == log->st.st_mtim.tv_nsec && st.st_gid == log->st.st_gid &&
	       st.st_size <= (off_t)limit;
}

/* The group is set before the first byte is written. */
static bool write_copy(const Log *log, const char *from, const char *path, size_t limit,
		       GError **error)
{
	const struct timespec times[2] = { log->st.st_mtim, log->st.st_mtim };
	g_autoptr(GString) text = tail(from, log->name, limit);
	auto_fd int fd =
		open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC, 0600);

	if (fd >= 0 && fchown(fd, (uid_t)-1, log->st.st_gid) == 0 && fchmod(fd, 0640) == 0 &&
	    fd_write_all(fd, text->str, text->len) && futimens(fd, times) == 0)
		return true;
	fail_errno(error, errno, "cannot write %s", path);
	(void)unlink(path); /* the earlier copy stays */
	return false;
}

static void sync_directory(const char *directory)
{
	auto_fd int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0)
		(void)syncfs(fd); /* on failure a power cut may leave empty copies */
}

bool boot_logs_save(const char *from, const char *to, GError **error)
{
	g_autoptr(GPtrArray) logs = logs_list(from);
	const size_t limit = size_limit(logs);
	g_autoptr(GError) problem = NULL;
	unsigned n_written = 0;

	for (guint i = 0; i < logs->len; i++) {
		Log *log = g_ptr_array_index(logs, i);
		g_autofree char *path = log_path(to, log->name);
		g_autofree char *temporary = g_strconcat(path, ".new", NULL);

		log->is_written =
			!is_current(log, path, limit) &&
			write_copy(log, from, temporary, limit, problem ? NULL : &problem);
		n_written += log->is_written;
	}
	if (n_written > 0)
		sync_directory(to);
	for (guint i = 0; i < logs->len; i++) {
		const Log *log = g_ptr_array_index(logs, i);
		g_autofree char *path = log_path(to, log->name);
		g_autofree char *temporary = g_strconcat(path, ".new", NULL);

		if (log->is_written && rename(temporary, path) < 0 && !problem)
			fail_errno(&problem, errno, "cannot write %s", path);
	}
	if (!problem)
		return true;
	g_propagate_error(error, g_steal_pointer(&problem));
	return false;
}
