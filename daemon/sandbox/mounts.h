/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Mounts: a list of changes to the visible file system, applied in a mount namespace of our own.
 *
 * Some trees must stay as they are below a changed one (a writable directory in a read-only tree).
 * They are opened first, by open_tree(2), and attached on top later. So the order in which keys are
 * written does not matter.
 */
#ifndef SVCD_SANDBOX_MOUNTS_H
#define SVCD_SANDBOX_MOUNTS_H

#include <stdbool.h>
#include <stddef.h>

#include "sandbox/failure.h"

/* At one path they are applied in this order, so the last one is visible. */
enum MountKind {
	MOUNT_KEEP, /* the tree as it was before a change above it */
	MOUNT_READ_ONLY, /* the tree as it was, but read-only */
	MOUNT_TMPFS, /* an empty file system with @options */
	MOUNT_SHOW, /* the tree at @source, as it was */
	MOUNT_PROC, /* a new /proc with @options */
	MOUNT_HIDE, /* an empty directory or file without permissions */
};

/* For MOUNT_KEEP and MOUNT_SHOW. */
enum MountShow {
	SHOW_FLAT = 1 << 0, /* without the mounts below it */
	SHOW_READ_ONLY = 1 << 1,
	SHOW_NO_DEVICES = 1 << 2, /* no device in it can be opened, no file executed */
};

struct MountEntry {
	enum MountKind kind;
	const char *key; /* "PrivateTmp": for error messages */
	const char *path;
	const char *source; /* MOUNT_SHOW; NULL: the path itself, which exists */
	const char *options; /* MOUNT_TMPFS, MOUNT_PROC */
	unsigned show; /* enum MountShow */
	bool is_optional; /* a missing path is skipped */
	int fd; /* the tree; ours */
	size_t number; /* the order of insertion */
};

struct MountList {
	struct MountEntry *entries;
	size_t n;
};

/* Strings are borrowed. Returns: 0 or ENOMEM. */
int mount_list_add(struct MountList *list, const struct MountEntry *entry);

/* Is @path equal to @top or below it? Both are absolute and normalised. */
bool mount_path_is_within(const char *path, const char *top);

/* Is @path, or a directory between it and @top, hidden or made read-only? */
bool mount_list_covers(const struct MountList *list, const char *path, const char *top);

/*
 * An empty list is allowed. Returns: 0 or an errno; earlier changes stay, because the caller exits.
 */
int mount_list_apply(struct MountList *list, struct Failure *failure);

#endif
