/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Mounts: a list of changes to what is seen where, and carrying them out in a mount namespace of our own.
 *
 * What is to stay as it is below something that changes (a directory to write to in a tree that becomes read-only) is taken hold of
 * first, by open_tree(2), and put back on top when its turn comes; so the order in which keys are written does not matter.
 */
#ifndef SVCD_SANDBOX_MOUNTS_H
#define SVCD_SANDBOX_MOUNTS_H

#include <stdbool.h>
#include <stddef.h>

#include "sandbox/failure.h"

/* At one path they are done in this order: the last one is what is seen. */
enum MountKind {
	MOUNT_KEEP,      /* the tree as it was before something above it changed */
	MOUNT_READ_ONLY, /* the tree as it was, but read-only */
	MOUNT_TMPFS,     /* an empty file system with @options */
	MOUNT_SHOW,      /* the tree at @source, as it was */
	MOUNT_PROC,      /* a new /proc with @options */
	MOUNT_HIDE,      /* an empty directory or file without permissions */
};

/* Of MOUNT_KEEP and MOUNT_SHOW. */
enum MountShow {
	SHOW_FLAT = 1 << 0,       /* without what is mounted below */
	SHOW_READ_ONLY = 1 << 1,
	SHOW_NO_DEVICES = 1 << 2, /* no device in it can be opened, nothing in it executed */
};

struct MountEntry {
	enum MountKind kind;
	const char *key;     /* "PrivateTmp": who is to blame */
	const char *path;
	const char *source;  /* MOUNT_SHOW; NULL: the path itself, and it is there */
	const char *options; /* MOUNT_TMPFS, MOUNT_PROC */
	unsigned show;       /* enum MountShow */
	bool is_optional;    /* what is not there is passed over */
	int fd;              /* the tree; ours */
	size_t number;       /* in the order in which they were added */
};

struct MountList {
	struct MountEntry *entries;
	size_t n;
};

/* Strings are borrowed. Returns: 0 or ENOMEM. */
int mount_list_add(struct MountList *list, const struct MountEntry *entry);

/* Is @path @top or below it? Both are absolute and tidy. */
bool mount_path_is_within(const char *path, const char *top);

/* Is @path, or something above it but below @top, changed so that it cannot be written to or is not seen? */
bool mount_list_covers(const struct MountList *list, const char *path, const char *top);

/* An empty list is nothing. Returns: 0 or an errno; what was done until then stays, for the caller ends. */
int mount_list_apply(struct MountList *list, struct Failure *failure);

#endif
