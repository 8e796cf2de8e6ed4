/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Source file: opens a path first and then checks the open file by fstat(2), so that the file
 * cannot be replaced in between.
 *
 * Symbolic links are followed only where only root can have made them, to files that only root can
 * have made (paths/safe-path.h).
 */
#include "config.h"

#include "config/source-file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/limits.h"
#include "base/text.h"
#include "paths/safe-path.h"

void source_reader_init(SourceReader *reader, const char *root, bool any_owner, uid_t owner)
{
	*reader = (SourceReader){
		.root = root ? root : "",
		.root_fd = -1,
		.any_owner = any_owner,
		.owner = owner,
	};
	/* Paths come from g_build_filename(), which joins parts by a single "/". */
	for (reader->root_length = strlen(reader->root);
	     reader->root_length > 0 && reader->root[reader->root_length - 1] == '/';
	     reader->root_length--)
		;
	if (*reader->root)
		reader->root_fd = open(reader->root, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

void source_reader_clear(SourceReader *reader)
{
	fd_close(&reader->root_fd);
}

/* O_NONBLOCK, because open(2) of a FIFO without a writer would block. */
static int open_path(const SourceReader *reader, const char *path, int flags)
{
	flags |= O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
	if (!*reader->root)
		return reader->any_owner ? open(path, flags) : safe_open_of_root(path, flags);
	if (reader->root_fd < 0) {
		errno = ENOENT;
		return -1;
	}
	return fd_open_in_root(reader->root_fd, path + reader->root_length, flags);
}

char *source_file_distrust(const SourceReader *reader, mode_t mode, uid_t uid, gid_t gid)
{
	if (mode & S_IWOTH)
		return g_strdup(
			"all users may write to it; remove that permission (chmod o-w) and check "
			"its contents");
	if (reader->any_owner)
		return NULL;
	if (uid != 0 && uid != reader->owner)
		return g_strdup_printf("it belongs to user %u; it must belong to root (chown root)",
				       (unsigned)uid);
	if ((mode & S_IWGRP) && gid != 0)
		return g_strdup_printf(
			"group %u may write to it; remove that permission (chmod g-w)",
			(unsigned)gid);
	return NULL;
}

static char *check_owner(const SourceReader *reader, const struct stat *st)
{
	return source_file_distrust(reader, st->st_mode, st->st_uid, st->st_gid);
}

/* A sentence; @what is "it" or "the directory". */
static char *explain_open_error(const SourceReader *reader, const char *path, int errnum,
				const char *what)
{
	g_autofree char *target = g_file_read_link(path, NULL);
	struct stat st;

	if (errnum == ELOOP && !*reader->root && stat(path, &st) == 0)
		return g_strdup_printf(
			"%s is reached by a symbolic link in a directory that users other than "
			"root can "
			"write to; give the directories of its path to root (chown root, chmod "
			"go-w)",
			what);
	if (errnum == ELOOP)
		return g_strdup_printf("%s is a symbolic link that leads back to itself", what);
	if (errnum == ENOENT && target)
		return g_strdup_printf("%s is a symbolic link to %s, which does not exist", what,
				       target);
	return g_strdup_printf("%s cannot be opened: %s", what, g_strerror(errnum));
}

/*
 * Dot files are hidden, except names such as "....svc". Such a file is reported, because its author
 * meant a service with the name "..".
 */
static bool is_hidden(const char *name)
{
	return name[0] == '.' && !g_str_has_prefix(name, "...");
}

/* A directory that other users may not enter hides its files too. */
static bool is_secret(const struct stat *st)
{
	return !(st->st_mode & S_IROTH) || (S_ISDIR(st->st_mode) && !(st->st_mode & S_IXOTH));
}

/* The names on disk, unsorted. */
static GPtrArray *list_disk(const SourceReader *reader, const char *path, bool *ret_is_secret,
			    char **ret_problem)
{
	GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
	auto_fd int fd = open_path(reader, path, O_DIRECTORY);
	struct stat st;
	struct dirent *entry;
	DIR *directory;

	if (fd < 0 && errno == ENOENT)
		return names;
	if (fd < 0 || fstat(fd, &st) < 0) {
		*ret_problem = explain_open_error(reader, path, errno, "the directory");
		return names;
	}
	*ret_is_secret = is_secret(&st);
	*ret_problem = check_owner(reader, &st);
	if (*ret_problem)
		return names;
	directory = fdopendir(fd);
	if (!directory) {
		*ret_problem =
			g_strdup_printf("the directory cannot be read: %s", g_strerror(errno));
		return names;
	}
	(void)fd_steal(&fd); /* closedir() closes it */
	while ((entry = readdir(directory)) != NULL) {
		if (!is_hidden(entry->d_name))
			g_ptr_array_add(names, g_strdup(entry->d_name));
	}
	(void)closedir(directory); /* read-only: no data can be lost */
	return names;
}

/*
 * Applies @file, one entry of the overlay, to the names in the directory @path: adds or removes a
 * file, or adds a directory.
 */
static void overlay_name(GHashTable *names, const char *path, const char *file, bool is_there)
{
	const size_t length = strlen(path);
	g_auto(GStrv) parts = NULL;

	if (!g_str_has_prefix(file, path) || file[length] != '/')
		return;
	parts = g_strsplit(file + length + 1, "/", 2);
	if (is_there)
		g_hash_table_add(names, g_strdup(parts[0]));
	else if (!parts[1])
		g_hash_table_remove(names, parts[0]);
}

/* The names in the directory @path with the overlay applied. @names: those on the disk; taken. */
static GPtrArray *overlay_list(const SourceReader *reader, const char *path, GPtrArray *names)
{
	g_autoptr(GHashTable) set = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	GHashTableIter iter;
	gpointer file;
	gpointer text;

	for (guint i = 0; i < names->len; i++)
		g_hash_table_add(set, g_strdup(g_ptr_array_index(names, i)));
	g_hash_table_iter_init(&iter, reader->overlay);
	while (g_hash_table_iter_next(&iter, &file, &text))
		overlay_name(set, path, file, text != NULL);
	g_ptr_array_set_size(names, 0);
	g_hash_table_iter_init(&iter, set);
	while (g_hash_table_iter_next(&iter, &file, NULL)) {
		g_ptr_array_add(names, file);
		g_hash_table_iter_steal(&iter);
	}
	return names;
}

static void remember_secret(const SourceReader *reader, const char *path, bool is_secret)
{
	if (is_secret && reader->secrets)
		g_hash_table_add(reader->secrets, g_strdup(path));
}

static char *entry_text(const BundleEntry *entry)
{
	gsize length;
	const char *data = g_bytes_get_data(entry->bytes, &length);

	return g_strndup(length > 0 ? data : "", length);
}

static GPtrArray *list_bundle(const SourceReader *reader, const char *path, char **ret_problem)
{
	const BundleEntry *entry = bundle_find(reader->bundle, path);
	GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
	gsize length;
	const char *name;

	if (!entry || entry->kind != BUNDLE_LIST) {
		*ret_problem = entry ? entry_text(entry) : NULL;
		return names;
	}
	remember_secret(reader, path, entry->is_secret);
	name = g_bytes_get_data(entry->bytes, &length);
	/* the last byte is a NUL */
	for (const char *end = name + length; name < end; name += strlen(name) + 1)
		g_ptr_array_add(names, g_strdup(name));
	return names;
}

static void record_list(const SourceReader *reader, const char *path, bool is_secret,
			const GPtrArray *names, const char *problem)
{
	g_autoptr(GString) text = g_string_new(NULL);

	for (guint i = 0; i < names->len; i++)
		g_string_append_len(text, g_ptr_array_index(names, i),
				    (gssize)strlen(g_ptr_array_index(names, i)) + 1);
	if (problem)
		bundle_add(reader->bundle, BUNDLE_NO_LIST, is_secret, path, problem,
			   strlen(problem));
	else
		bundle_add(reader->bundle, BUNDLE_LIST, is_secret, path, text->str, text->len);
}

/* Lists a directory without the overlay. */
static GPtrArray *list_directory(const SourceReader *reader, const char *path, char **ret_problem)
{
	bool is_secret = false;
	GPtrArray *names;

	if (reader->bundle &&
	    (!bundle_is_open(reader->bundle) || bundle_find(reader->bundle, path)))
		return list_bundle(reader, path, ret_problem);
	if (reader->bundle)
		bundle_begin(reader->bundle, path);
	names = list_disk(reader, path, &is_secret, ret_problem);
	remember_secret(reader, path, is_secret);
	if (reader->bundle)
		record_list(reader, path, is_secret, names, *ret_problem);
	return names;
}

GPtrArray *source_reader_list(SourceReader *reader, const char *path, char **ret_problem)
{
	GPtrArray *names = list_directory(reader, path, ret_problem);

	if (reader->overlay && !*ret_problem)
		names = overlay_list(reader, path, names);
	g_ptr_array_sort(names, text_compare);
	return names;
}

GPtrArray *source_reader_list_reported(SourceReader *reader, const char *path, DiagList *diags)
{
	g_autofree char *problem = NULL;
	GPtrArray *names = source_reader_list(reader, path, &problem);

	if (problem)
		diag_error(diags, origin_new(path, 0), NULL, "%s", problem);
	return names;
}

static char *check_kind(const struct stat *st)
{
	static const struct {
		mode_t kind;
		const char *name;
	} kinds[] = {
		{ S_IFDIR, "a directory" }, { S_IFIFO, "a FIFO" },    { S_IFCHR, "a device" },
		{ S_IFBLK, "a device" },    { S_IFSOCK, "a socket" },
	};

	/* The device number of /dev/null (Linux, admin-guide/devices.txt). */
	if (S_ISCHR(st->st_mode) && st->st_rdev == makedev(1, 3))
		return g_strdup(
			"it is a link to /dev/null; switching a service off is policy: write "
			"Activation=never "
			"under [service NAME] in /etc/svcd/policy.d/local.policy");
	for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
		if ((st->st_mode & S_IFMT) == kinds[i].kind)
			return g_strdup_printf("it is %s, not a file", kinds[i].name);
	}
	return NULL;
}

static char *too_long(void)
{
	return g_strdup_printf("it is longer than %d bytes", LIMIT_FILE_BYTES);
}

static char *read_overlay(GBytes *bytes, gsize *ret_length, char **ret_problem)
{
	const gsize length = bytes ? g_bytes_get_size(bytes) : 0;
	char *text;

	if (!bytes || length > LIMIT_FILE_BYTES) {
		*ret_problem =
			bytes ? too_long() :
				g_strdup_printf("it cannot be opened: %s", g_strerror(ENOENT));
		return NULL;
	}
	text = g_malloc(length + 1);
	if (length > 0)
		memcpy(text, g_bytes_get_data(bytes, NULL), length);
	text[length] = '\0';
	*ret_length = length;
	return text;
}

static char *read_bundle(const SourceReader *reader, const char *path, gsize *ret_length,
			 char **ret_problem)
{
	const BundleEntry *entry = bundle_find(reader->bundle, path);

	if (entry && entry->kind != BUNDLE_FILE) {
		*ret_problem = entry_text(entry);
		return NULL;
	}
	remember_secret(reader, path, entry && entry->is_secret);
	return read_overlay(entry ? entry->bytes : NULL, ret_length, ret_problem);
}

/*
 * Reads a whole file, and adds a NUL. It stops after @size bytes, which saves the read(2) that
 * would report the end.
 */
static char *read_all(int fd, gsize size, gsize *ret_length, char **ret_problem)
{
	g_autofree char *text = NULL;
	gsize capacity = 0;
	gsize length = 0;

	while (length <= LIMIT_FILE_BYTES && size <= LIMIT_FILE_BYTES) {
		ssize_t n;

		if (length == capacity) {
			capacity = MIN(MAX(size, 2 * capacity), LIMIT_FILE_BYTES) + 1;
			text = g_realloc(text, capacity + 1);
		}
		n = read(fd, text + length, capacity - length);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			*ret_problem = g_strdup_printf("cannot read it: %s", g_strerror(errno));
			return NULL;
		}
		length += (gsize)n;
		if (n == 0 || length == size) {
			text[length] = '\0';
			*ret_length = length;
			return g_steal_pointer(&text);
		}
	}
	*ret_problem = too_long();
	return NULL;
}

static char *read_disk(const SourceReader *reader, const char *path, gsize *ret_length,
		       bool *ret_is_secret, char **ret_problem)
{
	auto_fd int fd = open_path(reader, path, 0);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0) {
		/* A socket cannot be opened (open(2), ENXIO). */
		*ret_problem = errno == ENXIO ? g_strdup("it is a socket, not a file") :
						explain_open_error(reader, path, errno, "it");
		return NULL;
	}
	*ret_is_secret = is_secret(&st);
	*ret_problem = check_kind(&st);
	if (!*ret_problem)
		*ret_problem = check_owner(reader, &st);
	if (*ret_problem)
		return NULL;
	return read_all(fd, (gsize)st.st_size, ret_length, ret_problem);
}

char *source_reader_read(SourceReader *reader, const char *path, gsize *ret_length,
			 char **ret_problem)
{
	bool is_secret = false;
	gpointer overlaid;
	char *text;

	if (reader->overlay && g_hash_table_lookup_extended(reader->overlay, path, NULL, &overlaid))
		return read_overlay(overlaid, ret_length, ret_problem);
	if (reader->bundle &&
	    (!bundle_is_open(reader->bundle) || bundle_find(reader->bundle, path)))
		return read_bundle(reader, path, ret_length, ret_problem);
	if (reader->bundle)
		bundle_begin(reader->bundle, path);
	text = read_disk(reader, path, ret_length, &is_secret, ret_problem);
	remember_secret(reader, path, is_secret);
	if (reader->bundle && text)
		bundle_add(reader->bundle, BUNDLE_FILE, is_secret, path, text, *ret_length);
	else if (reader->bundle)
		bundle_add(reader->bundle, BUNDLE_NO_FILE, is_secret, path, *ret_problem,
			   strlen(*ret_problem));
	return text;
}
