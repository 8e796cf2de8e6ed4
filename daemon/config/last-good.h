/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Last good: the copies of the admin's policy and service files, made when these files had no error
 * (LAST_GOOD_DIRECTORY). tools/policy-edit/last-good-copies.c writes them.
 */
#ifndef SVCD_CONFIG_LAST_GOOD_H
#define SVCD_CONFIG_LAST_GOOD_H

#include "config/configuration.h"
#include "config/loader-options.h"
#include "config/source-file.h"

/**
 * last_good_list() - the service files below a directory
 * @directory: services.d of the admin, or services.d of the copies; a path below the root
 * Returns: a new array of "ssh.svc" and "ssh.svc.d/x.conf"; NULL if a directory cannot be read.
 */
GPtrArray *last_good_list(SourceReader *reader, const char *directory);

/*
 * The services with an error in their files, and the policy files that cause an error; a new set of
 * names and paths.
 */
GHashTable *last_good_find_wrong(const Configuration *configuration);

/* Is @file of last_good_list() a file of a service in @wrong? */
bool last_good_is_wrong(GHashTable *wrong, const char *file);

/**
 * last_good_overlay() - replace each faulty file of the admin by its last good version
 * @configuration: loaded with @options
 *
 * If one file of a service has an error, all its files in services.d are replaced together. This
 * includes files in options->overlay, which the caller tries out, because files on the disk with
 * the same text would be replaced, too.
 * Returns: a new overlay, which includes the overlay of @options; NULL if there is nothing to
 * replace.
 */
GHashTable *last_good_overlay(const LoaderOptions *options, const Configuration *configuration);

/**
 * last_good_drop_useless() - remove from @overlay the policy files that still cause an error
 * @good: loaded with @overlay, with its own diagnostics
 *
 * A copy can cause an error, too, for example after the removal of a package. Such a copy is no
 * better than the present file, which the admin can change.
 * Returns: whether @overlay has changed.
 */
bool last_good_drop_useless(const LoaderOptions *options, const Configuration *good,
			    GHashTable *overlay);

#endif
