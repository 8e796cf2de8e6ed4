/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where files are looked for, and which one wins.
 */
#ifndef SVCD_CONFIG_SEARCH_PATH_H
#define SVCD_CONFIG_SEARCH_PATH_H

#include <glib.h>

#include "config/loader.h"
#include "model/policy.h"

typedef struct PolicyDirectory {
	char *path;
	PolicyLayer layer;
} PolicyDirectory;

/* Where the admin's files are, and what holds until reboot: of the machine, or of "svcd --user"; new strings. */
char *search_path_config(bool user_mode);
char *search_path_runtime(bool user_mode);

/* What "%t" is in service files. */
const char *search_path_runtime_top(bool user_mode);

/* Service directories, later wins; a new strv. DESIGN: generated, vendor, admin, until reboot. */
char **search_path_services(const LoaderOptions *options);

/* Policy directories with their layers, ascending; a new array. */
GPtrArray *search_path_policies(const LoaderOptions *options);

#endif
