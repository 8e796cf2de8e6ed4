/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Loader options: which files the loader reads, and the paths of files that are written for it.
 */
#ifndef SVCD_CONFIG_LOADER_OPTIONS_H
#define SVCD_CONFIG_LOADER_OPTIONS_H

#include <glib.h>
#include <stdbool.h>

#include "config/bundle.h"

typedef struct LoaderOptions {
	const char *root; /* prefix of all directories; "" or NULL: the machine itself */
	bool without_local_files; /* omit /etc and /run, after crashes */
	bool without_until_reboot; /* omit files that last until reboot */
	bool user_mode; /* use the user's directories */
	const char *kernel_cmdline; /* the contents of /proc/cmdline, NULL: none */
	bool record_statements; /* for policy_statements(): costs memory */
	bool without_lines; /* leave ServiceDef.lines of services empty */
	bool names_only; /* see configuration_load() */
	bool rc_links_count; /* use the rc links despite RcLinks=, before a machine runs svcd */
	bool any_owner; /* ignore the owners of files, for --root on a tree of a user */
	/*
	 * For trials: path (including the root) -> GBytes in place of the file, or NULL to hide the
	 * file. The table may be NULL.
	 */
	GHashTable *overlay;
	Bundle *bundle; /* see SourceReader.bundle; borrowed, or NULL */
} LoaderOptions;

/*
 * Copies of the admin's files in policy.d and services.d: their last versions without errors
 * (config/last-good.h). A copy of a policy file is used if the file has an error or cannot be read.
 * The copies of a service are used in place of all the admin's files of that service.
 */
#define LAST_GOOD_DIRECTORY SVCD_STATEDIR "/last-good"
#define POLICY_LAST_GOOD_DIRECTORY LAST_GOOD_DIRECTORY "/policy.d"
#define SERVICE_LAST_GOOD_DIRECTORY LAST_GOOD_DIRECTORY "/services.d"
/*
 * If this file exists, all files were copied, so a service without a copy had no file of the admin.
 */
#define SERVICE_LAST_GOOD_MARK "complete"

/* Written by the package manager's helper (docs/packages.md). */
#define HELD_PROGRAMS_FILE SVCD_STATEDIR "/held-programs"

#endif
