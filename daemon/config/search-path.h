/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Search path: the directories of service and policy files, and their precedence.
 */
#ifndef SVCD_CONFIG_SEARCH_PATH_H
#define SVCD_CONFIG_SEARCH_PATH_H

#include <glib.h>

#include "config/loader-options.h"
#include "model/policy.h"

typedef struct PolicyDirectory {
	char *path;
	PolicyLayer layer;
} PolicyDirectory;

/*
 * The directory of the admin's files, and the directory of the files that last until reboot.
 * @user_mode: the directories of "svcd --user". New strings.
 */
char *search_path_config(bool user_mode);
char *search_path_runtime(bool user_mode);

/* The value of "%t" in service files. */
const char *search_path_runtime_top(bool user_mode);

/*
 * Service directories in ascending precedence: generated, vendor, admin, until reboot. A new strv.
 */
char **search_path_services(const LoaderOptions *options);

/* Policy directories in ascending order of their layers; a new array. */
GPtrArray *search_path_policies(const LoaderOptions *options);

#endif
