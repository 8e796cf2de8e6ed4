/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Safe path: walks component by component and by descriptor, so that the object that is checked is
 * also the object that is used.
 *
 * For a path without links, which is the normal case, the kernel does the check (openat2(2),
 * RESOLVE_NO_SYMLINKS).
 */
#include "config.h"

#include "paths/safe-path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

/* The kernel's own limit (path_resolution(7)). */
#define MAX_LINKS 40

/* The uid and gid that own no files (nobody and nogroup). */
#define NO_UID 65534

struct PathWalk {
	int fd; /* the current directory, O_PATH */
	char rest[PATH_MAX]; /* the rest of the path */
	char name[NAME_MAX + 1];
	unsigned n_links;
	mode_t make_mode;
	bool is_foreign;
	uid_t uid; /* as in SafeParent */
	gid_t gid;
};

static bool is_trusted(uid_t uid)
{
	return uid == 0 || uid == geteuid();
}

/*
 * Records whether other users can replace the following components. These users are the owner of
 * this directory or, if it is ours, the users with write permission.
 */
static void note_directory(struct PathWalk *w, const struct stat *st)
{
	const bool is_ours = is_trusted(st->st_uid);
	const bool by_group = st->st_mode & S_IWGRP && st->st_gid != 0 && st->st_gid != getegid();
	const bool by_all = st->st_mode & S_IWOTH;

	if (w->is_foreign || (is_ours && (st->st_mode & S_ISVTX || (!by_group && !by_all))))
		return;
	w->is_foreign = true;
	w->uid = is_ours ? NO_UID : st->st_uid;
	w->gid = is_ours && !by_group ? NO_UID : st->st_gid;
}

/* Takes @fd. Returns: 0 or an errno. */
static int go_to(struct PathWalk *w, int fd)
{
	struct stat st;

	if (fstat(fd, &st) < 0 || !S_ISDIR(st.st_mode)) {
		(void)close(fd); /* opened for a check only */
		return ENOTDIR;
	}
	if (w->fd >= 0)
		(void)close(w->fd); /* used only for lookups */
	w->fd = fd;
	note_directory(w, &st);
	return 0;
}

static int begin_at(struct PathWalk *w, const char *directory)
{
	int fd = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? errno : go_to(w, fd);
}

static int walk_begin(struct PathWalk *w, const char *path, mode_t make_mode)
{
	*w = (struct PathWalk){ .fd = -1, .make_mode = make_mode };
	if (strlen(path) >= sizeof(w->rest))
		return ENAMETOOLONG;
	strcpy(w->rest, path);
	return begin_at(w, *path == '/' ? "/" : ".");
}

/* Moves the next component from w->rest to w->name; "" at the end. */
static int take_name(struct PathWalk *w)
{
	const size_t skip = strspn(w->rest, "/");
	const size_t length = strcspn(w->rest + skip, "/");

	if (length > NAME_MAX)
		return ENAMETOOLONG;
	memcpy(w->name, w->rest + skip, length);
	w->name[length] = '\0';
	memmove(w->rest, w->rest + skip + length, strlen(w->rest + skip + length) + 1);
	return 0;
}

static bool is_last(const struct PathWalk *w)
{
	return w->rest[strspn(w->rest, "/")] == '\0';
}

/*
 * The text of @link goes in front of the rest. Links in /proc are an exception, because only the
 * kernel can follow them.
 */
static int follow_text(struct PathWalk *w, int link)
{
	char target[PATH_MAX];
	const ssize_t n = readlinkat(link, "", target, sizeof(target) - 1);

	if (n <= 0)
		return n < 0 ? errno : ENOENT;
	target[n] = '\0';
	if ((size_t)n + 1 + strlen(w->rest) >= sizeof(w->rest))
		return ENAMETOOLONG;
	memmove(w->rest + n + 1, w->rest, strlen(w->rest) + 1);
	memcpy(w->rest, target, (size_t)n);
	w->rest[n] = '/';
	return target[0] == '/' ? begin_at(w, "/") : 0;
}

static bool may_follow(struct PathWalk *w, const struct stat *st)
{
	return !w->is_foreign && is_trusted(st->st_uid) && ++w->n_links <= MAX_LINKS;
}

/*
 * Opens w->name unless it is a link. Returns: a descriptor; or -1 with errno. errno 0: a link was
 * followed, and the walk goes on.
 */
static int look(struct PathWalk *w)
{
	int fd = openat(w->fd, w->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;
	int error;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISLNK(st.st_mode))
		return fd;
	error = may_follow(w, &st) ? follow_text(w, fd) : ELOOP;
	(void)close(fd); /* only read */
	errno = error;
	return -1;
}

static bool is_dots(const char *name)
{
	return strcmp(name, "..") == 0;
}

bool safe_take_rights(uid_t uid, gid_t gid)
{
	(void)setfsgid(gid);
	(void)setfsuid(uid);
	/* These calls return the previous id and report no failure. */
	return setfsuid((uid_t)-1) == (int)uid && setfsgid((gid_t)-1) == (int)gid;
}

/*
 * In another user's directory the new directory is made with that user's rights and ownership,
 * because otherwise the user could not create files in it. Returns: 0 or an errno.
 */
static int make_directory(const struct PathWalk *w)
{
	const bool as_others = w->is_foreign && geteuid() == 0;
	int error = EPERM;

	if (!as_others || safe_take_rights(w->uid, w->gid))
		error = mkdirat(w->fd, w->name, w->make_mode) < 0 && errno != EEXIST ? errno : 0;
	if (as_others)
		(void)safe_take_rights(geteuid(), getegid());
	return error;
}

/* Walks into the next directory. Returns: 0 or an errno. */
static int descend(struct PathWalk *w)
{
	int fd;

	if (is_dots(w->name) && w->is_foreign)
		return ELOOP; /* the directory may have been moved, so ".." may lead elsewhere */
	fd = look(w);
	if (fd < 0 && errno == ENOENT && w->make_mode != 0) {
		const int error = make_directory(w);

		if (error)
			return error;
		fd = look(w);
	}
	if (fd < 0)
		return errno; /* 0: a link, and its target is next */
	return go_to(w, fd);
}

/*
 * Walks to the last component, which is then in w->name; "" if the path ends in a directory itself,
 * such as "/".
 */
static int walk(struct PathWalk *w)
{
	for (;;) {
		int error = take_name(w);

		if (error || !w->name[0] ||
		    (is_last(w) && strcmp(w->name, ".") != 0 && !is_dots(w->name)))
			return error;
		error = strcmp(w->name, ".") == 0 ? 0 : descend(w);
		if (error)
			return error;
	}
}

static bool is_in_proc(int fd)
{
	struct statfs fs;

	return fstatfs(fd, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC;
}

/*
 * Opens the last component, or follows it. Returns: a descriptor, or -1; errno is 0 if the walk
 * goes on.
 */
static int open_last(struct PathWalk *w, int flags, mode_t mode)
{
	int fd = flags & O_NOFOLLOW ? -1 : look(w);

	if (fd < 0 && (flags & O_NOFOLLOW || (errno == ENOENT && flags & O_CREAT)))
		return openat(w->fd, w->name, flags | O_NOFOLLOW | O_CLOEXEC, mode);
	if (fd < 0)
		return -1;
	(void)close(fd); /* it is not a link; if it has become one, open(2) fails */
	return openat(w->fd, w->name, flags | O_NOFOLLOW | O_CLOEXEC, mode);
}

static int walk_and_open(struct PathWalk *w, int flags, mode_t mode)
{
	for (;;) {
		int error = walk(w);
		int fd;

		if (error) {
			errno = error;
			return -1;
		}
		if (!w->name[0])
			return openat(w->fd, ".", flags | O_CLOEXEC);
		/* Links like /proc/self/fd/0 contain no path. */
		if (!w->is_foreign && is_in_proc(w->fd))
			return openat(w->fd, w->name, flags | O_CLOEXEC);
		fd = open_last(w, flags, mode);
		if (fd >= 0 || errno != 0)
			return fd;
	}
}

static int open_without_links(const char *path, int flags, mode_t mode)
{
	const struct open_how how = { .flags = (unsigned)(flags | O_CLOEXEC),
				      .mode = flags & O_CREAT ? mode : 0,
				      .resolve = RESOLVE_NO_SYMLINKS };

	return (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));
}

static int close_and_return(struct PathWalk *w, int fd)
{
	const int error = errno;

	if (w->fd >= 0)
		(void)close(w->fd); /* used only for lookups */
	errno = error;
	return fd;
}

/*
 * Would the walk by components have the same result? That is uncertain after EAGAIN (a directory
 * was renamed during a look-up of "..") and EACCES (fs.protected_symlinks, proc(5)).
 */
static bool is_final(int fd)
{
	return fd >= 0 || (errno != ELOOP && errno != EAGAIN && errno != ENOSYS && errno != EPERM &&
			   errno != EACCES);
}

int safe_open(const char *path, int flags, mode_t mode)
{
	int fd = open_without_links(path, flags, mode);
	struct PathWalk w;

	if (is_final(fd))
		return fd;
	errno = walk_begin(&w, path, 0);
	return close_and_return(&w, errno ? -1 : walk_and_open(&w, flags, mode));
}

int safe_open_of_root(const char *path, int flags)
{
	int fd = open_without_links(path, flags, 0);
	struct PathWalk w;

	if (is_final(fd))
		return fd;
	errno = walk_begin(&w, path, 0);
	fd = errno ? -1 : walk_and_open(&w, flags, 0);
	if (fd >= 0 && w.is_foreign) {
		(void)close(fd); /* not used */
		fd = -1;
		errno = ELOOP;
	}
	return close_and_return(&w, fd);
}

static const char *last_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

bool safe_open_parent(const char *path, mode_t make_mode, SafeParent *ret)
{
	struct PathWalk w;
	int error = walk_begin(&w, path, make_mode);

	if (!error)
		error = walk(&w);
	if (!error && (!w.name[0] || !*last_of(path)))
		error = EISDIR;
	if (error) {
		errno = error;
		(void)close_and_return(&w, -1);
		return false;
	}
	*ret = (SafeParent){ .fd = w.fd,
			     .name = last_of(path),
			     .is_foreign = w.is_foreign,
			     .uid = w.uid,
			     .gid = w.gid };
	return true;
}
