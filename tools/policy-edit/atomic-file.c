/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Atomic file: every path is resolved from the root's file descriptor, so symbolic links stay
 * inside the root.
 */
#include "config.h"

#include "policy-edit/atomic-file.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/errors.h"
#include "base/fd.h"
#include "base/text.h"

/* The pause between two attempts at the lock. */
#define LOCK_PAUSE_US (20 * G_TIME_SPAN_MILLISECOND)

void atomic_files_init(AtomicFiles *atomic_files, const char *root)
{
	atomic_files->root = g_strdup(root ? root : "");
	for (size_t n = strlen(atomic_files->root); n > 0 && atomic_files->root[n - 1] == '/'; n--)
		atomic_files->root[n - 1] = '\0';
	atomic_files->root_fd = open(*atomic_files->root ? atomic_files->root : "/",
				     O_PATH | O_DIRECTORY | O_CLOEXEC);
}

void atomic_files_clear(AtomicFiles *atomic_files)
{
	g_free(atomic_files->root);
	fd_close(&atomic_files->root_fd);
}

char *atomic_file_show(const AtomicFiles *atomic_files, const char *path)
{
	return g_strconcat(atomic_files->root, path, NULL);
}

static bool G_GNUC_PRINTF(4, 5) fail_path(GError **error, const AtomicFiles *atomic_files,
					  const char *path, const char *format, ...)
{
	const int errnum = errno;
	g_autofree char *shown = atomic_file_show(atomic_files, path);
	g_autofree char *tried = NULL;
	va_list args;

	va_start(args, format);
	tried = g_strdup_vprintf(format, args);
	va_end(args);
	if (errnum_is_passing(errnum))
		return fail_errno(error, errnum, "%s %s", tried, shown);
	/* A file error, which has an exit code of its own in svcctl. */
	g_set_error(error, G_FILE_ERROR, (int)g_file_error_from_errno(errnum), "%s %s: %s%s", tried,
		    shown, g_strerror(errnum),
		    errnum == EROFS ? "; changes with --until-reboot go to /run" : "");
	return false;
}

static bool check_root(const AtomicFiles *atomic_files, GError **error)
{
	return atomic_files->root_fd >= 0 || fail(error, SVCD_ERROR_INVALID_ARGUMENT,
						  "there is no directory %s", atomic_files->root);
}

static int open_inside(const AtomicFiles *atomic_files, const char *path, int flags)
{
	/* openat2() refuses flags that O_PATH does not use. */
	flags |= O_CLOEXEC | (flags & O_PATH ? 0 : O_NOCTTY);
	path += strspn(path, "/");
	if (!*path)
		path = ".";
	if (!*atomic_files->root)
		return openat(atomic_files->root_fd, path, flags);
	return fd_open_in_root(atomic_files->root_fd, path, flags);
}

static int open_parent(const AtomicFiles *atomic_files, const char *path)
{
	g_autofree char *parent = g_path_get_dirname(path);

	return open_inside(atomic_files, parent, O_RDONLY | O_DIRECTORY);
}

static const char *base_of(const char *path)
{
	return strrchr(path, '/') + 1;
}

/* The temporary file of @path is hidden, so that it is not read as a policy. */
static char *temporary_of(const char *path)
{
	return g_strdup_printf(".%s.new", base_of(path));
}

/*
 * Opens the directory @path, and creates the missing directories on the way. Each new name is made
 * durable in its parent before it is used.
 * Returns: -1 with errno.
 */
static int open_made(const AtomicFiles *atomic_files, const char *path)
{
	auto_fd int fd = open_inside(atomic_files, path, O_RDONLY | O_DIRECTORY);
	auto_fd int parent_fd = -1;
	g_autofree char *parent = NULL;

	if (fd >= 0 || errno != ENOENT || strcmp(path, "/") == 0)
		return fd_steal(&fd);
	parent = g_path_get_dirname(path);
	parent_fd = open_made(atomic_files, parent);
	if (parent_fd < 0 || (mkdirat(parent_fd, base_of(path), 0755) < 0 && errno != EEXIST) ||
	    fsync(parent_fd) < 0)
		return -1;
	fd = open_inside(atomic_files, path, O_RDONLY | O_DIRECTORY);
	/*
	 * The mode is independent of the umask, because every user may read the settings in force.
	 */
	if (fd >= 0 && fchmod(fd, 0755) < 0)
		return -1;
	return fd_steal(&fd);
}

static bool refuse_link(const AtomicFiles *atomic_files, const char *path, GError **error)
{
	auto_fd int directory = open_parent(atomic_files, path);
	g_autofree char *shown = atomic_file_show(atomic_files, path);
	char target[PATH_MAX];
	const ssize_t n = readlinkat(directory, base_of(path), target, sizeof target);

	return fail(
		error, SVCD_ERROR_INVALID_CONFIGURATION,
		"%s is a symbolic link to %.*s, which is not followed; change that file by hand, "
		"or remove the "
		"link and repeat the command",
		shown, n > 0 ? (int)n : 1, n > 0 ? target : "?");
}

bool atomic_file_read(const AtomicFiles *atomic_files, const char *path, size_t max_bytes,
		      GBytes **ret_text, GError **error)
{
	g_autofree char *shown = atomic_file_show(atomic_files, path);
	auto_fd int fd = -1;
	struct stat st;
	GBytes *text;

	if (!check_root(atomic_files, error))
		return false;
	/* O_NONBLOCK: a FIFO without a writer would block for ever. */
	fd = open_inside(atomic_files, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0 && errno == ENOENT) {
		*ret_text = NULL;
		return true;
	}
	if (fd < 0 && errno == ELOOP)
		return refuse_link(atomic_files, path, error);
	if (fd < 0 || fstat(fd, &st) < 0)
		return fail_path(error, atomic_files, path, "cannot open");
	if (!S_ISREG(st.st_mode))
		return fail(error, SVCD_ERROR_INVALID_CONFIGURATION, "%s is not a regular file",
			    shown);
	text = fd_read_bounded(fd, max_bytes, shown, error);
	if (text)
		*ret_text = text;
	return text != NULL;
}

static FileAccess access_of(const struct stat *st)
{
	return (FileAccess){ .mode = st->st_mode & 0777, .uid = st->st_uid, .gid = st->st_gid };
}

bool atomic_file_access(const AtomicFiles *atomic_files, const char *path, FileAccess *ret)
{
	auto_fd int fd = open_inside(atomic_files, path, O_PATH | O_NOFOLLOW);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return false;
	*ret = access_of(&st);
	return true;
}

/* Fails if @path is a link. *@ret: the access of the existing file, or @if_new. */
static bool check_existing(const AtomicFiles *atomic_files, const char *path, int directory,
			   FileAccess if_new, FileAccess *ret, GError **error)
{
	struct stat st;
	const bool exists = fstatat(directory, base_of(path), &st, AT_SYMLINK_NOFOLLOW) == 0;

	*ret = exists ? access_of(&st) : if_new;
	return !exists || !S_ISLNK(st.st_mode) || refuse_link(atomic_files, path, error);
}

static bool remove_file(const AtomicFiles *atomic_files, const char *path, GError **error)
{
	auto_fd int directory = open_parent(atomic_files, path);
	FileAccess access;

	if (directory < 0 && errno == ENOENT)
		return true;
	if (directory >= 0 &&
	    !check_existing(atomic_files, path, directory, FILE_ACCESS_ALL, &access, error))
		return false;
	if (directory < 0 || (unlinkat(directory, base_of(path), 0) < 0 && errno != ENOENT) ||
	    fsync(directory) < 0)
		return fail_path(error, atomic_files, path, "cannot remove");
	return true;
}

static int create(int directory, const char *temporary)
{
	const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	int fd = openat(directory, temporary, flags, 0600);

	/*
	 * An earlier writer died and left this file. The caller holds the lock, so the file has no
	 * owner any more.
	 */
	if (fd < 0 && errno == EEXIST && unlinkat(directory, temporary, 0) == 0)
		fd = openat(directory, temporary, flags, 0600);
	return fd;
}

/*
 * Returns: false with errno. Fails if the owner cannot be set, because other users could then read
 * the file.
 */
static bool fill(int directory, const char *temporary, GBytes *text, FileAccess access)
{
	auto_fd int fd = create(directory, temporary);
	gsize length;
	gconstpointer bytes = g_bytes_get_data(text, &length);

	return fd >= 0 && fd_write_all(fd, bytes, length) &&
	       fchown(fd, access.uid, access.gid) == 0 && fchmod(fd, access.mode) == 0 &&
	       fsync(fd) == 0;
}

bool atomic_file_write(const AtomicFiles *atomic_files, const char *path, GBytes *text,
		       FileAccess if_new, GError **error)
{
	g_autofree char *parent = g_path_get_dirname(path);
	g_autofree char *temporary = temporary_of(path);
	auto_fd int directory = -1;
	FileAccess access;

	if (!check_root(atomic_files, error))
		return false;
	if (!text)
		return remove_file(atomic_files, path, error);
	directory = open_made(atomic_files, parent);
	if (directory < 0)
		return fail_path(error, atomic_files, parent, "cannot make directory");
	if (!check_existing(atomic_files, path, directory, if_new, &access, error))
		return false;
	if (!fill(directory, temporary, text, access) ||
	    renameat(directory, temporary, directory, base_of(path)) < 0) {
		const int errnum = errno;

		(void)unlinkat(directory, temporary, 0); /* the earlier error is reported */
		errno = errnum;
		return fail_path(error, atomic_files, path, "cannot write");
	}
	return fsync(directory) == 0 ||
	       fail_path(error, atomic_files, parent, "cannot sync directory");
}

bool atomic_file_make_private(const AtomicFiles *atomic_files, const char *path, GError **error)
{
	auto_fd int directory = -1;

	if (!check_root(atomic_files, error))
		return false;
	directory = open_made(atomic_files, path);
	if (directory < 0 || fchmod(directory, 0700) < 0)
		return fail_path(error, atomic_files, path, "cannot make directory");
	return true;
}

GPtrArray *atomic_file_list(const AtomicFiles *atomic_files, const char *path, GError **error)
{
	auto_fd int fd = -1;
	g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
	struct dirent *entry;
	DIR *directory;

	if (!check_root(atomic_files, error))
		return NULL;
	fd = open_inside(atomic_files, path, O_RDONLY | O_DIRECTORY);
	if (fd < 0 && errno == ENOENT)
		return g_steal_pointer(&names);
	if (fd < 0 && errno == EACCES) {
		g_autofree char *shown = atomic_file_show(atomic_files, path);

		fail(error, SVCD_ERROR_NOT_AUTHORIZED, "only root may read %s", shown);
		return NULL;
	}
	directory = fd < 0 ? NULL : fdopendir(fd);
	if (!directory) {
		fail_path(error, atomic_files, path, "cannot read directory");
		return NULL;
	}
	(void)fd_steal(&fd); /* closedir() closes it */
	while ((entry = readdir(directory)) != NULL) {
		if (entry->d_name[0] != '.')
			g_ptr_array_add(names, g_strdup(entry->d_name));
	}
	(void)closedir(directory); /* only read from */
	g_ptr_array_sort(names, text_compare);
	return g_steal_pointer(&names);
}

int atomic_file_lock(const AtomicFiles *atomic_files, const char *path, int64_t patience_us,
		     GError **error)
{
	g_autofree char *parent = g_path_get_dirname(path);
	const int64_t deadline_us = g_get_monotonic_time() + patience_us;
	auto_fd int directory = -1;
	auto_fd int fd = -1;

	if (!check_root(atomic_files, error))
		return -1;
	directory = open_made(atomic_files, parent);
	/* 0600, because any user who can open the file could lock it, and so block all writers. */
	if (directory >= 0)
		fd = openat(directory, base_of(path), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC,
			    0600);
	if (fd < 0) {
		fail_path(error, atomic_files, path, "cannot open the lock");
		return -1;
	}
	while (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		if (errno != EWOULDBLOCK && errno != EINTR) {
			fail_path(error, atomic_files, path, "cannot lock");
			return -1;
		}
		if (g_get_monotonic_time() >= deadline_us) {
			fail(error, SVCD_ERROR_BUSY,
			     "another process is still changing the policy; nothing was changed; "
			     "try again later");
			return -1;
		}
		g_usleep(LOCK_PAUSE_US);
	}
	return fd_steal(&fd);
}
