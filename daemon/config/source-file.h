/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Source file: reads one configuration file into memory, if only its owner and root can have
 * changed it.
 */
#ifndef SVCD_CONFIG_SOURCE_FILE_H
#define SVCD_CONFIG_SOURCE_FILE_H

#include <glib.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/diag.h"
#include "config/bundle.h"

/* The root directory and the conditions for opening files. */
typedef struct SourceReader {
	const char *root; /* symbolic links cannot leave it; "": the machine itself */
	size_t root_length; /* without trailing slashes */
	int root_fd; /* -1 if @root is "" */
	bool any_owner; /* ignore the owner of files */
	uid_t owner; /* trusted besides root */
	/*
	 * Borrowed, or NULL. An open bundle collects the data that is read from the disk. A
	 * finished one replaces the disk.
	 */
	Bundle *bundle;
	GHashTable *secrets; /* paths that were read and are not public; borrowed, or NULL */
	/* path -> GBytes in place of the file, or NULL to hide it; borrowed, or NULL */
	GHashTable *overlay;
} SourceReader;

/* @root is borrowed. */
void source_reader_init(SourceReader *reader, const char *root, bool any_owner, uid_t owner);

/*
 * Returns: NULL if a file of this mode and owner may be read; otherwise the reason why other users
 * could change it, as a new string.
 */
char *source_file_distrust(const SourceReader *reader, mode_t mode, uid_t uid, gid_t gid);
void source_reader_clear(SourceReader *reader);

/**
 * source_reader_list() - list a directory, sorted, without hidden files
 * @path: including the root
 * @ret_problem: if the directory exists but cannot be used, one sentence, a new string
 * Returns: a new array of strings; empty if there is no such directory.
 */
GPtrArray *source_reader_list(SourceReader *reader, const char *path, char **ret_problem);

/* Like source_reader_list(), but adds the problem to @diags. */
GPtrArray *source_reader_list_reported(SourceReader *reader, const char *path, DiagList *diags);

/**
 * source_reader_read() - read a whole file
 * @ret_problem: on failure one sentence without the file's name, a new string
 * Returns: the text with a NUL that @ret_length does not count; NULL on failure.
 */
char *source_reader_read(SourceReader *reader, const char *path, gsize *ret_length,
			 char **ret_problem);

#endif
