/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Dry run: the services that a verb would stop and start, and the users who are logged in. It
 * changes nothing.
 */
#ifndef SVCD_SVCCTL_DRY_RUN_H
#define SVCD_SVCCTL_DRY_RUN_H

#include "engine/engine.h"
#include "svcctl/svcctl.h"

/**
 * dry_run_request() - print the effects of @verb on the names of the command line
 * Returns: false with the error that the request would get.
 */
bool dry_run_request(Context *context, RequestVerb verb, GError **error);

/**
 * dry_run_files() - print what would happen if svcd read all its files again, and the errors in
 * them
 * Returns: false with INVALID_CONFIGURATION if there are errors.
 */
bool dry_run_files(Context *context, GError **error);

/*
 * Prints the effects of a change to another runlevel. 0 and 6 shut down the machine, so the
 * logged-in users are listed too.
 */
void dry_run_runlevel(Context *context, const char *runlevel);

#endif
