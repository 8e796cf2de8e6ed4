/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Mounts: find the places, open the trees, sort, attach. Needs Linux 5.12 for mount_setattr(2).
 */
#include "config.h"

#include "sandbox/mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "paths/safe-path.h"

/*
 * The file system of hidden files is mounted here briefly. The directory always exists, and no
 * other process sees the mount.
 */
#define SCRATCH "/run"

int mount_list_add(struct MountList *list, const struct MountEntry *entry)
{
	struct MountEntry *entries = reallocarray(list->entries, list->n + 1, sizeof(*entries));

	if (!entries)
		return ENOMEM;
	entries[list->n] = *entry;
	entries[list->n].fd = -1;
	entries[list->n].number = list->n;
	list->entries = entries;
	list->n++;
	return 0;
}

bool mount_path_is_within(const char *path, const char *top)
{
	size_t length = strcmp(top, "/") == 0 ? 0 : strlen(top);

	return strncmp(path, top, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

bool mount_list_covers(const struct MountList *list, const char *path, const char *top)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct MountEntry *entry = &list->entries[i];

		if (entry->kind != MOUNT_SHOW && entry->kind != MOUNT_KEEP &&
		    mount_path_is_within(entry->path, top) &&
		    mount_path_is_within(path, entry->path))
			return true;
	}
	return false;
}

/* --- finding places --- */

/* If the target is missing, is a directory or file made for it? */
static bool makes_target(const struct MountEntry *entry)
{
	return entry->source || (entry->kind == MOUNT_TMPFS && !entry->is_optional);
}

/* Like realpath(3), but refuses other users' links. Returns: a new string, or NULL with errno. */
static char *safe_real_path(const char *path)
{
	char link[64];
	char real[PATH_MAX];
	ssize_t n;
	int error;
	int fd = safe_open(path, O_PATH, 0);

	if (fd < 0)
		return NULL;
	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd); /* fits */
	n = readlink(link, real, sizeof(real) - 1);
	error = errno;
	(void)close(fd); /* an O_PATH descriptor */
	errno = error;
	return n > 0 ? strndup(real, (size_t)n) : NULL;
}

/*
 * Symbolic links are followed once, here. Other users must not be able to choose by a link which
 * files the service sees, or at which path. They may choose which of their own files are hidden or
 * made read-only.
 */
static int resolve(struct MountEntry *entry)
{
	char *path;

	if (entry->source) {
		entry->source = safe_real_path(entry->source);
		if (!entry->source)
			return errno;
	}
	path = makes_target(entry) ? safe_real_path(entry->path) : realpath(entry->path, NULL);
	if (!path && errno == ENOENT && makes_target(entry))
		path = strdup(entry->path);
	if (!path)
		return errno;
	entry->path = path;
	return 0;
}

/* Resolves all paths, and removes optional entries that are missing. */
static int resolve_all(struct MountList *list, struct Failure *failure)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->n; i++) {
		struct MountEntry *entry = &list->entries[i];
		const char *requested = entry->source ? entry->source : entry->path;
		int error = resolve(entry);

		if (error && entry->is_optional && (error == ENOENT || error == ENOTDIR))
			continue;
		if (error)
			return failure_set(failure, error, "%s=: cannot find %s", entry->key,
					   requested);
		list->entries[kept++] = *entry;
	}
	list->n = kept;
	return 0;
}

/* --- opening trees --- */

static bool is_link(int fd)
{
	struct stat st;

	return fstat(fd, &st) < 0 || S_ISLNK(st.st_mode);
}

/*
 * @path is resolved, so a link that is there now was made later. It could be mounted like a file,
 * and would lead elsewhere.
 */
static int take_tree(const char *path, bool with_below)
{
	int target = safe_open(path, O_PATH | O_NOFOLLOW, 0);
	int fd;

	if (target < 0)
		return -1;
	if (is_link(target)) {
		(void)close(target); /* an O_PATH descriptor */
		errno = ELOOP;
		return -1;
	}
	fd = open_tree(target, "",
		       AT_EMPTY_PATH | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC |
			       (with_below ? AT_RECURSIVE : 0u));
	(void)close(target); /* the tree stays */
	return fd;
}

/* Returns: 0 or an errno. */
static int set_attributes(int fd, const char *path, unsigned flags, uint64_t attributes)
{
	struct mount_attr change = { .attr_set = attributes };

	if (mount_setattr(fd, path, flags | (*path ? 0u : AT_EMPTY_PATH), &change, sizeof(change)) <
	    0)
		return errno;
	return 0;
}

/* An empty tmpfs that is mounted nowhere. Returns: a descriptor, or -1 with errno. */
static int make_empty(const char *mode)
{
	int fd = -1;
	int context = fsopen("tmpfs", FSOPEN_CLOEXEC);

	if (context < 0)
		return -1;
	if (fsconfig(context, FSCONFIG_SET_STRING, "mode", mode, 0) == 0 &&
	    fsconfig(context, FSCONFIG_SET_STRING, "size", "4096", 0) == 0 &&
	    fsconfig(context, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0)
		fd = fsmount(context, FSMOUNT_CLOEXEC,
			     MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
	(void)close(context); /* the mount stays */
	return fd;
}

/*
 * A file without permissions. Only a mounted tree can be opened, so its file system is mounted
 * briefly.
 */
static int make_hidden_file(void)
{
	int fd = make_empty("000");
	int file = -1;
	int made;

	if (fd < 0)
		return -1;
	made = openat(fd, "hidden", O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0);
	if (made >= 0)
		(void)close(made); /* nothing is written */
	if (made >= 0 && move_mount(fd, "", AT_FDCWD, SCRATCH, MOVE_MOUNT_F_EMPTY_PATH) == 0) {
		file = take_tree(SCRATCH "/hidden", false);
		(void)umount2(SCRATCH, MNT_DETACH); /* not in use */
	}
	(void)close(fd); /* the file keeps the mount in use */
	return file;
}

static int make_hidden(const char *path)
{
	struct stat st;
	int fd;

	if (lstat(path, &st) < 0)
		return -1;
	fd = S_ISDIR(st.st_mode) ? make_empty("000") : make_hidden_file();
	if (fd >= 0)
		errno = set_attributes(fd, "", 0, MOUNT_ATTR_RDONLY);
	return fd >= 0 && errno == 0 ? fd : -1;
}

static int take(struct MountEntry *entry)
{
	switch (entry->kind) {
	case MOUNT_READ_ONLY:
		if (strcmp(entry->path, "/") == 0)
			return 0; /* nothing can replace it: it is changed in place */
		entry->fd = take_tree(entry->path, true);
		return entry->fd < 0 ? errno : 0;
	case MOUNT_KEEP:
	case MOUNT_SHOW:
		entry->fd = take_tree(entry->source ? entry->source : entry->path,
				      !(entry->show & SHOW_FLAT));
		return entry->fd < 0 ? errno : 0;
	case MOUNT_HIDE:
		entry->fd = make_hidden(entry->path);
		return entry->fd < 0 ? errno : 0;
	case MOUNT_PROC:
	case MOUNT_TMPFS:
		return 0;
	}
	return EINVAL;
}

static int take_all(struct MountList *list, struct Failure *failure)
{
	for (size_t i = 0; i < list->n; i++) {
		struct MountEntry *entry = &list->entries[i];
		int error = take(entry);

		if (error)
			return failure_set(failure, error, "%s=: cannot open %s", entry->key,
					   entry->source ? entry->source : entry->path);
	}
	return 0;
}

/* --- attaching --- */

static int make_in(const SafeParent *parent, const struct stat *like)
{
	int fd;

	if (S_ISDIR(like->st_mode))
		return mkdirat(parent->fd, parent->name, 0755) < 0 && errno != EEXIST ? errno : 0;
	fd = openat(parent->fd, parent->name,
		    O_CREAT | O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0644);
	if (fd < 0)
		return errno;
	(void)close(fd); /* nothing is written */
	return 0;
}

/* Makes a mount point: a directory, or a file if @like is not a directory. */
static int make_target(const char *path, const struct stat *like)
{
	SafeParent parent;
	int error;

	if (access(path, F_OK) == 0)
		return 0;
	if (!safe_open_parent(path, 0755, &parent))
		return errno;
	error = make_in(&parent, like);
	(void)close(parent.fd); /* a directory, opened for lookups only */
	return error;
}

static int put(const struct MountEntry *entry)
{
	struct stat st;
	int target;
	int error;

	if (fstat(entry->fd, &st) < 0)
		return errno;
	if (!entry->source && entry->is_optional && access(entry->path, F_OK) < 0)
		return 0; /* a mount on a directory above hides it */
	error = make_target(entry->path, &st);
	if (error)
		return error;
	target = safe_open(entry->path, O_PATH | O_NOFOLLOW, 0);
	if (target < 0)
		return errno;
	error = move_mount(entry->fd, "", target, "",
			   MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) < 0 ?
			errno :
			0;
	(void)close(target); /* an O_PATH descriptor of the mount point */
	return error;
}

static int put_read_only(const struct MountEntry *entry)
{
	int error;

	if (entry->fd < 0)
		return set_attributes(AT_FDCWD, entry->path, AT_RECURSIVE, MOUNT_ATTR_RDONLY);
	error = set_attributes(entry->fd, "", AT_RECURSIVE, MOUNT_ATTR_RDONLY);
	return error ? error : put(entry);
}

static int put_show(const struct MountEntry *entry)
{
	uint64_t attributes = 0;
	int error;

	if (entry->show & SHOW_READ_ONLY)
		attributes |= MOUNT_ATTR_RDONLY;
	if (entry->show & SHOW_NO_DEVICES)
		attributes |= MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC | MOUNT_ATTR_NOSUID;
	error = attributes ? set_attributes(entry->fd, "", AT_RECURSIVE, attributes) : 0;
	return error ? error : put(entry);
}

struct TmpfsOptions {
	unsigned long flags;
	bool is_read_only; /* not among the flags: set when all mounts inside are in place */
	char data[256]; /* passed to the file system */
};

/*
 * Separates mount flags from options of the file system. If options conflict, the last one is used.
 */
static int read_tmpfs_options(const char *options, struct TmpfsOptions *ret)
{
	char *copy = strdup(options);
	char *rest = copy;
	int error = copy ? 0 : ENOMEM;

	*ret = (struct TmpfsOptions){ .flags = MS_NOSUID | MS_NODEV, .data = "mode=0755" };
	for (char *token = strsep(&rest, ","); token && !error; token = strsep(&rest, ",")) {
		if (strcmp(token, "ro") == 0 || strcmp(token, "rw") == 0)
			ret->is_read_only = token[1] == 'o';
		else if (strcmp(token, "noexec") == 0)
			ret->flags |= MS_NOEXEC;
		else if (strcmp(token, "exec") == 0)
			ret->flags &= ~(unsigned long)MS_NOEXEC;
		else if (strchr(token, '=') &&
			 strlen(ret->data) + strlen(token) + 2 > sizeof(ret->data))
			error = EINVAL;
		else if (strchr(token, '='))
			strcat(strcat(ret->data, ","), token);
	}
	free(copy);
	return error;
}

static int put_tmpfs(const struct MountEntry *entry)
{
	const struct stat directory = { .st_mode = S_IFDIR };
	struct TmpfsOptions options;
	int error = read_tmpfs_options(entry->options, &options);

	if (!error)
		error = make_target(entry->path, &directory);
	if (!error && mount("tmpfs", entry->path, "tmpfs", options.flags, options.data) < 0)
		error = errno;
	return error;
}

static int put_in_place(const struct MountEntry *entry)
{
	switch (entry->kind) {
	case MOUNT_READ_ONLY:
		return put_read_only(entry);
	case MOUNT_PROC:
		return mount("proc", entry->path, "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC,
			     entry->options) < 0 ?
			       errno :
			       0;
	case MOUNT_TMPFS:
		return put_tmpfs(entry);
	case MOUNT_KEEP:
	case MOUNT_SHOW:
		return put_show(entry);
	case MOUNT_HIDE:
		return put(entry);
	}
	return EINVAL;
}

static const char *verb(enum MountKind kind)
{
	switch (kind) {
	case MOUNT_READ_ONLY:
		return "make read-only";
	case MOUNT_HIDE:
		return "hide";
	case MOUNT_KEEP:
	case MOUNT_PROC:
	case MOUNT_TMPFS:
	case MOUNT_SHOW:
		return "mount";
	}
	return "mount";
}

static bool is_read_only_tmpfs(const struct MountEntry *entry)
{
	struct TmpfsOptions options;

	return entry->kind == MOUNT_TMPFS && read_tmpfs_options(entry->options, &options) == 0 &&
	       options.is_read_only;
}

static int put_all(struct MountList *list, struct Failure *failure)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct MountEntry *entry = &list->entries[i];
		int error = put_in_place(entry);

		if (error)
			return failure_set(failure, error, "%s=: cannot %s %s", entry->key,
					   verb(entry->kind), entry->path);
	}
	for (size_t i = 0; i < list->n; i++) {
		const struct MountEntry *entry = &list->entries[i];
		int error = is_read_only_tmpfs(entry) ?
				    set_attributes(AT_FDCWD, entry->path, 0, MOUNT_ATTR_RDONLY) :
				    0;

		if (error)
			return failure_set(failure, error, "%s=: cannot make read-only %s",
					   entry->key, entry->path);
	}
	return 0;
}

/* A parent comes before its subdirectories; at one path the order is by kind, then by insertion. */
static int compare(const void *a, const void *b)
{
	const struct MountEntry *x = a;
	const struct MountEntry *y = b;
	int order = strcmp(x->path, y->path);

	if (order == 0)
		order = (int)x->kind - (int)y->kind;
	return order ? order : (x->number > y->number) - (x->number < y->number);
}

/* Mounts of the machine still propagate into this namespace; ours do not propagate out. */
static int enter_namespace(const char *key, struct Failure *failure)
{
	if (unshare(CLONE_NEWNS) < 0)
		return failure_set(failure, errno, "%s=: cannot make a mount namespace", key);
	if (mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) < 0)
		return failure_set(failure, errno, "%s=: cannot make the mounts private", key);
	return 0;
}

int mount_list_apply(struct MountList *list, struct Failure *failure)
{
	const mode_t mask = umask(022);
	int error = 0;

	if (list->n > 0)
		error = enter_namespace(list->entries[0].key, failure);
	if (!error)
		error = resolve_all(list, failure);
	if (!error)
		error = take_all(list, failure);
	if (!error && list->n > 1)
		qsort(list->entries, list->n, sizeof(*list->entries), compare);
	if (!error)
		error = put_all(list, failure);
	(void)umask(mask);
	return error;
}
