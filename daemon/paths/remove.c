/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Remove: descends by descriptor and uses names only within the open directory.
 */
#include "config.h"

#include "paths/remove.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int remove_entry(int parent, const char *name, dev_t device, unsigned depth);

static int remove_children(DIR *directory, dev_t device, unsigned depth)
{
	const struct dirent *entry;
	int first_error = 0;

	while ((entry = readdir(directory))) {
		int error;

		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		error = remove_entry(dirfd(directory), entry->d_name, device, depth);
		first_error = first_error ? first_error : error;
	}
	return first_error;
}

static int empty_directory(int fd, dev_t device, unsigned depth)
{
	DIR *directory;
	struct stat st;
	int error;

	if (fstat(fd, &st) < 0 || st.st_dev != device || depth > REMOVE_DEPTH) {
		error = depth > REMOVE_DEPTH ? ELOOP : EBUSY;
		(void)close(fd); /* opened for a check only */
		return error;
	}
	directory = fdopendir(fd);
	if (!directory) {
		error = errno;
		(void)close(fd); /* opened for a check only */
		return error;
	}
	error = remove_children(directory, device, depth);
	(void)closedir(directory); /* only read */
	return error;
}

static int remove_entry(int parent, const char *name, dev_t device, unsigned depth)
{
	int error;
	int fd;

	if (unlinkat(parent, name, 0) == 0 || errno == ENOENT)
		return 0;
	if (errno != EISDIR && errno != EPERM)
		return errno;
	fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return errno;
	error = empty_directory(fd, device, depth + 1);
	return unlinkat(parent, name, AT_REMOVEDIR) == 0 || errno == ENOENT ?
		       0 :
		       (error ? error : errno);
}

int remove_tree(int parent, const char *name)
{
	struct stat st;

	if (fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0 : errno;
	return remove_entry(parent, name, st.st_dev, 0);
}

/* Descends from *@fd through every component of @path except the last, which becomes *@ret_last. */
static int walk(int *fd, char *path, const char **ret_last)
{
	char *name = path;

	for (char *slash = strchr(name, '/'); slash; slash = strchr(name, '/')) {
		int next;

		*slash = '\0';
		next = openat(*fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (next < 0)
			return errno;
		(void)close(*fd); /* a directory, opened for lookups only */
		*fd = next;
		name = slash + 1;
	}
	*ret_last = name;
	return *name && strcmp(name, ".") != 0 && strcmp(name, "..") != 0 ? 0 : EINVAL;
}

int remove_below(const char *root, const char *path)
{
	char copy[PATH_MAX];
	const char *last = "";
	int error;
	int fd;

	if (strlen(path) >= sizeof(copy))
		return ENAMETOOLONG;
	strcpy(copy, path);
	fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return errno;
	error = walk(&fd, copy, &last);
	if (!error)
		error = remove_tree(fd, last);
	(void)close(fd); /* a directory, opened for lookups only */
	return error == ENOENT ? 0 : error;
}
