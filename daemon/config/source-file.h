/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Source file: one file of a person's, opened so that nobody else can have a hand in it, and read into memory.
 */
#ifndef SVCD_CONFIG_SOURCE_FILE_H
#define SVCD_CONFIG_SOURCE_FILE_H

#include <glib.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/diag.h"
#include "config/bundle.h"

/* Where and on which terms files are opened. */
typedef struct SourceReader {
	const char *root;   /* symbolic links do not lead out of it; "": the machine itself */
	size_t root_length; /* without final slashes */
	int root_fd;        /* -1 if @root is "" */
	bool any_owner;     /* do not look who owns a file */
	uid_t owner;        /* who may own files besides root */
	/* Borrowed, or NULL. An open one is filled with what is read from the disk; a finished one takes the place of the disk. */
	Bundle *bundle;
	GHashTable *secrets; /* paths of files and directories that are read and not for every user; borrowed, or NULL */
	GHashTable *overlay; /* path -> GBytes in place of what is there, NULL: nothing; borrowed, or NULL */
} SourceReader;

/* @root is borrowed and must stay. */
void source_reader_init(SourceReader *reader, const char *root, bool any_owner, uid_t owner);

/* Returns: NULL, or why others could change a file of this mode and owner, so that it is not read; a new string. */
char *source_file_distrust(const SourceReader *reader, mode_t mode, uid_t uid, gid_t gid);
void source_reader_clear(SourceReader *reader);

/**
 * source_reader_list() - the names in a directory, sorted; hidden files left out
 * @path:        with the root in front
 * @ret_problem: when the directory is there but may not be used, one sentence, a new string
 * Returns: a new array of strings; empty when there is no such directory.
 */
GPtrArray *source_reader_list(SourceReader *reader, const char *path, char **ret_problem);

/* The same; the problem is added to @diags. */
GPtrArray *source_reader_list_told(SourceReader *reader, const char *path, DiagList *diags);

/**
 * source_reader_read() - the whole of a file
 * @ret_problem: on failure one sentence without the file's name, a new string
 * Returns: the text with a NUL after it that @ret_length does not count; NULL on failure.
 */
char *source_reader_read(SourceReader *reader, const char *path, gsize *ret_length, char **ret_problem);

#endif
