/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Durable: small files below a root, written so that a power cut leaves the old or the new.
 *
 * Paths begin with "/" and stay below the root, whatever symbolic links say. Directories on the way may be links (an
 * /etc/svcd/policy.d that leads elsewhere is the admin's idea); a file that is one is refused, for replacing it would turn
 * the link into a file, and writing through it would change a file that others use.
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

/* Who may read a file. */
typedef struct FileAccess {
	mode_t mode; /* the lowest nine bits */
	uid_t uid;   /* (uid_t)-1: whoever makes it */
	gid_t gid;   /* (gid_t)-1: as the process */
} FileAccess;

#define FILE_ACCESS_ALL ((FileAccess){ .mode = 0644, .uid = (uid_t)-1, .gid = (gid_t)-1 })
#define FILE_ACCESS_PRIVATE ((FileAccess){ .mode = 0600, .uid = (uid_t)-1, .gid = (gid_t)-1 })

/* A root that is not there is told by the first use. */
void durable_init(Durable *durable, const char *root);
void durable_clear(Durable *durable);

/* With the root in front, for people; a new string. */
char *durable_show(const Durable *durable, const char *path);

/**
 * durable_read() - the whole of a file
 * @ret_text: NULL when there is no such file
 */
bool durable_read(const Durable *durable, const char *path, size_t max_bytes, GBytes **ret_text, GError **error);

/* Returns: false when there is no such file, or it cannot be looked at. */
bool durable_access(const Durable *durable, const char *path, FileAccess *ret);

/**
 * durable_write() - temporary file, fsync, rename, fsync of the directory; directories are made on the way, 0755
 * @text: NULL removes the file
 * @if_new: who may read it, if there is no such file yet; one that is there keeps mode, owner and group
 *
 * The caller holds the lock: a temporary file that is there already is a dead writer's.
 */
bool durable_write(const Durable *durable, const char *path, GBytes *text, FileAccess if_new, GError **error);

/* A directory that is only for its owner, 0700: made, or made so. */
bool durable_make_private(const Durable *durable, const char *path, GError **error);

/* Gives the file @path the name @base in its directory, durably. */
bool durable_rename(const Durable *durable, const char *path, const char *base, GError **error);

/* What a dead writer may have left beside @path; the caller holds the lock. */
void durable_tidy(const Durable *durable, const char *path);

/* The names in a directory, sorted, a new array of strings; empty when there is no such directory. NULL with @error
 * (NOT_AUTHORIZED: it is not for us). */
GPtrArray *durable_list(const Durable *durable, const char *path, GError **error);

/* Is there such a directory? */
bool durable_has_directory(const Durable *durable, const char *path);

/**
 * durable_lock() - keep other writers out, at most @patience_us later
 * Returns: a descriptor; closing it lets them in. -1 with @error (BUSY: somebody else holds it).
 */
int durable_lock(const Durable *durable, const char *path, int64_t patience_us, GError **error);

#endif
