/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tree: the kernel resolves every path below the root, and an opened file is checked before it is
 * read.
 */
#include "config.h"

#include "lsb-compat/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/limits.h"
#include "base/text.h"

void lsb_tree_init(LsbTree *tree, const char *root)
{
	tree->is_whole = !root || !*root || strcmp(root, "/") == 0;
	tree->root_fd = open(tree->is_whole ? "/" : root, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

void lsb_tree_clear(LsbTree *tree)
{
	fd_close(&tree->root_fd);
}

static int open_below(const LsbTree *tree, const char *path, int flags)
{
	flags |= O_RDONLY | O_CLOEXEC;
	return tree->is_whole ? openat(tree->root_fd, path, flags) :
				fd_open_in_root(tree->root_fd, path, flags);
}

GPtrArray *lsb_tree_list(const LsbTree *tree, const char *directory)
{
	GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
	auto_fd int fd = open_below(tree, directory, O_DIRECTORY);
	DIR *stream = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *entry;

	if (!stream)
		return names;
	(void)fd_steal(&fd); /* closedir() closes it */
	while ((entry = readdir(stream)) != NULL && names->len < LIMIT_SERVICES) {
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			g_ptr_array_add(names, g_strdup(entry->d_name));
	}
	(void)closedir(stream); /* only read from */
	g_ptr_array_sort(names, text_compare);
	return names;
}

bool lsb_tree_stat(const LsbTree *tree, const char *path, bool follow, struct stat *ret)
{
	auto_fd int fd = -1;

	/* One call instead of three, because there are hundreds of links. */
	if (tree->is_whole)
		return fstatat(tree->root_fd, path, ret, follow ? 0 : AT_SYMLINK_NOFOLLOW) == 0;
	fd = open_below(tree, path, O_PATH | (follow ? 0 : O_NOFOLLOW));
	return fd >= 0 && fstat(fd, ret) == 0;
}

char *lsb_tree_read_link(const LsbTree *tree, const char *path)
{
	auto_fd int fd = tree->is_whole ? -1 : open_below(tree, path, O_PATH | O_NOFOLLOW);
	char target[PATH_MAX];
	ssize_t length = tree->is_whole ? readlinkat(tree->root_fd, path, target, sizeof target) :
			 fd >= 0        ? readlinkat(fd, "", target, sizeof target) :
					  -1;

	return length < 0 ? NULL : g_strndup(target, (gsize)length);
}

char *lsb_tree_read(const LsbTree *tree, const char *path, gsize max_bytes, gsize *ret_length,
		    char **ret_problem)
{
	/* O_NONBLOCK: opening a FIFO without a writer would block for ever. */
	auto_fd int fd = open_below(tree, path, O_NONBLOCK | O_NOCTTY);
	g_autoptr(GBytes) bytes = NULL;
	g_autoptr(GError) error = NULL;
	struct stat st;
	char *text;

	*ret_problem = NULL;
	if (fd < 0 && errno == ENOENT)
		return NULL;
	if (fd < 0 || fstat(fd, &st) < 0) {
		*ret_problem = g_strdup_printf("it cannot be opened: %s", g_strerror(errno));
		return NULL;
	}
	if (!S_ISREG(st.st_mode)) {
		*ret_problem = g_strdup("it is not a regular file");
		return NULL;
	}
	if (st.st_size > (off_t)max_bytes) {
		*ret_problem = g_strdup_printf("it is larger than %" G_GSIZE_FORMAT " KiB",
					       max_bytes / 1024);
		return NULL;
	}
	bytes = fd_read_bounded(fd, max_bytes, "it", &error);
	if (!bytes) {
		*ret_problem = g_strdup(error->message);
		return NULL;
	}
	*ret_length = g_bytes_get_size(bytes);
	text = g_malloc(*ret_length + 1);
	if (*ret_length > 0)
		memcpy(text, g_bytes_get_data(bytes, NULL), *ret_length);
	text[*ret_length] = '\0';
	return text;
}
