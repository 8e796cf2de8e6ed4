/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Boot changes: read, and append without repeating a line.
 */
#include "config.h"

#include "svcctl/boot-changes.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/errors.h"
#include "base/fd.h"

enum { N_MEMBERS = 6 };

static void boot_change_free(gpointer data)
{
	BootChange *change = data;

	g_free(change->stamp);
	g_free(change->name);
	g_free(change->from);
	g_free(change->to);
	g_free(change->text);
	g_free(change);
}

GPtrArray *boot_changes_new(void)
{
	return g_ptr_array_new_with_free_func(boot_change_free);
}

void boot_changes_append(GPtrArray *changes, int64_t at_us, const char *stamp, const char *name,
			 const char *from, const char *to, const char *text)
{
	BootChange *change = g_new0(BootChange, 1);

	change->at_us = at_us;
	change->stamp = g_strdup(stamp);
	change->name = g_strdup(name);
	change->from = g_strdup(from);
	change->to = g_strdup(to);
	change->text = g_strdelimit(g_strdup(text), "\t\r\n", ' ');
	g_ptr_array_add(changes, change);
}

static char *file_of(const char *directory)
{
	return g_build_filename(directory, "changes", NULL);
}

/* A new string; "": there is no file. */
static char *read_text(const char *path)
{
	g_autoptr(GBytes) bytes = file_read_bounded(path, (size_t)4 * BOOT_CHANGES_BYTES, NULL);
	gsize length = 0;
	const char *text = bytes ? g_bytes_get_data(bytes, &length) : NULL;

	return g_strndup(text ? text : "", length);
}

/* The stamp is computed anew by each writer, so it is not part of the key. */
static char *key_of(const BootChange *change)
{
	return g_strdup_printf("%" G_GINT64_FORMAT "\t%s\t%s\t%s", change->at_us, change->name,
			       change->from, change->to);
}

static gint compare(gconstpointer a, gconstpointer b)
{
	const BootChange *left = *(const BootChange *const *)a;
	const BootChange *right = *(const BootChange *const *)b;

	return left->at_us < right->at_us ? -1 : left->at_us > right->at_us;
}

/*
 * Two writers may have appended the same line. @keys: the keys of all changes; new keys are added.
 */
static void parse(GPtrArray *changes, GHashTable *keys, const char *text)
{
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

	for (size_t i = 0; lines[i] && lines[i + 1]; i++) {
		g_auto(GStrv) members = g_strsplit(lines[i], "\t", N_MEMBERS);
		const guint n = g_strv_length(members);

		if (n != N_MEMBERS)
			continue;
		boot_changes_append(changes, g_ascii_strtoll(members[0], NULL, 10), members[1],
				    members[2], members[3], members[4], members[5]);
		if (!g_hash_table_add(keys, key_of(changes->pdata[changes->len - 1])))
			g_ptr_array_set_size(changes, (gint)changes->len - 1);
	}
	g_ptr_array_sort(changes, compare); /* is stable */
}

GPtrArray *boot_changes_read(const char *directory)
{
	GPtrArray *changes = boot_changes_new();
	g_autoptr(GHashTable) keys = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	g_autofree char *path = file_of(directory);
	g_autofree char *text = read_text(path);

	parse(changes, keys, text);
	return changes;
}

/* The lines of those @changes that are not in @keys yet; "": there are none. A new string. */
static char *new_lines(const GPtrArray *changes, GHashTable *keys)
{
	GString *lines = g_string_new(NULL);

	for (guint i = 0; i < changes->len; i++) {
		const BootChange *change = g_ptr_array_index(changes, i);

		if (g_hash_table_add(keys, key_of(change)))
			g_string_append_printf(lines, "%" G_GINT64_FORMAT "\t%s\t%s\t%s\t%s\t%s\n",
					       change->at_us, change->stamp, change->name,
					       change->from, change->to, change->text);
	}
	return g_string_free(lines, FALSE);
}

/* Drops the older half of the file, up to the end of a line. */
static bool shorten(const char *path, const char *old, const char *lines, GError **error)
{
	const size_t length = strlen(old);
	const size_t drop = length > BOOT_CHANGES_BYTES / 2 ? length - BOOT_CHANGES_BYTES / 2 : 0;
	const char *rest = drop > 0 ? strchr(old + drop, '\n') : NULL;
	g_autofree char *text = g_strconcat(rest ? rest + 1 : "", lines, NULL);

	return file_replace(path, text, 0644, error);
}

bool boot_changes_add(const char *directory, const GPtrArray *changes, bool is_synced,
		      GError **error)
{
	g_autofree char *path = file_of(directory);
	g_autofree char *old = read_text(path);
	g_autoptr(GPtrArray) present = boot_changes_new();
	g_autoptr(GHashTable) keys = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	g_autofree char *lines = NULL;
	auto_fd int fd = -1;

	parse(present, keys, old);
	lines = new_lines(changes, keys);
	if (!*lines)
		return true;
	if (strlen(old) + strlen(lines) > BOOT_CHANGES_BYTES)
		return shorten(path, old, lines, error);
	fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
	/* A writer that was killed leaves half a line. */
	if (fd < 0 || (*old && !g_str_has_suffix(old, "\n") && !fd_write_all(fd, "\n", 1)) ||
	    !fd_write_all(fd, lines, strlen(lines)) || (is_synced && fdatasync(fd) < 0))
		return fail_errno(error, errno, "cannot write %s", path);
	return true;
}
