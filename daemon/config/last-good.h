/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Last good: the copies of the admin's policy and service files, made when they had no error (LAST_GOOD_DIRECTORY).
 * tools/policy-edit/last-good.c writes them.
 */
#ifndef SVCD_CONFIG_LAST_GOOD_H
#define SVCD_CONFIG_LAST_GOOD_H

#include "config/loader.h"
#include "config/source-file.h"

/**
 * last_good_list() - the service files below a directory
 * @directory: the admin's services.d or that of the copies, without the root
 * Returns: a new array of "ssh.svc" and "ssh.svc.d/x.conf"; NULL if a directory cannot be read.
 */
GPtrArray *last_good_list(SourceReader *reader, const char *directory);

/* The services with an error in their files, and the policy files that cause one; a new set of names and paths. */
GHashTable *last_good_find_wrong(const Configuration *configuration);

/* Is @file of last_good_list() a file of a service in @wrong? */
bool last_good_is_wrong(GHashTable *wrong, const char *file);

/**
 * last_good_overlay() - the admin's files with errors, as they were before
 * @configuration: loaded with @options
 *
 * A service counts as a whole: all its files in services.d are replaced. Files of options->overlay are only tried out and
 * stay, so that their errors refuse the change.
 * Returns: a new overlay, with that of @options; NULL if there is nothing to replace.
 */
GHashTable *last_good_overlay(const LoaderOptions *options, const Configuration *configuration);

/**
 * last_good_drop_useless() - take policy files back out of an overlay that still cause an error
 * @good: loaded with @overlay, with its own diagnostics
 *
 * A service that policy waits for may be gone with its package: then the present file is as good, and can be changed.
 * Returns: whether @overlay has changed.
 */
bool last_good_drop_useless(const LoaderOptions *options, const Configuration *good, GHashTable *overlay);

#endif
