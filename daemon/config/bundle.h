/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Bundle: everything that one load of the files reads, in memory and by path.
 *
 * svc-generate reads the disk, where anything may make it wait, into an open bundle and hands it over in a memfd. The manager
 * loads from that and opens no file. What is not in a finished bundle does not exist.
 */
#ifndef SVCD_CONFIG_BUNDLE_H
#define SVCD_CONFIG_BUNDLE_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef enum BundleKind {
	BUNDLE_LIST,    /* names of a directory, each with a NUL after it */
	BUNDLE_FILE,    /* the text of a file */
	BUNDLE_NO_LIST, /* why there are no names: a sentence */
	BUNDLE_NO_FILE, /* why there is no text: a sentence */
	BUNDLE_KIND_COUNT
} BundleKind;

typedef struct BundleEntry {
	BundleKind kind;
	bool is_secret; /* not every user may read the file or the directory */
	GBytes *bytes;
} BundleEntry;

typedef struct Bundle Bundle;

/* An open one: readers add what they read (config/source-file.h). */
Bundle *bundle_new(void);
void bundle_free(Bundle *bundle);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Bundle, bundle_free)

bool bundle_is_open(const Bundle *bundle);

/* When its reader began, CLOCK_MONOTONIC in microseconds. */
int64_t bundle_began_us(const Bundle *bundle);

/* An entry replaces one of the same path. @path is absolute. */
void bundle_add(Bundle *bundle, BundleKind kind, bool is_secret, const char *path, const void *data, gsize length);
const BundleEntry *bundle_find(const Bundle *bundle, const char *path);

/* Removes @directory and all below it, because it has changed since. */
void bundle_forget(Bundle *bundle, const char *directory);

/**
 * bundle_set_progress() - from now on bundle_begin() writes each path to @fd before it is read
 *
 * @fd is the memfd that bundle_write() fills later. Should its writer hang, bundle_being_read() of another process says where.
 */
void bundle_set_progress(Bundle *bundle, int fd);
void bundle_begin(const Bundle *bundle, const char *path);
/* Returns: the last path, a new string; NULL: there is none. */
char *bundle_being_read(int fd);

/* Writes it to @fd, a memfd, and seals that: then it is whole, and remains as it is. */
bool bundle_write(const Bundle *bundle, int fd, GError **error);

/**
 * bundle_read() - a bundle out of a memfd
 * Returns: NULL with @error if it is not sealed, is damaged or was written by a program of another version.
 */
Bundle *bundle_read(int fd, GError **error);
Bundle *bundle_parse(GBytes *bytes, GError **error);

#endif
