/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Bundle: all files of one load, in memory and indexed by path.
 *
 * svc-generate reads files from the disk, which may block, into an open bundle. It passes the
 * bundle on in a memfd. The manager loads the files from the bundle and opens no file itself. A
 * path that is not in a finished bundle does not exist.
 */
#ifndef SVCD_CONFIG_BUNDLE_H
#define SVCD_CONFIG_BUNDLE_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef enum BundleKind {
	BUNDLE_LIST, /* the names in a directory, each with a final NUL */
	BUNDLE_FILE, /* the contents of a file */
	BUNDLE_NO_LIST, /* a sentence: why the directory could not be read */
	BUNDLE_NO_FILE, /* a sentence: why the file could not be read */
	BUNDLE_KIND_COUNT
} BundleKind;

typedef struct BundleEntry {
	BundleKind kind;
	bool is_secret; /* some users may not read it */
	GBytes *bytes;
} BundleEntry;

typedef struct Bundle Bundle;

/* Makes an open bundle, to which readers add (config/source-file.h). */
Bundle *bundle_new(void);
void bundle_free(Bundle *bundle);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Bundle, bundle_free)

bool bundle_is_open(const Bundle *bundle);

/* The time when reading began, CLOCK_MONOTONIC in microseconds. */
int64_t bundle_began_us(const Bundle *bundle);

/* Adds an entry, and replaces an earlier one. @path is absolute. */
void bundle_add(Bundle *bundle, BundleKind kind, bool is_secret, const char *path, const void *data,
		gsize length);
const BundleEntry *bundle_find(const Bundle *bundle, const char *path);

/* Removes @directory and everything below it, because it has changed. */
void bundle_forget(Bundle *bundle, const char *directory);

/**
 * bundle_set_progress() - make bundle_begin() write each path to @fd before the path is read
 *
 * @fd is the memfd that bundle_write() fills later. If the writer hangs, another process gets the
 * path from bundle_being_read().
 */
void bundle_set_progress(Bundle *bundle, int fd);
void bundle_begin(const Bundle *bundle, const char *path);
/* Returns: the last path, a new string, or NULL if there is none. */
char *bundle_being_read(int fd);

/* Writes the bundle to @fd, a memfd, and seals it, so that it is complete and cannot change. */
bool bundle_write(const Bundle *bundle, int fd, GError **error);

/**
 * bundle_read() - read a bundle from a memfd
 * Returns: NULL with @error if the memfd is not sealed, is damaged, or was written by another
 * version.
 */
Bundle *bundle_read(int fd, GError **error);
Bundle *bundle_parse(GBytes *bytes, GError **error);

#endif
