/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Atomic file: small files below a root, written so that a power cut leaves the old or the new
 * text.
 *
 * Paths begin with "/" and stay below the root, even through symbolic links. Directories on the way
 * may be links, because an admin may move /etc/svcd/policy.d. A file that is a link is refused.
 * Replacing it would turn the link into a file, and writing through it would change a file that
 * others use.
 */
#ifndef SVCD_ATOMIC_FILE_H
#define SVCD_ATOMIC_FILE_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct AtomicFiles {
	char *root; /* without final slashes; "": the machine itself */
	int root_fd;
} AtomicFiles;

/* The mode and owners of a file. */
typedef struct FileAccess {
	mode_t mode; /* the lowest nine bits */
	uid_t uid; /* (uid_t)-1: that of the process */
	gid_t gid; /* (gid_t)-1: that of the process */
} FileAccess;

#define FILE_ACCESS_ALL ((FileAccess){ .mode = 0644, .uid = (uid_t)-1, .gid = (gid_t)-1 })
#define FILE_ACCESS_PRIVATE ((FileAccess){ .mode = 0600, .uid = (uid_t)-1, .gid = (gid_t)-1 })

/* The first use reports a missing root. */
void atomic_files_init(AtomicFiles *atomic_files, const char *root);
void atomic_files_clear(AtomicFiles *atomic_files);

/* The path with the root in front, for messages; a new string. */
char *atomic_file_show(const AtomicFiles *atomic_files, const char *path);

/**
 * atomic_file_read() - read a whole file
 * @ret_text: NULL if there is no such file
 */
bool atomic_file_read(const AtomicFiles *atomic_files, const char *path, size_t max_bytes,
		      GBytes **ret_text, GError **error);

/* Returns: false if there is no such file, or it cannot be examined. */
bool atomic_file_access(const AtomicFiles *atomic_files, const char *path, FileAccess *ret);

/**
 * atomic_file_write() - replace a file; missing directories are created with mode 0755
 * @text: NULL removes the file
 * @if_new: access of a new file; an existing one keeps mode, owner and group
 *
 * The caller holds the lock, so an existing temporary file belongs to a dead writer.
 */
bool atomic_file_write(const AtomicFiles *atomic_files, const char *path, GBytes *text,
		       FileAccess if_new, GError **error);

/* Creates a directory with mode 0700, or sets this mode on an existing one. */
bool atomic_file_make_private(const AtomicFiles *atomic_files, const char *path, GError **error);

/*
 * Returns: the sorted names in a directory, a new array of strings; empty if there is no such
 * directory. NULL with @error (NOT_AUTHORIZED: no permission).
 */
GPtrArray *atomic_file_list(const AtomicFiles *atomic_files, const char *path, GError **error);

/**
 * atomic_file_lock() - lock out other writers, after waiting at most @patience_us
 * Returns: a file descriptor; closing it unlocks. -1 with @error (BUSY: another process holds it).
 */
int atomic_file_lock(const AtomicFiles *atomic_files, const char *path, int64_t patience_us,
		     GError **error);

#endif
