/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Durable: small files below a root, written so that a power cut leaves the old or the new text.
 *
 * Paths begin with "/" and stay below the root, also through symbolic links. Directories on the way
 * may be links, because an admin may move /etc/svcd/policy.d. A file that is a link is refused:
 * replacing it would turn the link into a file, and writing through it would change a file that
 * others use.
 */
#ifndef SVCD_DURABLE_H
#define SVCD_DURABLE_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct Durable {
	char *root; /* without final slashes; "": the machine itself */
	int root_fd;
} Durable;

/* The mode and owners of a file. */
typedef struct FileAccess {
	mode_t mode; /* the lowest nine bits */
	uid_t uid;   /* (uid_t)-1: as the process */
	gid_t gid;   /* (gid_t)-1: as the process */
} FileAccess;

#define FILE_ACCESS_ALL ((FileAccess){ .mode = 0644, .uid = (uid_t)-1, .gid = (gid_t)-1 })
#define FILE_ACCESS_PRIVATE ((FileAccess){ .mode = 0600, .uid = (uid_t)-1, .gid = (gid_t)-1 })

/* The first use reports a missing root. */
void durable_init(Durable *durable, const char *root);
void durable_clear(Durable *durable);

/* With the root in front, for people; a new string. */
char *durable_show(const Durable *durable, const char *path);

/**
 * durable_read() - read a whole file
 * @ret_text: NULL if there is no such file
 */
bool durable_read(const Durable *durable, const char *path, size_t max_bytes, GBytes **ret_text, GError **error);

/* Returns: false if there is no such file, or it cannot be examined. */
bool durable_access(const Durable *durable, const char *path, FileAccess *ret);

/**
 * durable_write() - temporary file, fsync, rename, fsync of the directory; missing directories are created, 0755
 * @text: NULL removes the file
 * @if_new: access of a new file; an existing one keeps mode, owner and group
 *
 * The caller holds the lock, so an existing temporary file belongs to a dead writer.
 */
bool durable_write(const Durable *durable, const char *path, GBytes *text, FileAccess if_new, GError **error);

/* Creates a directory that only its owner can use, or makes it so: 0700. */
bool durable_make_private(const Durable *durable, const char *path, GError **error);

/* Renames the file @path to @base in its directory, durably. */
bool durable_rename(const Durable *durable, const char *path, const char *base, GError **error);

/* Removes the files that a dead writer may have left beside @path; the caller holds the lock. */
void durable_tidy(const Durable *durable, const char *path);

/*
 * The names in a directory, sorted, a new array of strings; empty if there is no such directory.
 * NULL with @error (NOT_AUTHORIZED: no permission).
 */
GPtrArray *durable_list(const Durable *durable, const char *path, GError **error);

/* Is there such a directory? */
bool durable_has_directory(const Durable *durable, const char *path);

/**
 * durable_lock() - lock out other writers, after waiting at most @patience_us
 * Returns: a file descriptor; closing it unlocks. -1 with @error (BUSY: another process holds it).
 */
int durable_lock(const Durable *durable, const char *path, int64_t patience_us, GError **error);

#endif
